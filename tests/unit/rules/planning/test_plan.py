"""What a plan decides: one test per sentence of the rules; the ledger's memory is given."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from core.kinds import read_document
from core.model.document import Prompt
from core.model.ledger import ItemPast
from core.model.occurrence import BeatReason, Outcome
from core.model.plan import BeatRequest, Decision, ModelHold, Plan, Planned
from core.model.settings import Settings
from core.model.waiting import Wait, WaitReason
from core.model.workspace import Workspace
from core.rules.planning.attempts import retry_after
from core.rules.planning.plan import make_plan
from core.rules.planning.plan_input import PlanInput, schedules_of
from core.rules.reading.prompts import read_prompt
from tests.stage import BERLIN, action, actions, at

NEW_YORK = ZoneInfo("America/New_York")
BY_TIMER = BeatRequest(BeatReason.TIMER)
BY_PERSON = BeatRequest(BeatReason.PERSON)
TASK = "## Tasks\n\n- [ ] tidy | Tidy up | run: tidy-up\n"


def workspace(text: str, *prompts: Prompt) -> Workspace:
    document = read_document(text.encode())
    return Workspace(Path("/w"), Path("/w/HEARTBEAT.md"), document, prompts, document.diagnostics)


def prompt(identifier: str, *lines: str) -> Prompt:
    text = "\n".join(["---", f"title: {identifier}", *lines, "---", "Do it.", ""])
    found = read_prompt(identifier, text.encode()).prompt
    assert found
    return found


def by_name(*items: str) -> BeatRequest:
    return BeatRequest(BeatReason.PERSON, items)


def known(item: str, schedule: str = "", seen: str = "01 00:00", **more: Any) -> ItemPast:
    return ItemPast(item, schedule, at(seen), **more)


def plan(
    text: str,
    now: str,
    *memory: ItemPast,
    request: BeatRequest = BY_TIMER,
    settings: Settings | None = None,
    prompts: tuple[Prompt, ...] = (),
    **more: Any,
) -> Plan:
    given = PlanInput(
        at(now), BERLIN, request, settings or Settings(), {one.item: one for one in memory}, **more
    )
    return make_plan(workspace(text, *prompts), given)


def decide(text: str, now: str, *memory: ItemPast, **more: Any) -> Planned:
    """The decision about the only item."""
    (item,) = plan(text, now, *memory, **more).items
    return item


def ran(
    item: str, schedule: str, slot: str, outcome: Outcome = Outcome.COMPLETED, **more: Any
) -> ItemPast:
    """It was started at this slot, and ended at once."""
    instant = at(slot)
    return known(
        item,
        schedule,
        last_start=instant,
        last_slot=instant,
        last_slot_zone=instant.tzinfo,
        last_finished=instant,
        last_outcome=outcome,
        attempts=1 if outcome is Outcome.FAILED else 0,
        **more,
    )


# -- ticks


def test_the_first_tick_comes_at_once() -> None:
    item = decide(TASK, "16 10:00")
    assert (item.decision, item.slot, item.reason) == (
        Decision.RUN,
        at("16 10:00"),
        "the first tick",
    )
    assert item.next == at("16 10:30")


@pytest.mark.parametrize(
    ("now", "decision", "following"),
    [
        ("16 10:29:59", Decision.WAIT, "16 10:30"),
        ("16 10:30:00", Decision.RUN, "16 11:00"),
        ("16 10:30:30", Decision.RUN, "16 11:00"),  # a little late keeps the rhythm
        ("16 10:31:00", Decision.RUN, "16 11:01"),  # later begins a new one
        ("19 12:00:00", Decision.RUN, "19 12:30"),  # and what was missed comes once
    ],
)
def test_items_without_a_schedule_are_due_at_every_tick_of_the_interval(
    now: str, decision: Decision, following: str
) -> None:
    item = decide(TASK, now, last_tick=at("16 10:00"))
    assert (item.decision, item.next) == (decision, at(following))
    assert item.slot == (at("16 10:30") if decision is Decision.RUN else None)


def test_the_interval_is_the_persons() -> None:
    hourly = Settings(interval=timedelta(hours=1))
    assert decide(TASK, "16 10:30", last_tick=at("16 10:00"), settings=hourly).next == at(
        "16 11:00"
    )


@pytest.mark.parametrize("text", ["just words\n", "## Proactive Review\n\nIs anything urgent?\n"])
def test_the_plain_file_and_the_review_follow_the_ticks(text: str) -> None:
    waiting = plan(text, "16 10:10", last_tick=at("16 10:00")).items[-1]
    assert (waiting.decision, waiting.next) == (Decision.WAIT, at("16 10:30"))
    due = plan(text, "16 10:30", last_tick=at("16 10:00")).items[-1]
    assert (due.decision, due.slot) == (Decision.RUN, at("16 10:30"))


def test_prompts_follow_the_ticks_and_with_a_schedule_their_slots() -> None:
    prompts = (prompt("news"), prompt("mail", "schedule: daily:09:00"))
    found = plan("", "16 10:10", last_tick=at("16 10:00"), prompts=prompts).items
    assert [(item.decision, item.next) for item in found] == [
        (Decision.WAIT, at("16 10:30")),
        (Decision.WAIT, at("17 09:00")),
    ]


def test_a_slot_between_the_ticks_brings_nothing_else_with_it() -> None:
    text = TASK + "- [ ] mail | Read it | run: mail | schedule: daily:10:10\n"
    tidy, mail = plan(
        text, "16 10:10", known("task:mail", "daily:10:10"), last_tick=at("16 10:00")
    ).items
    assert tidy.decision is Decision.WAIT
    assert (mail.decision, mail.slot) == (Decision.RUN, at("16 10:10"))


def test_a_tick_brings_no_item_with_a_schedule_along() -> None:
    text = TASK + "- [ ] mail | Read it | run: mail | schedule: daily:10:40\n"
    tidy, mail = plan(text, "16 10:30", last_tick=at("16 10:00")).items
    assert (tidy.decision, mail.decision) == (Decision.RUN, Decision.WAIT)


def test_a_heartbeat_run_is_a_tick() -> None:
    item = decide(TASK, "16 10:10", last_tick=at("16 10:00"), request=BY_PERSON)
    assert (item.decision, item.slot, item.reason) == (
        Decision.RUN,
        at("16 10:10"),
        "you asked for a beat",
    )


def test_a_heartbeat_run_makes_no_schedule_due() -> None:
    memory = ran("action:backup", "daily:09:00", "16 09:00")
    item = decide(
        actions(action("backup", "schedule: daily:09:00")), "16 10:10", memory, request=BY_PERSON
    )
    assert (item.decision, item.next) == (Decision.WAIT, at("17 09:00"))


def test_a_tick_outside_the_active_hours_waits_for_them() -> None:
    text = f"---\nactive: 09:00-18:00\n---\n{TASK}"
    item = decide(text, "16 20:00", last_tick=at("16 17:40"))
    assert (item.decision, item.slot, item.next) == (Decision.WAIT, None, at("17 09:00"))


# -- heartbeat run ID


@pytest.mark.parametrize(
    ("name", "memory"),
    [
        ("not due", ran("action:backup", "daily:09:00", "16 09:00")),
        (
            "failed, with a retry later",
            ran("action:backup", "daily:09:00", "16 09:00", Outcome.FAILED),
        ),
    ],
)
def test_a_run_by_name_ignores_the_schedule_and_the_retry_delay(
    name: str, memory: ItemPast
) -> None:
    text = actions(action("backup", "schedule: daily:09:00", "retry: 3"))
    memory = replace(memory, retry_at=at("16 10:15") if memory.attempts else None)
    item = decide(text, "16 10:10", memory, request=by_name("backup"))
    assert (item.decision, item.slot, item.reason) == (
        Decision.RUN,
        at("16 10:10"),
        "you asked for it",
    )


@pytest.mark.parametrize("name", ["backup", "action:backup"])
def test_a_run_by_name_ignores_the_active_hours(name: str) -> None:
    text = actions(action("backup", "schedule: daily:09:00"), header="active: 09:00-18:00")
    memory = ran("action:backup", "daily:09:00", "16 09:00")
    assert decide(text, "16 20:00", memory, request=by_name(name)).decision is Decision.RUN


def test_a_run_by_name_runs_a_one_time_action_that_is_done() -> None:
    memory = ran("action:backup", "", "15 09:00")
    text = actions(action("backup", "status: COMPLETED"))
    assert decide(text, "16 20:00", memory).decision is Decision.SKIP
    assert decide(text, "16 20:00", memory, request=by_name("backup")).decision is Decision.RUN


def test_a_run_by_name_counts_as_the_attempt_that_was_waited_for() -> None:
    memory = ran("action:backup", "", "16 09:00", Outcome.FAILED)
    text = actions(action("backup", "retry: 3"))
    pending = replace(memory, attempts=2, retry_at=at("16 09:30"))
    assert decide(text, "16 09:10", pending, request=by_name("backup")).attempt == 3
    exhausted = replace(memory, attempts=3, retry_at=None)
    assert decide(text, "16 09:10", exhausted, request=by_name("backup")).attempt == 1


def test_a_run_by_name_never_ignores_a_tick_in_the_box() -> None:
    text = (
        "## Tasks\n\n- [x] tidy | Tidy up | run: tidy-up\n- [x] mail | Mail | run: m | "
        "schedule: daily:09:00\n"
    )
    for item in plan(text, "16 10:00", request=by_name("tidy", "mail")).items:
        assert (item.decision, item.reason) == (Decision.SKIP, "it is ticked; untick it to run it")


def test_a_run_by_name_never_ignores_what_is_unclear() -> None:
    item = decide(
        actions(action("backup", "schedule: dayly:09:00")), "16 10:00", request=by_name("backup")
    )
    assert (item.decision, item.held_as) == (Decision.BLOCKED, Outcome.NEEDS_CLARIFICATION)


def test_a_run_by_name_brings_nothing_else_with_it() -> None:
    text = (
        actions(action("backup"), action("report", "schedule: daily:09:00"), action("again")) + TASK
    )
    memory = known("action:report", "daily:09:00")
    found = plan(text, "16 10:00", memory, request=by_name("backup")).items
    assert [item.decision for item in found] == [
        Decision.RUN,
        Decision.WAIT,
        Decision.WAIT,
        Decision.WAIT,
    ]
    assert {item.reason for item in found[1:]} == {"you asked for other items"}


# -- a task


def test_a_ticked_task_does_not_run() -> None:
    for box in ("[x]", "[X]"):
        item = decide(f"## Tasks\n\n- {box} tidy | Tidy up | run: tidy-up\n", "16 10:00")
        assert (item.decision, item.held_as) == (Decision.SKIP, None)


def test_what_needs_a_model_waits_for_one_and_is_recorded_as_such() -> None:
    none = ModelHold(Outcome.NEEDS_MODEL, Wait(WaitReason.NO_MODEL, ("none",)))
    item = decide("## Tasks\n\n- [ ] tidy | Tidy up\n", "16 10:00", model_hold=none)
    assert (item.decision, item.held_as) == (Decision.BLOCKED, Outcome.NEEDS_MODEL)
    assert decide("## Tasks\n\n- [ ] tidy | Tidy up\n", "16 10:00").decision is Decision.RUN
    assert (
        decide("## Tasks\n\n- [ ] tidy | Tidy up\n", "16 10:00", last_tick=at("16 09:55")).held_as
        is None
    )


# -- one-time actions


@pytest.mark.parametrize(
    ("status", "decision"),
    [
        ("", Decision.RUN),
        ("PENDING", Decision.RUN),
        ("SKIPPED", Decision.RUN),  # looked at again at the next tick
        ("NEEDS_CLARIFICATION", Decision.RUN),  # it was fixed: it is clear now
        ("COMPLETED", Decision.SKIP),
        ("FAILED", Decision.SKIP),
        ("RUNNING", Decision.SKIP),
    ],
)
def test_an_action_that_never_ran_here_does_what_its_status_says(
    status: str, decision: Decision
) -> None:
    item = decide(
        actions(action("backup", f"status: {status}")),
        "16 10:00",
        known("action:backup", seen="16 09:55"),
    )
    assert item.decision is decision
    assert item.slot == (at("16 09:55") if decision is Decision.RUN else None)


def test_an_action_that_a_clock_ahead_has_seen_first_does_not_start_before_its_slot() -> None:
    item = decide(actions(action("backup")), "16 10:00", known("action:backup", seen="18 10:00"))
    assert (item.decision, item.slot) == (Decision.RUN, at("16 10:00"))


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (Outcome.COMPLETED, "it is done"),
        (Outcome.FAILED, "it failed; to run it again: heartbeat retry backup, or write PENDING"),
        (
            Outcome.INTERRUPTED,
            "it was interrupted; to run it again: heartbeat retry backup, or write PENDING",
        ),
        (Outcome.SKIPPED, "it was undone; to run it again: heartbeat run backup"),
    ],
)
@pytest.mark.parametrize("status", ["PENDING", "COMPLETED", "FAILED", "RUNNING", "SKIPPED"])
def test_an_action_without_a_schedule_runs_once_whatever_an_old_copy_of_the_file_says(
    outcome: Outcome, reason: str, status: str
) -> None:
    memory = ran("action:backup", "", "16 09:00", outcome)
    item = decide(actions(action("backup", f"status: {status}")), "16 10:00", memory)
    if (outcome, status) == (Outcome.COMPLETED, "PENDING"):
        reason = "it has run; to run it again: heartbeat run backup"
    assert (item.decision, item.reason, item.next) == (Decision.SKIP, reason, None)


@pytest.mark.parametrize("schedule", ["", "at:2026-11-16T09:00"])
@pytest.mark.parametrize("outcome", [Outcome.COMPLETED, Outcome.FAILED, Outcome.INTERRUPTED])
@pytest.mark.parametrize(
    ("line", "runs"),
    [
        ("completed_at: 2026-11-16T08:00:00Z", True),
        ("failed_at: 2026-11-16T08:00:00Z", True),
        ("failed_at: 2026-11-15T08:00:00Z", False),  # an old copy, from before the last run
        ("completed_at: 2026-11-15T08:00:00Z", False),
        ("result: OK", False),
    ],
)
def test_pending_with_the_instant_of_the_last_run_means_again(
    schedule: str, outcome: Outcome, line: str, runs: bool
) -> None:
    memory = ran("action:backup", schedule, "16 09:00", outcome)
    text = actions(
        action("backup", "status: PENDING", line, *([f"schedule: {schedule}"] if schedule else []))
    )
    item = decide(text, "16 10:00", memory)
    assert item.decision is (Decision.RUN if runs else Decision.SKIP)
    assert (item.reason == "you wrote PENDING again") is runs
    assert item.attempt == 1


@pytest.mark.parametrize("status", ["COMPLETED", "FAILED", "RUNNING", "SKIPPED"])
def test_only_pending_asks_for_another_run(status: str) -> None:
    memory = ran("action:backup", "", "16 09:00")
    text = actions(action("backup", f"status: {status}", "completed_at: 2026-11-16T08:00:00Z"))
    assert decide(text, "16 10:00", memory).decision is Decision.SKIP


@pytest.mark.parametrize("schedule", ["", "at:2026-11-16T09:00"])
def test_another_run_that_the_person_asked_for_waits_for_the_active_hours(schedule: str) -> None:
    memory = ran("action:backup", schedule, "16 09:00")
    lines = [
        "status: PENDING",
        "completed_at: 2026-11-16T08:00:00Z",
        *([f"schedule: {schedule}"] if schedule else []),
    ]
    text = actions(action("backup", *lines), header="active: 09:00-18:00")
    night = decide(text, "16 20:00", memory)
    assert (night.decision, night.next, night.held_as) == (
        Decision.WAIT,
        at("17 09:00"),
        Outcome.WAITING,
    )
    assert decide(text, "17 09:00", memory).decision is Decision.RUN


def test_a_recurring_action_that_failed_runs_again_where_the_person_wrote_pending() -> None:
    lines = ["schedule: daily:09:00", "status: PENDING", "failed_at: 2026-11-16T08:00:00Z"]
    failed = ran("action:backup", "daily:09:00", "16 09:00", Outcome.FAILED)
    item = decide(actions(action("backup", *lines)), "16 10:00", failed)
    assert (item.decision, item.reason) == (Decision.RUN, "you wrote PENDING again")
    assert item.next == at("17 09:00")


def test_a_recurring_action_that_succeeded_shows_pending_and_waits_for_its_slot() -> None:
    lines = ["schedule: daily:09:00", "status: PENDING", "completed_at: 2026-11-16T08:00:00Z"]
    item = decide(
        actions(action("backup", *lines)),
        "16 10:00",
        ran("action:backup", "daily:09:00", "16 09:00"),
    )
    assert (item.decision, item.next) == (Decision.WAIT, at("17 09:00"))


@pytest.mark.parametrize("schedule", ["", "schedule: at:2026-11-16T07:00"])
def test_an_action_that_loses_its_schedule_replays_nothing(schedule: str) -> None:
    """The program itself wrote PENDING beside completed_at while the action was recurring."""
    lines = ["status: PENDING", "completed_at: 2026-11-16T08:00:00Z", *filter(None, [schedule])]
    changed = replace(ran("action:backup", "", "16 09:00"), first_seen=at("16 09:30"))
    assert decide(actions(action("backup", *lines)), "16 10:00", changed).decision is Decision.SKIP


# -- retries


@pytest.mark.parametrize(
    ("delay", "waits"),
    [
        ("30s", ["30s", "60s", "120s", "240s", "480s", "900s", "900s"]),
        ("10m", ["600s", "900s", "900s"]),
        ("2h", ["7200s", "7200s"]),  # the person's own is never shortened
    ],
)
def test_the_delay_before_a_retry_doubles_up_to_a_quarter_of_an_hour(
    delay: str, waits: list[str]
) -> None:
    (one,) = workspace(actions(action("backup", f"retry_delay: {delay}"))).document.actions
    found = [retry_after(one, attempt) for attempt in range(1, len(waits) + 1)]
    assert [f"{wait.total_seconds():.0f}s" for wait in found] == waits
    assert retry_after(one, 100) == found[-1]


@pytest.mark.parametrize("schedule", ["", "daily:09:00", "at:2026-11-16T09:00"])
def test_a_failed_action_with_attempts_left_is_due_again_after_the_delay(schedule: str) -> None:
    text = actions(
        action(
            "backup", "retry: 3", "status: FAILED", *([f"schedule: {schedule}"] if schedule else [])
        )
    )
    memory = ran("action:backup", schedule, "16 09:00", Outcome.FAILED, retry_at=at("16 09:00:30"))
    before = decide(text, "16 09:00:29", memory)
    assert (before.decision, before.next) == (Decision.WAIT, at("16 09:00:30"))
    after = decide(text, "16 09:05", memory)
    assert (after.decision, after.slot, after.attempt) == (Decision.RUN, at("16 09:00:30"), 2)


def test_without_attempts_left_a_recurring_action_waits_for_its_next_slot() -> None:
    memory = replace(ran("action:backup", "daily:09:00", "16 09:00", Outcome.FAILED), attempts=3)
    text = actions(action("backup", "retry: 3", "schedule: daily:09:00", "status: FAILED"))
    assert decide(text, "16 23:00", memory).next == at("17 09:00")
    following = decide(text, "17 09:00", memory)
    assert (following.decision, following.attempt) == (Decision.RUN, 1)


def test_the_next_slot_comes_before_a_retry_that_is_due_at_the_same_time() -> None:
    memory = ran("action:backup", "hourly", "16 09:00", Outcome.FAILED, retry_at=at("16 10:00"))
    item = decide(actions(action("backup", "retry: 3", "schedule: hourly")), "16 10:00:05", memory)
    assert (item.decision, item.slot, item.attempt) == (Decision.RUN, at("16 10:00"), 1)


def test_a_retry_waits_for_the_active_hours() -> None:
    memory = ran("action:backup", "", "16 17:59:50", Outcome.FAILED, retry_at=at("16 18:00:20"))
    text = actions(action("backup", "retry: 3"), header="active: 09:00-18:00")
    item = decide(text, "16 18:00:20", memory)
    assert (item.decision, item.next, item.held_as) == (
        Decision.WAIT,
        at("17 09:00"),
        Outcome.WAITING,
    )


def test_a_slot_outside_the_active_hours_stays_held_while_a_failure_waits_for_its_retry() -> None:
    memory = ran("action:backup", "every:10m", "16 17:59", Outcome.FAILED, retry_at=at("16 18:14"))
    lines = ["schedule: every:10m", "retry: 3", "retry_delay: 15m"]
    text = actions(action("backup", *lines), header="active: 09:00-18:00")
    item = decide(text, "16 18:10", memory)
    assert (item.decision, item.held_as) == (Decision.WAIT, Outcome.WAITING)
    assert item.slot == at("16 18:09")
    assert item.why == Wait(WaitReason.RETRY)
    assert item.reason == "it failed and is tried again later"
    assert item.next == at("16 18:14")


@pytest.mark.parametrize("schedule", ["", "schedule: daily:09:00"])
def test_a_retry_that_the_person_took_back_is_not_made(schedule: str) -> None:
    """`retry` was 3 when it failed, and is 1 now."""
    lines = ["status: FAILED", *filter(None, [schedule])]
    memory = ran("action:backup", "", "16 09:00", Outcome.FAILED, retry_at=at("16 09:00:30"))
    assert (
        decide(actions(action("backup", *lines)), "16 09:05", memory).decision is not Decision.RUN
    )


@pytest.mark.parametrize("schedule", ["", "daily:09:00"])
def test_a_retry_by_a_clock_that_was_ahead_by_days_is_not_waited_for(schedule: str) -> None:
    text = actions(action("backup", "retry: 3", *([f"schedule: {schedule}"] if schedule else [])))
    memory = ran("action:backup", schedule, "20 09:00", Outcome.FAILED, retry_at=at("20 09:00:30"))
    item = decide(text, "16 10:00", memory)
    assert (item.decision, item.slot, item.attempt) == (Decision.RUN, at("16 10:00"), 2)
    a_little = ran(
        "action:backup", schedule, "16 11:00", Outcome.FAILED, retry_at=at("16 11:00:30")
    )
    assert decide(text, "16 10:00", a_little).next == at("16 11:00:30")


# -- schedules, zone and active hours of the file


def test_the_zone_of_the_file_wins_over_that_of_the_system() -> None:
    text = actions(action("backup", "schedule: daily:09:00"), header="timezone: America/New_York")
    item = decide(text, "16 10:00", known("action:backup", "daily:09:00"))
    assert item.slot == datetime(2026, 11, 15, 9, tzinfo=NEW_YORK)
    assert item.next == datetime(2026, 11, 16, 9, tzinfo=NEW_YORK)


@pytest.mark.parametrize("header", ["timezone: Europe/Berlim", "active: whenever"])
def test_a_zone_or_active_hours_that_cannot_be_read_hold_everything_with_a_time_back(
    header: str,
) -> None:
    text = actions(action("backup", "schedule: daily:09:00"), header=header) + TASK
    for item in plan(text, "16 10:00", known("action:backup", "daily:09:00")).items:
        assert (item.decision, item.held_as) == (Decision.BLOCKED, Outcome.NEEDS_CLARIFICATION)


@pytest.mark.parametrize(
    "expression", ["every:5 m", "daily:25:00", "at:tomorrow", "cron:'* * *'", "sometimes"]
)
def test_an_expression_that_cannot_be_read_needs_clarification_and_never_runs(
    expression: str,
) -> None:
    text = actions(
        action("backup", f"schedule: {expression}"), action("report", "schedule: daily:09:00")
    )
    backup, report = plan(text, "16 10:00", known("action:report", "daily:09:00")).items
    assert (backup.decision, backup.held_as) == (Decision.BLOCKED, Outcome.NEEDS_CLARIFICATION)
    assert report.decision is Decision.RUN


@pytest.mark.parametrize("asked", [BY_TIMER, BY_PERSON], ids=["timer", "heartbeat run"])
@pytest.mark.parametrize(
    ("text", "memory"),
    [
        (action("backup"), known("action:backup")),
        (action("backup", "schedule: daily:09:00"), known("action:backup", "daily:09:00")),
        (
            action("backup", "retry: 2"),
            ran("action:backup", "", "16 17:00", Outcome.FAILED, retry_at=at("16 17:00:30")),
        ),
    ],
    ids=["once", "daily", "retry"],
)
def test_only_a_name_starts_anything_outside_the_active_hours(
    text: str, memory: ItemPast, asked: BeatRequest
) -> None:
    document = actions(text, header="active: 09:00-18:00")
    item = decide(document, "16 20:00", memory, request=asked)
    assert (item.decision, item.next, item.held_as) == (
        Decision.WAIT,
        at("17 09:00"),
        Outcome.WAITING,
    )
    assert decide(document, "16 20:00", memory, request=by_name("backup")).decision is Decision.RUN


@pytest.mark.parametrize(("now", "when"), [("16 08:00", "09:00"), ("16 19:00", "Tue 17 Nov 09:00")])
def test_the_day_on_which_the_active_hours_begin_is_named_where_it_is_another(
    now: str, when: str
) -> None:
    item = decide(actions(action("backup"), header="active: 09:00-18:00"), now)
    assert item.reason.endswith(f"waits for the active hours at {when}")


def test_a_heartbeat_run_outside_the_active_hours_waits_like_a_tick() -> None:
    item = decide(
        f"---\nactive: 09:00-18:00\n---\n{TASK}",
        "16 20:00",
        last_tick=at("16 17:40"),
        request=BY_PERSON,
    )
    assert (item.decision, item.next, item.held_as) == (
        Decision.WAIT,
        at("17 09:00"),
        Outcome.WAITING,
    )


def test_a_one_time_action_waits_for_the_active_hours() -> None:
    text = actions(action("backup"), header="active: 09:00-18:00 mon-fri")
    item = decide(text, "20 18:00", known("action:backup"))
    assert (item.decision, item.next, item.held_as) == (
        Decision.WAIT,
        at("23 09:00"),
        Outcome.WAITING,
    )
    assert decide(text, "23 09:00", known("action:backup")).decision is Decision.RUN


def test_travelling_west_brings_no_second_run_on_the_same_date() -> None:
    memory = ran("action:backup", "daily:09:00", "16 09:00")
    text = actions(action("backup", "schedule: daily:09:00"))
    now = datetime(2026, 11, 16, 9, 0, 5, tzinfo=NEW_YORK)
    given = PlanInput(now, NEW_YORK, BY_TIMER, Settings(), {memory.item: memory})
    (item,) = make_plan(workspace(text), given).items
    assert (item.decision, item.next) == (Decision.WAIT, datetime(2026, 11, 17, 9, tzinfo=NEW_YORK))


def test_a_missed_slot_that_is_not_made_up_for_is_noted_for_the_ledger() -> None:
    text = actions(action("backup", "schedule: daily:09:00"))
    item = decide(
        text, "16 10:00", known("action:backup", "daily:09:00"), settings=Settings(catch_up="skip")
    )
    assert (item.decision, item.missed) == (Decision.WAIT, at("16 09:00"))


def test_startup_runs_once_per_start_of_the_resident_and_not_by_hand() -> None:
    text = actions(action("hello", "schedule: startup"))
    memory = known("action:hello", "startup")
    started = BeatRequest(BeatReason.STARTUP, resident_start=at("16 08:00"))
    assert decide(text, "16 08:00:05", memory, request=started).slot == at("16 08:00")
    assert decide(text, "16 08:00:05", memory, request=BY_PERSON).decision is Decision.SKIP
    done = ran("action:hello", "startup", "16 08:00")
    assert decide(text, "16 12:00", done, request=started).decision is Decision.SKIP
    assert (
        decide(text, "15 12:00", done, request=started).decision is Decision.SKIP
    )  # the clock was set back by 20 h


# -- the plan as a whole


def test_the_next_wake_is_the_earliest_of_all_items() -> None:
    text = actions(
        action("a", "schedule: daily:12:00"), action("b", "schedule: daily:11:00"), action("c")
    )
    memory = (
        known("action:a", "daily:12:00", "16 09:00"),
        known("action:b", "daily:11:00", "16 09:00"),
    )
    assert plan(text, "16 10:00", *memory, ran("action:c", "", "16 09:00")).next_wake == at(
        "16 11:00"
    )


def test_what_only_the_person_can_fix_wakes_nobody() -> None:
    assert plan(actions(action("a", "schedule: dayly:12:00")), "16 10:00").next_wake is None


def test_where_it_is_switched_off_nothing_wakes_it() -> None:
    text = actions(action("a", "schedule: daily:12:00"))
    assert plan(text, "16 10:00", settings=Settings(enabled=False)).next_wake is None


def test_an_empty_file_has_a_plan_with_nothing_in_it() -> None:
    for text in ("", "\n", "# Notes\n"):
        made = plan(text, "16 10:00")
        assert (made.items, made.next_wake, made.late) == ((), None, False)


def test_a_plan_that_makes_up_for_something_is_late() -> None:
    text = actions(action("a", "schedule: daily:09:00"))
    assert plan(text, "16 10:00", known("action:a", "daily:09:00")).late
    assert not plan(text, "16 09:00:05", known("action:a", "daily:09:00")).late


def test_a_second_action_with_the_same_id_changes_nothing_for_the_first() -> None:
    text = actions(action("a", "schedule: daily:09:00"), action("a", "schedule: hourly"))
    item, second = plan(text, "16 10:00", known("action:a", "daily:09:00")).items
    assert (item.decision, item.slot) == (Decision.RUN, at("16 09:00"))
    assert second.decision is Decision.BLOCKED
    assert schedules_of(workspace(text)) == {"action:a": "daily:09:00"}


def test_schedules_are_remembered_as_one_way_of_writing_them() -> None:
    text = (
        actions(action("a", "schedule: EVERY:60m"), action("b"), action("c", "schedule: nonsense"))
        + TASK
    )
    found = schedules_of(workspace(text, prompt("mail", "schedule: weekly:thu,mon:09:00")))
    assert found == {
        "action:a": "every:1h",
        "action:b": "",
        "action:c": "unreadable",
        "task:tidy": "",
        "prompt:mail": "weekly:mon,thu:09:00",
    }
