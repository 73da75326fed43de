"""The score in beats: its consequences, and its sum in the ledger."""

from dataclasses import replace
from datetime import UTC, date, datetime

from core.engine.account import differences, score_now, todays_movers, todays_score
from core.model.occurrence import BeatReason, Outcome
from core.model.score import Level, Mover
from core.model.settings import AccountabilitySettings
from tests.stage import BERLIN, Stage, at


def test_a_bad_day_makes_the_next_tick_come_sooner_and_every_task_required() -> None:
    stage = Stage("## Tasks\n- [ ] a | A | optional | run: a | verify: cmd:no | max_attempts: 9\n")
    stage.processes.endings["no"] = 1
    stage.settings = replace(
        stage.settings, accountability=AccountabilitySettings(consequences=True)
    )
    stage.beat("16 08:00")
    assert stage.wakes_at == at("16 08:30")  # the level follows from this beat's verdict
    stage.beat("16 08:30")
    assert score_now(stage.ledger, at("16 08:30")).level is Level.LOCKDOWN
    assert stage.wakes_at == at("16 08:38")
    stage.processes.endings["no"] = 0
    report = stage.beat("16 08:38")
    assert [item.points for item in report.items] == [10]  # no longer optional


def scored_stage() -> Stage:
    stage = Stage(
        "## Tasks\n- [ ] a | A | run: a\n- [ ] b | B | optional | run: b | verify: cmd:no\n"
    )
    stage.processes.endings["no"] = 1
    stage.run("16 08:00")
    stage.run("16 23:30")
    stage.run("17 00:30")
    return stage


def test_the_score_is_the_sum_of_the_ledgers_verdicts() -> None:
    stage = scored_stage()
    assert [day.score for day in score_now(stage.ledger, at("17 01:00")).days] == [-10, -5]
    assert differences(stage.ledger, date(2026, 11, 17), 400) == []
    stage.ledger.scores.give_feedback("", 3, at("17 02:00"))
    assert differences(stage.ledger, date(2026, 11, 17), 400) == []
    assert todays_score(stage.ledger, at("17 03:00")).today == -2


def test_what_moved_the_day_comes_biggest_first() -> None:
    stage = scored_stage()
    stage.ledger.scores.give_feedback("task:a", 3, at("16 23:50"))
    assert todays_movers(stage.ledger, date(2026, 11, 16)) == [
        Mover("task:b", -30, 2),
        Mover("task:a", 23, 3),
    ]


def test_a_day_is_the_persons_also_when_the_clocks_change() -> None:
    # On 29 March 2026 Berlin skips an hour: 23:30 UTC on the 28th is already the 29th there.
    stage = Stage(
        "## Tasks\n- [ ] a | A | run: a\n",
        now=datetime(2026, 3, 28, 22, 30, tzinfo=UTC),
        zone=BERLIN,
    )
    stage.run()
    stage.clock.moment = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
    stage.run()
    stage.clock.moment = datetime(2026, 3, 29, 21, 59, tzinfo=UTC)
    stage.run()
    stage.clock.moment = datetime(2026, 3, 29, 22, 1, tzinfo=UTC)
    stage.run()
    days = stage.ledger.scores.days(date(2026, 3, 1), date(2026, 3, 31))
    assert [(one.day.day, one.points) for one in days] == [(28, 10), (29, 20), (30, 10)]


def test_an_item_that_only_waits_or_fails_honestly_moves_nothing() -> None:
    stage = Stage("## Tasks\n- [ ] a | A | run: a\n- [ ] b | B\n")
    stage.processes.endings["a"] = 1
    report = stage.beat("16 08:00", reason=BeatReason.TIMER)
    assert {item.outcome for item in report.items} == {Outcome.FAILED, Outcome.NEEDS_MODEL}
    assert report.score.today == 0
    (day,) = stage.ledger.scores.days(date(2026, 11, 16), date(2026, 11, 16))
    assert (day.score, day.has_verdict, day.kept, day.due) == (0, False, 0, 1)
