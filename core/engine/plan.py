"""Plans with what the ledger knows, and leaves the resident a note of when to wake next."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from core.engine.account import apply_consequences
from core.engine.announce import announce_news
from core.engine.approve import approvals_noted, inspect_approvals, unapproved
from core.engine.batch.model import ask_for_model, reviews_sent
from core.engine.local_time import local_time
from core.engine.missed import MissedBeside, missed_beside_a_beat
from core.engine.read import read_workspace
from core.engine.recover import close_left, recover
from core.engine.write_back import show_day, write_back, write_overdue_changes
from core.model.holder import Holder, Purpose
from core.model.item import ItemKind, item_key
from core.model.ledger import PlanNote
from core.model.light_dataclass import replace
from core.model.occurrence import FAILURES, BeatReason, IllegalTransitionError, Occurrence, Outcome
from core.model.plan import BeatRequest, Decision, Held, ModelHold, Plan, Planned
from core.model.report import ItemReport
from core.model.trouble import TroubleKey, TroubleKind
from core.model.waiting import Wait, WaitReason, wait_of
from core.model.workspace import Workspace
from core.ports.ledger import Ledger
from core.ports.world import World
from core.rules.announcing.announcer import forget
from core.rules.checking.progress import started_again
from core.rules.planning.order import LEFT
from core.rules.planning.plan import due_for_model, has_model_work, make_plan
from core.rules.planning.plan_input import PlanInput, schedules_of
from core.rules.residing.next_step import is_paused
from core.rules.timing.words.every import counted_from

if TYPE_CHECKING:
    from core.rules.planning.forecast import Start

NEVER_IN_TIME = "its time had already passed when it was first seen"
NOT_CAUGHT_UP = "it was not caught up"


def plan_now(
    world: World,
    workspace: Workspace,
    request: BeatRequest,
    now: datetime,
    *,
    remember: bool = True,
) -> Plan:
    """The plan for now, with work for a model and unapproved items held back if necessary."""
    given = plan_input(world, workspace, request, now, remember=remember)
    plan = make_plan(workspace, given)
    found = ask_for_model(world, request, plan.now) if due_for_model(workspace, plan) else None

    if isinstance(found, ModelHold):
        given = replace(given, model_hold=found)
        found = None
        plan = make_plan(workspace, given)

    reasons = unapproved(world, workspace, plan)
    if reasons:
        plan = make_plan(workspace, replace(given, unapproved=reasons))

    return replace(plan, model=found)


def plan_input(
    world: World,
    workspace: Workspace,
    request: BeatRequest,
    now: datetime,
    *,
    remember: bool = True,
) -> PlanInput:
    """Everything a plan is made from, as if a model were set up. With `remember`, new items are
    recorded as first seen now."""
    # What the first plan of the resident sees was there when it started.
    seen = (
        request.resident_start
        if request.reason is BeatReason.STARTUP and request.resident_start
        else now
    )
    left = _left(world.ledger) if workspace.document.actions else {}
    return PlanInput(
        now=now,
        zone=world.clock.zone(),
        request=request,
        settings=world.settings,
        past=world.ledger.items.see(schedules_of(workspace), seen)
        if remember
        else world.ledger.items.all(),
        last_tick=world.ledger.plan.tick_anchor(),
        progress=world.ledger.tasks.progress(),
        postponed=_postponed(world.ledger) if has_model_work(workspace) else {},
        left=left,
        running=[
            item
            for item, why in left.items()
            if why.reason is WaitReason.STILL_RUNNING and world.background.is_running(item)
        ],
        reviews_sent=reviews_sent(world, local_time(world, now, workspace))
        if workspace.document.review
        else 0,
    )


def _postponed(ledger: Ledger) -> dict[str, datetime]:
    return {
        row.item: row.slot
        for row in ledger.occurrences.waiting()
        if wait_of(row.why) is WaitReason.ONCE_A_MINUTE
    }


def _left(ledger: Ledger) -> dict[str, Wait]:
    return {
        row.item: row.why
        for row in ledger.occurrences.waiting()
        if isinstance(row.why, Wait) and row.why.reason in (*LEFT, WaitReason.STILL_RUNNING)
    }


def foresee(world: World, workspace: Workspace, length: timedelta) -> "list[Start]":
    """Every start that would happen by itself. A pause delays them until its end, when what was
    due is caught up on."""
    from core.rules.planning.forecast import simulate  # imported here: no beat needs it

    now = world.clock.now()
    pause = world.ledger.requests.paused()
    begin = pause.until if pause and is_paused(pause, now) else now
    if begin is None or begin >= now + length or not world.settings.enabled:
        return []

    given = plan_input(world, workspace, BeatRequest(BeatReason.TIMER), begin, remember=False)
    return simulate(workspace, given, now + length - begin)


def record_what_waits(world: World, plan: Plan) -> tuple[ItemReport, ...]:
    """Record what is due but held back, what was missed, and what counts from now. Report what
    is held back, and what will never run."""
    reports: list[ItemReport] = []
    anchor = world.ledger.plan.tick_anchor()
    if anchor and anchor > plan.now:  # the clock was set back
        world.ledger.plan.set_tick_anchor(plan.now)

    beside = missed_beside_a_beat(world, plan)
    past = world.ledger.items.all() if any(item.missed for item in plan.items) else {}
    for item in plan.items:
        if item.counts_from:
            world.ledger.items.count_from(item.key, item.counts_from)

        if item.missed:
            was_past = item.missed < past[item.key].first_seen
            reason = NEVER_IN_TIME if was_past else _why_missed(item, beside)
            _record_missed(world, item, item.missed, reason, plan.now)
            if was_past:
                reports.append(ItemReport(item.id, item.kind, Outcome.SKIPPED, item.why))
        elif item.key in beside:
            missed = beside[item.key]
            # The slot that starts now settles all of them, so none is used up here.
            _record_missed(world, item, missed.slot, missed.reason, plan.now, uses_slot=False)

        if isinstance(item.because, Held) and item.slot:
            outcome = item.because.outcome
            waits = item.because.wait
            with suppress(IllegalTransitionError):
                world.ledger.occurrences.wait(
                    occurrence_of(item, item.slot), outcome, waits, plan.now
                )

            reports.append(ItemReport(item.id, item.kind, outcome, waits))

    return tuple(reports)


def _why_missed(item: Planned, beside: Mapping[str, MissedBeside]) -> str:
    return beside[item.key].reason if item.key in beside else NOT_CAUGHT_UP


def _record_missed(
    world: World,
    item: Planned,
    slot: datetime,
    reason: str,
    now: datetime,
    *,
    uses_slot: bool = True,
) -> None:
    # Recorded before: by a plan before this beat, or by a clock that was far ahead.
    with suppress(IllegalTransitionError):
        world.ledger.occurrences.miss(occurrence_of(item, slot), reason, now, uses_slot=uses_slot)


def skipped_by_name(plan: Plan, request: BeatRequest) -> tuple[ItemReport, ...]:
    """What the person asked for by name and does not run, with the reason."""
    named = [
        one
        for one in plan.items
        if one.decision is Decision.SKIP and {one.id, one.key} & set(request.items)
    ]
    return tuple(ItemReport(one.id, one.kind, Outcome.SKIPPED, one.why) for one in named)


def record_tick(world: World, plan: Plan, ended: Sequence[Occurrence] = ()) -> None:
    """Record the tick if any item follows the ticks, as whatever a beat leaves undone does."""
    follows = any(item.slot == plan.tick for item in plan.items) or any(
        wait_of(one.why) in LEFT for one in ended
    )
    if plan.tick and follows:
        world.ledger.plan.set_tick_anchor(
            counted_from(world.settings.interval, plan.tick, plan.now)
        )


def occurrence_of(item: Planned, slot: datetime, beat: int = 0) -> Occurrence:
    return Occurrence(item.key, item.kind, slot, beat, item.why, item.attempt)


def note_plan(world: World, workspace: Workspace, plan: Plan) -> datetime | None:
    """Leave a note for the resident that says when to wake. Nothing is written where the
    note says the same already."""
    wake = plan.now if plan.runs and world.settings.enabled else plan.next_wake
    approvals = approvals_noted(world, workspace)
    note = PlanNote(
        made=plan.now,
        next_wake=wake,
        file=str(workspace.file),
        timezone=workspace.document.frontmatter.text("timezone") or "",
        is_enabled=world.settings.enabled,
        errors=sum(found.severity == "error" for found in workspace.diagnostics),
        is_refused=workspace.document.refused,
        approvals_waiting=approvals.waiting,
        unapproved=approvals.names,
        scripts=approvals.scripts,
    )

    known = world.ledger.plan.note()
    if known is None or replace(known, made=note.made) != note:
        world.ledger.plan.save(note)

    return wake


def retry(ledger: Ledger, identifier: str, now: datetime) -> bool:
    """Let every item of this id start again; whether any had failed."""
    past = ledger.items.all()
    progress = ledger.tasks.progress()
    known = [past[key] for kind in ItemKind if (key := item_key(kind, identifier)) in past]
    failed = [one.item for one in known if one.last_outcome in FAILURES]

    for key in failed:
        ledger.items.start_over(key, now)

    tried = any(one.task_id == identifier and one.attempts for one in progress.tasks)
    if tried:
        ledger.tasks.save(started_again(progress, identifier))
        exhausted = TroubleKey(TroubleKind.EXHAUSTED, item_key(ItemKind.TASK, identifier))
        ledger.announcements.save(forget(ledger.announcements.current(), [exhausted]))

    return tried or bool(failed)


def plan_only(world: World, request: BeatRequest) -> Plan | Holder:
    """Read, recover after a crash, and decide when to wake: what a start of the resident
    and a change of a file ask for."""
    now = world.clock.now()
    held = world.lock.acquire(Purpose.PLAN, now)
    if isinstance(held, Holder):
        return held

    with held:
        world.identity.note()
        workspace = read_workspace(world)
        now = local_time(world, now, workspace)
        world, workspace = apply_consequences(world, workspace, now)
        recovery = recover(world, workspace, now)
        inspect_approvals(world, workspace, now)
        plan = plan_now(world, workspace, request, now)
        waiting = record_what_waits(world, plan)
        next_wake = note_plan(world, workspace, plan)

        if recovery:
            write_back(world, workspace, workspace.snapshot, recovery.ended, now, next_wake)
            show_day(world, now)
            close_left(world, recovery, now)
        else:
            write_overdue_changes(world, workspace, now, next_wake)

        announce_news(
            world, workspace, request, waiting, now
        )  # a file that is refused never makes a beat due
        return plan
