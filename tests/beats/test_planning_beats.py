"""Plans in their beats: what runs, what the ledger and the file say afterwards, and when the
next beat comes."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from core.adapters.ledger import SqliteLedger
from core.engine.beat import beat
from core.engine.plan import note_plan, plan_now, plan_only
from core.model.diagnostic import Problem
from core.model.holder import Holder
from core.model.item import ItemKind
from core.model.occurrence import BeatReason, Occurrence, Outcome, State
from core.model.plan import BeatRequest, Decision
from core.model.process import How
from core.model.settings import Settings
from tests.stage import ROOT, Stage, action, actions, at

TASK = "## Tasks\n\n- [ ] tidy | Tidy up | run: tidy-up\n"


# -- one-time and recurring actions


def test_a_one_time_action_runs_at_the_first_beat_and_stays_completed() -> None:
    stage = Stage(actions(action("backup", "status: PENDING")))
    report = stage.beat("16 10:00")
    assert [(item.id, item.outcome, item.attempts) for item in report.items] == [
        ("backup", Outcome.COMPLETED, 1)
    ]
    assert stage.ran == ["backup"]
    assert "- status: COMPLETED\n" in stage.files.text
    assert "completed_at: 2026-11-16T10:00:00+01:00" in stage.files.text
    assert "- [x] backup: did backup (10:00:00)" in stage.files.text
    assert stage.wakes_at is None
    stage.beat("17 10:00")
    assert stage.ran == []


def test_a_recurring_action_returns_to_pending_and_wakes_at_its_next_slot() -> None:
    stage = Stage(actions(action("backup", "schedule: daily:09:00")))
    stage.plan_only("16 08:00")
    assert stage.wakes_at == at("16 09:00")
    stage.beat("16 09:00")
    assert stage.ran == ["backup"]
    assert stage.status("backup") == "PENDING"
    assert "completed_at: 2026-11-16T09:00:00+01:00" in stage.files.text
    assert stage.wakes_at == at("17 09:00")


def contents(ledger: SqliteLedger) -> list[str]:
    """Every row of every table."""
    return [*ledger.database._connected().iterdump()]


def test_a_beat_with_nothing_due_leaves_no_trace() -> None:
    stage = Stage(actions(action("backup", "schedule: daily:09:00"), action("report")))
    stage.beat("16 08:00")
    ledger, text = stage.ledger, stage.files.text
    assert isinstance(ledger, SqliteLedger)
    before = contents(ledger)
    for moment in ("16 08:00:01", "16 08:30", "16 08:59:59"):
        report = stage.beat(moment)
        assert (report.beat, report.items, report.next_wake) == (None, (), at("16 09:00"))
    assert contents(ledger) == before
    assert stage.files.text == text
    assert stage.views.shown == [at("16 08:00") + stage.processes.lasting]


def test_without_a_model_a_task_waits_in_one_row_and_each_tick_looks_again_without_a_trace() -> (
    None
):
    stage = Stage("## Tasks\n\n- [ ] think | Think about it\n")
    stage.beat("16 10:00")
    assert [(row.item, row.outcome) for row in stage.ledger.occurrences.waiting()] == [
        ("task:think", Outcome.NEEDS_MODEL)
    ]
    assert stage.wakes_at == at("16 10:30")
    rows, note = stage.ledger.occurrences.history(), stage.ledger.plan.note()
    stage.beat("16 10:10")
    assert (stage.ledger.occurrences.history(), stage.ledger.plan.note()) == (rows, note)
    stage.beat("16 10:30")
    assert (stage.ledger.occurrences.history(), stage.wakes_at) == (rows, at("16 11:00"))


def test_a_missing_or_empty_file_runs_nothing_and_writes_nothing() -> None:
    for text in (None, "", "# Notes\n"):
        stage = Stage(text)
        assert stage.beat("16 10:00").beat is None
        assert (stage.files.text, stage.files.writes, stage.ledger.occurrences.history()) == (
            text or "",
            0,
            (),
        )


def test_items_run_in_the_order_of_their_priorities_and_then_of_the_file() -> None:
    names = ["LOW", "MEDIUM", "BG", "CRITICAL", "HIGH"]
    blocks = [
        action(f"{name.lower()}{number}", priority=name) for number in (1, 2) for name in names
    ]
    stage = Stage(actions(*blocks))
    stage.beat()
    ordered = ["critical", "high", "medium", "low"]
    assert stage.ran == [f"{name}{number}" for name in ordered for number in (1, 2)]
    assert [one.item for one in stage.background.started] == ["action:bg1", "action:bg2"]


def test_a_critical_failure_stops_the_beat_and_the_rest_stays_pending() -> None:
    stage = Stage(actions(action("first", "status: PENDING"), action("guard", priority="CRITICAL")))
    stage.processes.endings["guard"] = 1
    stage.beat()
    assert stage.ran == ["guard"]
    assert stage.status("first") == "PENDING"


def test_an_action_that_nobody_understands_says_so_in_the_file_and_is_announced_once() -> None:
    stage = Stage(
        actions(action("a", "status: PENDING").replace("type: shell", "type: htpp"), action("b"))
    )
    report = stage.run("16 09:00")
    assert [(one.id, one.outcome) for one in report.items] == [
        ("a", Outcome.NEEDS_CLARIFICATION),
        ("b", Outcome.COMPLETED),
    ]
    assert stage.status("a") == "NEEDS_CLARIFICATION"
    assert "- status: NEEDS_CLARIFICATION\n" in stage.files.text
    assert [one.title for one in report.notices] == ["a is not understood"]
    writes = stage.files.writes
    assert stage.run("16 09:10").notices == ()
    assert stage.files.writes == writes
    stage.edit("type: htpp", "type: shell")
    stage.beat("16 09:20")
    assert stage.ran == ["b", "a"]
    assert stage.status("a") == "COMPLETED"


def test_an_action_that_nobody_understands_says_so_also_where_nothing_else_is_due() -> None:
    stage = Stage(actions(action("a").replace("type: shell", "type: htpp")))
    assert stage.run("16 09:00").beat is None
    assert "- status: NEEDS_CLARIFICATION\n" in stage.files.text


def test_a_condition_that_nobody_understands_holds_its_action_back_until_it_is_changed() -> None:
    stage = Stage(
        actions(action("a", "condition: whatever dude"), action("b", "schedule: daily:23:00"))
    )
    assert [one.outcome for one in stage.beat("16 09:00").items] == [Outcome.NEEDS_CLARIFICATION]
    assert stage.status("a") == "NEEDS_CLARIFICATION"
    assert stage.wakes_at == at("16 23:00")
    stage.edit("whatever dude", "hour >= 9")
    stage.beat("16 09:01")
    assert stage.ran == ["a"]


def test_a_condition_that_cannot_be_decided_is_looked_at_again_at_the_next_tick() -> None:
    stage = Stage(actions(action("a"), action("b", "condition: a.result > 5")))
    stage.beat("16 09:00")
    assert stage.ran == ["a"]
    assert stage.status("b") == "NEEDS_CLARIFICATION"
    assert stage.wakes_at == at("16 09:30")
    assert stage.beat("16 09:00:01").beat is None
    stage.edit("a.result > 5", "len(a.result) >= 0")
    stage.beat("16 09:30")
    assert stage.ran == ["b"]


def test_a_slot_during_a_background_action_is_looked_at_twice_a_minute_and_made_up_for_once() -> (
    None
):
    stage = Stage(actions(action("long", "schedule: every:1m", priority="BG")))
    stage.beat("16 09:00")
    stage.beat("16 09:01")
    assert stage.wakes_at == at("16 09:01:30")
    assert stage.beat("16 09:01:30").beat is None
    assert stage.wakes_at == at("16 09:02")
    (first,) = stage.background.started
    stage.ledger.occurrences.finish(first, Outcome.COMPLETED, stage.clock.now())
    stage.background.running.clear()
    stage.beat("16 09:02")
    assert len(stage.background.started) == 2


GUARDED = actions(
    action("guard", "schedule: every:1h", "retry: 2", priority="CRITICAL"),
    action("once", "status: PENDING"),
    action("hourly", "schedule: every:1h"),
    "## Tasks\n\n- [ ] tidy | Tidy up | run: tidy | schedule: every:1h\n",
)


def test_what_a_critical_failure_left_undone_waits_for_its_next_try_and_then_for_a_tick() -> None:
    stage = Stage(GUARDED)
    stage.processes.endings["guard"] = 1
    stage.beat("16 09:00")
    assert stage.ran == ["guard"]
    retry = stage.wakes_at
    assert retry
    assert at("16 09:00:30") <= retry <= at("16 09:00:40")
    assert (
        stage.beat("16 09:00:10").beat is None
    )  # a beat between them, such as one after a file change
    stage.beat("16 09:01")
    assert stage.ran == ["guard"]
    assert stage.wakes_at == at("16 09:30")
    stage.beat("16 09:30")
    assert stage.ran == ["once", "hourly", "tidy"]


def test_what_a_critical_failure_left_undone_runs_with_its_next_try_where_that_goes_well() -> None:
    stage = Stage(GUARDED)
    stage.processes.endings["guard"] = 1
    stage.beat("16 09:00")
    del stage.processes.endings["guard"]
    stage.beat("16 09:01")
    assert stage.ran == ["guard", "guard", "once", "hourly", "tidy"]


def test_what_a_critical_failure_stopped_runs_when_the_person_asks_or_lowers_the_priority() -> None:
    for items in ((), ("once", "hourly")):
        stage = Stage(GUARDED)
        stage.processes.endings["guard"] = 1
        stage.beat("16 09:00")
        stage.run("16 09:00:10", *items)
        assert stage.ran[:3] == ["guard", "once", "hourly"]
    stage = Stage(GUARDED)
    stage.processes.endings["guard"] = 1
    stage.beat("16 09:00")
    stage.files.save(GUARDED.replace("[CRITICAL]", "[LOW]"))
    stage.beat("16 09:00:10")
    assert stage.ran == ["guard", "once", "hourly", "tidy"]


def test_a_slot_that_comes_while_its_beat_is_running_is_made_up_for_once_right_after() -> None:
    stage = Stage(actions(action("slow", "schedule: hourly", "timeout: 3h")))
    stage.plan_only("16 09:30")
    stage.processes.lasting = timedelta(hours=2, minutes=10)
    stage.beat("16 10:00")  # until 12:10: the slots of 11:00 and 12:00 have come meanwhile
    stage.processes.lasting = timedelta(seconds=1)
    assert stage.wakes_at == at("16 12:10")
    stage.beat()
    assert stage.wakes_at == at("16 13:00")
    stage.beat()
    assert stage.ran == ["slow", "slow"]
    assert [(row.slot, row.state) for row in stage.history("slow")] == [
        (at("16 10:00"), State.FINISHED),
        (at("16 11:00"), State.MISSED),
        (at("16 12:00"), State.FINISHED),
    ]


def test_while_a_beat_runs_a_second_one_is_told_who_is_at_work() -> None:
    stage = Stage(actions(action("slow")))
    answers: list[object] = []
    stage.processes.meanwhile = lambda _: answers.append(
        beat(stage.world(), BeatRequest(BeatReason.TIMER))
    )
    stage.beat()
    (answer,) = answers
    assert isinstance(answer, Holder)
    assert answer.purpose == "beat"
    assert stage.ran == ["slow"]


# -- failures and retries


def test_a_failed_action_is_tried_again_with_a_doubling_delay_and_then_stays_failed() -> None:
    stage = Stage(actions(action("backup", "retry: 3", "retry_delay: 1m")))
    stage.processes.endings["backup"] = 7
    stage.processes.lasting = timedelta()
    for now, following, count in [
        ("16 10:00", "16 10:01", "1/3"),
        ("16 10:01", "16 10:03", "2/3"),
        ("16 10:03", None, "3/3"),
    ]:
        report = stage.beat(now)
        assert [item.error for item in report.items] == ["exit code 7: did backup"]
        assert stage.wakes_at == (at(following) if following else None)
        assert f"- retry_count: {count}\n" in stage.files.text
        assert stage.status("backup") == "FAILED"
    assert stage.ran == ["backup"] * 3
    stage.beat("16 12:00")
    assert stage.ran == []
    assert [row.attempts for row in stage.history("backup")] == [1, 2, 3]


def test_a_failure_shortly_before_the_active_hours_end_stops_no_plan_and_no_beat() -> None:
    """Its next slot and its retry both come after the end."""
    lines = ["schedule: every:10m", "retry: 3", "retry_delay: 15m"]
    stage = Stage(actions(action("backup", *lines), header="active: 09:00-18:00"))
    stage.processes.endings["backup"] = 7
    stage.processes.lasting = timedelta()
    stage.beat("16 17:59")
    assert stage.ran == ["backup"]

    held = (Outcome.WAITING, "it failed and is tried again later")
    stage.plan_only("16 18:10")
    assert [(row.outcome, row.reason) for row in stage.ledger.occurrences.waiting()] == [held]
    for report in (stage.beat("16 18:10"), stage.run("16 18:11")):
        assert [(item.outcome, item.reason) for item in report.items] == [held]

    stage.beat("16 18:20")
    assert stage.ran == []
    assert stage.wakes_at == at("17 09:00")
    stage.processes.endings["backup"] = 0
    stage.beat("17 09:00")
    assert stage.ran == ["backup"]


def test_a_plan_of_a_file_name_with_stray_bytes_is_noted_once_and_as_it_is() -> None:
    stage = Stage(actions(action("backup", "schedule: daily:09:00")))
    world = stage.world()
    name = "/w\udcff/HEARTBEAT.md"
    workspace = replace(stage.workspace(), file=Path(name))
    now = at("16 10:00")
    plan = plan_now(world, workspace, BeatRequest(BeatReason.TIMER), now)
    note_plan(world, workspace, plan)
    note = stage.ledger.plan.note()
    assert note is not None
    assert note.file == name

    note_plan(world, workspace, replace(plan, now=now + timedelta(minutes=1)))
    assert stage.ledger.plan.note() == note  # also the moment: nothing was written


def test_one_attempt_per_beat() -> None:
    stage = Stage(actions(action("backup", "retry: 3")))
    stage.processes.endings["backup"] = 1
    stage.beat("16 10:00")
    stage.beat("16 10:00:10")
    assert stage.ran == ["backup"]


def test_a_success_after_a_failure_starts_the_count_again_and_clears_the_lines_of_the_failure() -> (
    None
):
    stage = Stage(actions(action("backup", "retry: 3", "schedule: hourly")))
    stage.plan_only("16 09:30")
    stage.processes.endings["backup"] = How.TIMED_OUT
    stage.beat("16 10:00")
    assert "error: it took longer than 5 min" in stage.files.text
    stage.processes.endings.clear()
    stage.beat("16 10:06")
    assert stage.memory("backup").attempts == 0
    assert stage.memory("backup").retry_at is None
    for key in ("failed_at", "error", "retry_count"):
        assert key not in stage.files.text
    stage.processes.endings["backup"] = 1
    stage.beat("16 11:00")
    assert "- retry_count: 1/3\n" in stage.files.text
    assert "completed_at" not in stage.files.text


def test_the_next_slot_of_a_recurring_action_makes_an_exhausted_one_due_again() -> None:
    stage = Stage(actions(action("backup", "schedule: hourly")))
    stage.plan_only("16 09:30")
    stage.processes.endings["backup"] = 1
    stage.beat("16 10:00")
    assert stage.wakes_at == at("16 11:00")
    stage.beat("16 10:30")
    stage.beat("16 11:00")
    assert stage.ran == ["backup"] * 2


def test_an_interrupted_action_counts_as_an_attempt() -> None:
    stage = Stage(actions(action("backup", "retry: 2")))
    stage.processes.meanwhile = lambda _: stage.cancelled.set()
    stage.beat("16 10:00")
    assert [row.outcome for row in stage.history("backup")] == [Outcome.INTERRUPTED]
    assert stage.wakes_at == at("16 10:00:30") + stage.processes.lasting
    assert "- retry_count: 1/2\n" in stage.files.text


def test_a_run_by_name_counts_as_the_attempt_that_was_waited_for_and_keeps_the_count() -> None:
    stage = Stage(actions(action("backup", "retry: 3")))
    stage.processes.endings["backup"] = 1
    stage.beat("16 10:00")
    stage.run("16 10:00:10", "backup")
    assert [row.attempts for row in stage.history("backup")] == [1, 2]
    assert stage.wakes_at == at("16 10:01:10") + stage.processes.lasting  # the second delay: 60 s


# -- the person's word in the file


def test_pending_with_the_last_instant_runs_a_finished_action_again_once() -> None:
    stage = Stage(actions(action("backup", "status: PENDING")))
    stage.beat("16 10:00")
    stage.edit("status: COMPLETED", "status: PENDING")
    stage.beat("16 11:00")
    assert stage.ran == ["backup", "backup"]
    assert stage.status("backup") == "COMPLETED"
    assert "completed_at: 2026-11-16T11:00:00+01:00" in stage.files.text
    stage.beat("16 12:00")
    assert stage.ran == []


def test_pending_runs_again_once_also_while_the_file_cannot_be_written() -> None:
    stage = Stage(actions(action("backup", "status: PENDING")))
    stage.beat("16 10:00")
    stage.edit("status: COMPLETED", "status: PENDING")
    stage.files.is_open_in_editor = True
    report = stage.beat("16 11:00")
    assert report.write_problem == Problem("the file is open in an editor", "")
    stage.beat("16 12:00")
    assert stage.ran == ["backup", "backup"]


def test_an_old_copy_from_an_editor_runs_nothing_and_is_brought_up_to_date() -> None:
    stage = Stage(
        actions(action("backup", "status: PENDING"), action("report", "schedule: hourly"))
    )
    old = stage.files.text
    stage.beat("16 10:00")
    older_instant = stage.files.text.replace("status: COMPLETED", "status: PENDING").replace(
        "T10:", "T01:"
    )
    for copy, moment in ((old, "16 11:00"), (older_instant, "16 12:00")):
        stage.files.save(copy)
        stage.beat(moment)
        assert stage.status("backup") == "COMPLETED"
        assert "completed_at: 2026-11-16T10:00:00+01:00" in stage.files.text
    assert stage.ran == ["backup", "report", "report"]


def test_what_an_action_did_before_its_change_is_not_written_next_to_what_waits() -> None:
    stage = Stage(actions(action("backup")))
    old = stage.files.text
    stage.beat("16 10:00")
    stage.says_yes = False
    stage.files.save(old.replace("command: backup", "command: quite another"))
    after = stage.files.text
    for moment in ("16 11:00", "16 12:00"):
        stage.beat(moment)
        assert stage.files.text == after
    assert stage.ran == ["backup"]
    assert stage.planned("backup").reason == "it has run; to run it again: heartbeat run backup"


def test_a_schedule_change_replays_nothing() -> None:
    stage = Stage(actions(action("backup", "schedule: daily:09:00")))
    stage.plan_only("16 08:00")
    stage.beat("16 09:00")
    stage.edit("schedule: daily:09:00", "schedule: daily:09:30")
    stage.beat("16 10:00")
    assert stage.ran == ["backup"]
    assert stage.wakes_at == at("17 09:30")


@pytest.mark.parametrize("line", ["", "- schedule: at:2026-11-16T09:30\n"])
def test_a_recurring_action_that_becomes_a_one_time_one_replays_nothing(line: str) -> None:
    stage = Stage(actions(action("backup", "schedule: daily:09:00")))
    stage.plan_only("16 08:00")
    stage.beat("16 09:00")
    stage.edit("- schedule: daily:09:00\n", line)
    stage.beat("16 10:00")
    assert stage.ran == ["backup"]


def test_the_second_action_of_an_id_is_planned_as_blocked_and_leaves_the_first_alone() -> None:
    stage = Stage(actions(action("backup"), action("backup", "schedule: hourly")))
    plan = plan_now(
        stage.world(),
        stage.workspace(),
        BeatRequest(BeatReason.TIMER),
        at("16 10:00"),
        remember=False,
    )
    second = (Decision.BLOCKED, "its id is used twice", None, None)
    assert [(one.decision, one.reason, one.slot, one.held_as) for one in plan.items][1:] == [second]
    stage.beat("16 10:00")
    assert stage.ran == ["backup"]
    assert [row.outcome for row in stage.history("backup")] == [Outcome.COMPLETED]


def test_editing_another_item_changes_nothing() -> None:
    stage = Stage(
        actions(action("backup", "schedule: daily:09:00"), action("report", "schedule: hourly"))
    )
    stage.beat("16 09:30")
    before = stage.planned("backup", "16 10:00")
    stage.edit("schedule: hourly", "schedule: every:5m")
    stage.edit("command: report", "command: other")
    assert stage.planned("backup") == before


# -- heartbeat run


def test_a_run_by_name_counts_as_a_start() -> None:
    stage = Stage(actions(action("poll", "schedule: every:1h")))
    stage.beat("16 10:00")
    stage.run("16 10:40", "poll")
    assert stage.wakes_at == at("16 11:40")
    assert stage.ran == ["poll", "poll"]


def test_a_run_by_name_of_something_that_does_not_run_keeps_the_next_wake() -> None:
    stage = Stage(
        actions(action("poll", "schedule: hourly"))
        + "\n## Tasks\n\n- [x] tidy | Tidy up | run: tidy\n"
    )
    stage.beat("16 10:10")
    report = stage.run("16 10:20", "tidy")
    assert stage.ran == []
    assert (report.next_wake, stage.wakes_at) == (at("16 11:00"), at("16 11:00"))


def test_a_heartbeat_run_at_a_tick_that_is_due_uses_that_tick_up() -> None:
    stage = Stage(TASK)
    stage.beat("16 10:00")
    stage.run("16 10:45")
    assert stage.ledger.plan.tick_anchor() == at("16 10:45")
    assert stage.wakes_at == at("16 11:15")


def test_a_heartbeat_run_between_the_ticks_leaves_them_where_they_are() -> None:
    stage = Stage(TASK)
    stage.beat("16 10:00")
    stage.run("16 10:10")
    assert stage.ledger.plan.tick_anchor() == at("16 10:00")


def test_a_heartbeat_run_works_where_nothing_starts_by_itself() -> None:
    stage = Stage(actions(action("backup"), action("poll", "schedule: hourly")))
    stage.settings = Settings(enabled=False)
    stage.run("16 10:10")
    assert stage.ran == ["backup"]
    assert stage.wakes_at is None


# -- ticks


def test_a_restart_does_not_restart_the_ticks() -> None:
    stage = Stage(TASK)
    stage.beat("16 10:00")
    again = Stage(TASK, ledger=stage.ledger)
    again.plan_only("16 10:20")
    assert again.wakes_at == at("16 10:30")


@pytest.mark.parametrize("back", [timedelta(minutes=20), timedelta(hours=2), timedelta(days=3)])
def test_after_a_clock_was_set_back_the_next_tick_is_one_interval_away_and_comes(
    back: timedelta,
) -> None:
    stage = Stage(TASK)
    stage.beat("16 10:00")
    stage.clock.step(-back)
    now = stage.clock.now()
    stage.plan_only()
    assert stage.wakes_at == now + timedelta(minutes=30)
    stage.clock.moment = now + timedelta(minutes=30)
    stage.beat()
    assert stage.ledger.plan.tick_anchor() == now + timedelta(minutes=30)


# -- clocks


def test_every_counts_a_clock_that_was_set_back_from_the_moment_it_was_noticed() -> None:
    stage = Stage(actions(action("poll", "schedule: every:1h")))
    stage.beat("16 10:00")
    stage.plan_only("16 08:00")
    assert stage.wakes_at == at("16 09:00")
    stage.beat("16 09:00")
    assert stage.ran == ["poll", "poll"]
    assert stage.wakes_at == at("16 10:00")


def test_after_a_clock_was_set_back_by_more_than_three_hours_a_slot_runs_again() -> None:
    stage = Stage(actions(action("backup", "schedule: daily:09:00")))
    stage.plan_only("16 08:00")
    stage.beat("16 09:00")
    stage.beat("16 05:00")
    stage.beat("16 09:00:01")
    assert stage.ran == ["backup", "backup"]
    assert stage.wakes_at == at("17 09:00")


def test_a_slot_runs_again_only_after_the_clock_was_set_back_by_more_than_three_hours() -> None:
    stage = Stage(actions(action("backup", "schedule: daily:09:00")))
    stage.plan_only("16 08:00")
    stage.beat("16 09:00")
    stage.beat("16 06:30")
    stage.beat("16 09:00")
    assert stage.ran == ["backup"]


def test_a_slot_that_a_clock_ahead_has_used_is_not_in_the_way_of_a_missed_one() -> None:
    """The rows of 10:00 to 13:00 exist; after the clock was set back to 09:30 they are missed,
    and one waits."""
    text = actions(action("backup", "schedule: hourly"))
    stage = Stage(text)
    stage.plan_only("16 09:30")
    for moment in ("16 10:00", "16 11:00", "16 12:00", "16 13:00", "16 09:30", "16 12:30"):
        stage.beat(moment)
    assert stage.ran == ["backup"] * 5
    stage.beat("16 09:00")
    stage.files.save(text.replace("## Pending", "---\nactive: 00:00-10:00\n---\n## Pending"))
    assert stage.beat("16 13:00").next_wake == at("17 00:00")


def test_startup_runs_once_per_start_also_where_the_start_before_was_by_a_clock_far_ahead() -> None:
    stage = Stage(actions(action("hello", "schedule: startup")), now=at("15 00:00"))
    stage.plan_only()
    for started in ("18 10:00", "16 10:00"):
        for moment in (started, f"{started}:05"):
            stage.beat(moment, resident_start=at(started))
        assert stage.ran == ["hello"]
        assert stage.wakes_at is None


def test_a_missed_slot_is_recorded_also_where_no_beat_is_due() -> None:
    stage = Stage(actions(action("once", "schedule: at:2026-11-16T07:00")))
    stage.plan_only("16 08:00")
    stage.plan_only("16 08:10")
    assert [(row.slot, row.state) for row in stage.history("once")] == [
        (at("16 07:00"), State.MISSED)
    ]


def test_a_moment_that_was_past_when_it_was_first_seen_is_reported_once_and_as_what_it_is() -> None:
    stage = Stage(actions(action("once", "schedule: at:2026-11-16T07:00")))
    reason = "Mon 16 Nov 07:00 had already passed when it was first seen, so it never runs"
    assert [(one.outcome, one.reason) for one in stage.run("16 08:00").items] == [
        (Outcome.SKIPPED, reason)
    ]
    assert stage.run("16 08:10").items == ()
    assert [row.reason for row in stage.history("once")] == [
        "its time had already passed when it was first seen"
    ]
    assert stage.planned("once", "16 08:20").reason == reason


# -- recovery


def test_what_a_crash_left_is_interrupted_and_written_as_failed() -> None:
    stage = Stage(actions(action("backup", "status: PENDING", "retry: 2")))
    crash(stage, "16 10:00")
    stage.plan_only("16 10:05")
    assert [row.outcome for row in stage.history("backup")] == [Outcome.INTERRUPTED]
    assert stage.ledger.occurrences.unfinished() == ()
    assert all(one.finished for one in stage.ledger.beats.recent(10))
    assert stage.status("backup") == "FAILED"
    assert "interrupted" in stage.files.text
    assert stage.wakes_at == at("16 10:05:30")
    stage.beat("16 10:05:30")
    assert stage.ran == ["backup", "backup"]


def test_what_a_crash_left_without_attempts_left_is_not_repeated() -> None:
    stage = Stage(actions(action("backup")))
    crash(stage, "16 10:00")
    stage.beat("16 10:05")
    stage.beat("16 11:00")
    assert stage.ran == ["backup"]


def test_running_that_no_recorded_run_explains_is_interrupted_and_the_person_decides() -> None:
    stage = Stage(actions(action("backup", "status: RUNNING", "retry: 3")))
    report = stage.beat("16 10:00")
    assert [(item.id, item.outcome) for item in report.items] == [("backup", Outcome.INTERRUPTED)]
    assert stage.status("backup") == "FAILED"
    assert "- error: interrupted: the file said RUNNING" in stage.files.text
    stage.beat("16 11:00")
    assert stage.ran == []
    stage.edit("status: FAILED", "status: PENDING")
    stage.beat("16 12:00")
    assert stage.ran == ["backup"]


@pytest.mark.parametrize("schedule", ["daily:11:00", "at:2026-11-16T11:00:00+01:00"])
def test_running_that_no_recorded_run_explains_waits_for_its_slot(schedule: str) -> None:
    stage = Stage(actions(action("backup", "status: RUNNING", f"schedule: {schedule}")))
    stage.plan_only("16 10:00")
    assert stage.status("backup") == "PENDING"
    assert (stage.files.writes, stage.history("backup")) == (1, [])
    stage.beat("16 11:00")
    assert stage.ran == ["backup"]


def test_what_was_claimed_and_never_started_is_due_again() -> None:
    stage = Stage(actions(action("backup", "schedule: hourly")))
    stage.plan_only("16 09:30")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage.ledger.occurrences, "start", _end)
        with pytest.raises(KeyboardInterrupt):
            stage.beat("16 10:00")
    stage.beat("16 10:01")
    assert stage.ran == ["backup"]
    assert [(row.slot, row.state) for row in stage.history("backup")] == [
        (at("16 10:00"), State.FINISHED)
    ]


def test_a_background_action_whose_process_is_still_starting_is_not_interrupted() -> None:
    stage = Stage(actions(action("long", "status: PENDING", "retry: 2", priority="BG")))
    stage.beat("16 10:00")
    stage.background.running.clear()  # its process does not hold its lock yet
    for moment in ("16 10:00", "16 10:00:29"):
        stage.plan_only(moment)
        assert [row.state for row in stage.history("long")] == [State.STARTED]

    stage.plan_only("16 10:00:30")
    assert [row.outcome for row in stage.history("long")] == [Outcome.INTERRUPTED]
    assert len(stage.background.started) == 1


def test_a_background_action_that_was_claimed_and_never_started_is_due_again() -> None:
    stage = Stage(actions(action("long", "schedule: hourly", priority="BG")))
    stage.plan_only("16 09:30")
    claimed = Occurrence("action:long", ItemKind.ACTION, at("16 10:00"), beat=1, why="")
    assert stage.ledger.occurrences.claim(claimed, at("16 10:00"))
    stage.beat("16 10:00:10")
    assert [one.slot for one in stage.background.started] == [at("16 10:00")]


def crash(stage: Stage, now: str) -> None:
    """The program is gone while the command runs."""
    stage.processes.meanwhile = _end
    with pytest.raises(KeyboardInterrupt):
        stage.beat(now)
    stage.processes.meanwhile = lambda _: None


def _end(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_plan_during_a_beat_is_told_who_holds_the_lock() -> None:
    stage = Stage(actions(action("slow")))
    answers: list[object] = []
    stage.processes.meanwhile = lambda _: answers.append(
        plan_only(stage.world(), BeatRequest(BeatReason.TIMER))
    )
    stage.beat()
    assert isinstance(answers[0], Holder)


def test_a_workspace_of_another_name_is_read_from_its_settings() -> None:
    stage = Stage(actions(action("backup")))
    stage.settings = replace(stage.settings, heartbeat_file="plans.md")
    stage.beat()
    note = stage.ledger.plan.note()
    assert note
    assert note.file == str(ROOT / "plans.md")


# -- the file says what the ledger says


def test_a_result_that_could_not_be_written_is_written_by_the_next_beat_or_plan() -> None:
    for look in (Stage.beat, Stage.plan_only):
        stage = Stage(actions(action("backup", "status: PENDING")))
        stage.files.is_open_in_editor = True
        stage.beat("16 10:00")
        stage.files.is_open_in_editor = False
        look(stage, "16 10:10")
        assert stage.status("backup") == "COMPLETED"
        assert "completed_at: 2026-11-16T10:00:00+01:00" in stage.files.text
        assert stage.ran == ["backup"]


def test_a_failure_that_could_not_be_written_is_in_the_frontmatter_once_it_can() -> None:
    stage = Stage(
        actions(
            action("backup"), header="version: 1\nstatus: idle\nerror_count: 0\nlast_error: null"
        )
    )
    stage.processes.endings["backup"] = 1
    stage.files.is_open_in_editor = True
    stage.beat("16 10:00")
    stage.files.is_open_in_editor = False
    stage.beat("16 10:01")
    shown = 'status: error\nerror_count: 1\nlast_error: "backup: exit code 1: did backup"\n'
    assert shown in stage.files.text
    assert "- status: FAILED\n" in stage.files.text

    stage.edit("- status: FAILED\n", "- status: RUNNING\n")
    stage.edit("- failed_at: 2026-11-16T10:00:00+01:00\n", "")
    stage.beat("16 10:02")
    assert "- status: FAILED\n" in stage.files.text
    assert shown in stage.files.text  # and is not counted a second time


def test_after_a_clock_was_set_back_it_is_the_last_run_that_the_file_shows() -> None:
    stage = Stage(actions(action("backup", "status: PENDING")))
    old = stage.files.text
    stage.beat("16 10:00")
    stage.processes.endings["backup"] = 1
    stage.run("15 10:00", "backup")
    stage.files.save(old)
    stage.beat("15 10:10")
    assert stage.status("backup") == "FAILED"
    assert "failed_at: 2026-11-15T10:00:00+01:00" in stage.files.text


@pytest.mark.parametrize("schedule", ["", "schedule: hourly"])
def test_running_does_not_survive_a_program_that_was_gone_before_it_wrote_the_result(
    schedule: str,
) -> None:
    stage = Stage(actions(action("backup", "status: PENDING", *filter(None, [schedule]))))
    stage.plan_only("16 09:30")
    stage.files.is_open_in_editor = True
    stage.beat("16 10:00")
    stage.files.is_open_in_editor = False
    stage.edit("status: PENDING", "status: RUNNING")  # what the beat had shown after two seconds
    stage.plan_only("16 10:10")
    assert stage.status("backup") == ("PENDING" if schedule else "COMPLETED")


def test_what_the_person_tidied_away_stays_away_until_the_next_run() -> None:
    stage = Stage(actions(action("backup", "status: PENDING"), action("poll", "schedule: hourly")))
    stage.beat("16 10:00")
    tidy = [
        line
        for line in stage.files.text.split("\n")
        if not line.startswith(("- completed_at", "- result"))
    ]
    stage.files.save("\n".join(tidy))
    stage.beat("16 10:10")
    stage.plan_only("16 10:20")
    assert stage.files.text == "\n".join(tidy)


@pytest.mark.parametrize("after", ["", "\n## Notes\n"])
def test_a_line_that_the_person_adds_during_the_beat_takes_no_place_from_what_was_completed(
    after: str,
) -> None:
    stage = Stage(actions(action("backup", "status: PENDING")) + after)

    def save(_: str) -> None:
        stage.files.save(stage.files.text + "milk\n")

    stage.processes.meanwhile = save
    stage.beat("16 10:00")
    assert stage.files.text.count("milk\n") == 1
    assert (
        stage.files.text.count("## Completed Today\n\n- [x] backup: did backup (10:00:00)\n") == 1
    )
    assert stage.files.writes == 1


def test_a_correction_between_beats_keeps_the_lines_of_today_and_adds_none_of_another_day() -> None:
    stage = Stage(
        actions(action("backup", "status: PENDING"), action("poll", "schedule: daily:09:00"))
    )
    old = stage.files.text
    stage.beat("15 09:00")
    stage.beat("16 09:00")
    completed = "## Completed Today" + stage.files.text.partition("## Completed Today")[2]
    assert "poll: did poll (09:00:00)" in completed
    stage.files.save(old + completed)
    stage.beat("16 09:10")
    assert stage.status("backup") == "COMPLETED"
    assert stage.files.text.endswith(completed)
