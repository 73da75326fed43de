"""What passed while a long beat was running is in the history: one row, with the number of slots and
what was in the way."""

from datetime import timedelta

import pytest

from core.model.agent import Batch, BatchEnding, BatchResult
from core.model.occurrence import Outcome
from tests.fakes.model import CHOICE
from tests.stage import Stage, action, actions, at


def after_a_long_beat(schedule: str, takes: timedelta = timedelta(hours=1)) -> Stage:
    """`ping` ran at 09:00; then `backup` kept the beat of 09:00:30 going; now it is over."""
    stage = Stage(actions(action("ping", f"schedule: {schedule}"), action("backup", "timeout: 3h")))
    stage.beat("16 08:58:00", "ping")
    stage.beat("16 08:59:00", "ping")
    stage.processes.takes["backup"] = takes
    stage.beat("16 08:59:30", "backup")
    assert stage.clock.now() >= at("16 08:59:30") + takes
    return stage


def missed(stage: Stage) -> list[str]:
    return [one.reason for one in stage.history("ping") if one.outcome is Outcome.MISSED]


def test_an_item_that_is_due_every_minute_has_one_row_for_all_that_it_missed() -> None:
    stage = after_a_long_beat("every:1m")
    stage.beat()
    assert missed(stage) == [
        "59 slots from 09:01 to 09:59: another beat was running since 08:59 (backup)"
    ]
    assert [one.outcome for one in stage.history("ping")][-1] is Outcome.COMPLETED
    assert stage.ran.count("ping") == 3  # it is made up for once


def test_a_schedule_of_the_clock_has_it_too() -> None:
    stage = after_a_long_beat("cron:'*/10 * * * *'")
    stage.beat()
    assert missed(stage) == [
        "5 slots from 09:00 to 09:40: another beat was running since 08:59 (backup)"
    ]


def test_a_plan_before_the_beat_makes_no_second_row() -> None:
    stage = after_a_long_beat("every:1m")
    stage.plan_only()
    stage.beat()
    stage.plan_only()
    assert len(missed(stage)) == 1


def test_the_rhythm_stays_as_it_was_without_the_row() -> None:
    stage = after_a_long_beat("every:1m")
    stage.beat()
    assert stage.memory("ping").last_slot == at("16 09:00:00")
    assert stage.wakes_at == stage.memory("ping").last_start + timedelta(minutes=1)  # type: ignore[operator]


def test_a_short_beat_is_not_worth_a_row() -> None:
    stage = after_a_long_beat("every:1s", takes=timedelta(seconds=20))
    stage.beat()
    assert missed(stage) == []


def test_what_was_missed_while_nothing_ran_is_not_blamed_on_a_beat() -> None:
    stage = after_a_long_beat("every:1m", takes=timedelta(seconds=90))
    stage.beat()
    stage.beat("16 12:00")
    reasons = missed(stage)
    assert len(reasons) == 1
    assert reasons[0].startswith("1 slot at 09:01: another beat")


def test_an_item_that_takes_longer_than_its_own_period_says_so() -> None:
    stage = Stage(actions(action("ping", "schedule: every:1m", "timeout: 1h")))
    stage.processes.takes["ping"] = timedelta(minutes=5)
    stage.beat("16 09:00")
    stage.beat()
    assert missed(stage) == ["4 slots from 09:02 to 09:05: its own run since 09:00 was not over"]


def test_during_a_batch_the_lock_is_free_and_the_model_is_not_blamed() -> None:
    text = "## Tasks\n- [ ] mail | Read the mail\n\n" + actions(
        action("ping", "schedule: every:1m")
    )
    stage = Stage(text)
    stage.agent.chosen = CHOICE

    def think(_: Batch) -> BatchResult:
        stage.clock.pass_time(timedelta(hours=1))
        return BatchResult(BatchEnding.FINISHED)

    stage.agent.script = think
    stage.run("16 09:00")
    assert stage.clock.now() > at("16 10:00")
    stage.beat()
    assert missed(stage) == []


def test_a_beat_that_a_crash_ended_is_not_blamed() -> None:
    """The next plan ends it an hour later: nobody knows how long it really held the others up."""
    stage = Stage(actions(action("ping", "schedule: every:1m"), action("backup")))
    stage.beat("16 08:58:00", "ping")

    def crash(_: str) -> None:
        raise KeyboardInterrupt

    stage.processes.meanwhile = crash
    with pytest.raises(KeyboardInterrupt):
        stage.beat("16 08:59:30", "backup")

    stage.processes.meanwhile = lambda _: None
    stage.plan_only("16 10:00:00")
    stage.beat("16 10:00:30")
    assert missed(stage) == []
