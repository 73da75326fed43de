"""Plans with the ledger's memory, and leaves the always-on process a note of when to wake next."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from core.engine.announcing import tell
from core.engine.approving import approvals_summary, look, unapproved
from core.engine.asking import ask_for_model, reviews_sent
from core.engine.reading import read_workspace
from core.engine.recovery import close_left, recover
from core.engine.scoring import held_to_account
from core.engine.world import World
from core.engine.write_back import show_day, show_what_is_behind, write_back
from core.model.holder import Holder
from core.model.item import Kind, item_key
from core.model.memory import PlanNote
from core.model.occurrence import BeatReason, IllegalTransitionError, Occurrence, Outcome
from core.model.plan import Decision, ModelHold, Plan, Planned, Wish
from core.model.report import ItemReport
from core.model.workspace import Workspace
from core.ports import Ledger
from core.rules.budgeting import ONCE_A_MINUTE
from core.rules.checking.progress import started_anew
from core.rules.ordering import LEFT, STILL_RUNNING
from core.rules.planning import Moment, due_for_model, has_model_work, make_plan, schedules_of
from core.rules.residing import is_paused
from core.rules.timing.due import counted_from

if TYPE_CHECKING:
    from core.rules.simulating import Start


def plan_now(world: World, workspace: Workspace, wish: Wish, now: datetime, *, remember: bool = True) -> Plan:
    """The plan of this moment. What is due for a model, and what is not approved, is held back where it has to be."""
    moment = moment_now(world, workspace, wish, now, remember=remember)
    plan = make_plan(workspace, moment)
    found = ask_for_model(world, wish, plan.now) if due_for_model(workspace, plan) else None
    if isinstance(found, ModelHold):
        moment, found = replace(moment, model_hold=found), None
        plan = make_plan(workspace, moment)
    reasons = unapproved(world, workspace, plan)
    if reasons:
        plan = make_plan(workspace, replace(moment, unapproved=reasons))
    return replace(plan, model=found)


def moment_now(world: World, workspace: Workspace, wish: Wish, now: datetime, *, remember: bool = True) -> Moment:
    """All that a plan is made of, as if a model were set up. Items that are new are seen from now on, unless nothing is
    to be remembered."""
    # What the first plan of the always-on process sees was there when it started.
    seen = wish.resident_start if wish.reason is BeatReason.STARTUP and wish.resident_start else now
    left = _left(world.ledger) if workspace.document.actions else {}
    return Moment(
        now=now,
        zone=world.clock.zone(),
        wish=wish,
        settings=world.settings,
        memory=world.ledger.see(schedules_of(workspace), seen) if remember else world.ledger.items(),
        last_tick=world.ledger.tick_anchor(),
        progress=world.ledger.progress(),
        postponed=_postponed(world.ledger) if has_model_work(workspace) else {},
        left=left,
        running=[item for item, why in left.items() if why == STILL_RUNNING and world.background.is_running(item)],
        reviews_sent=reviews_sent(world, world.local(now, workspace)) if workspace.document.review else 0,
    )


def _postponed(ledger: Ledger) -> dict[str, datetime]:
    return {row.item: row.slot for row in ledger.waiting() if row.reason == ONCE_A_MINUTE}


def _left(ledger: Ledger) -> dict[str, str]:
    return {row.item: row.reason for row in ledger.waiting() if row.reason.startswith((*LEFT, STILL_RUNNING))}


def foresee(world: World, workspace: Workspace, length: timedelta) -> "list[Start]":
    """Every start that would come by itself. A pause puts them off to its end, where beats make up for what was due."""
    from core.rules.simulating import simulate  # here: no beat needs it

    now = world.clock.now()
    pause = world.ledger.paused()
    begin = pause.until if pause and is_paused(pause, now) else now
    if begin is None or begin >= now + length or not world.settings.enabled:
        return []
    moment = moment_now(world, workspace, Wish(BeatReason.TIMER), begin, remember=False)
    return simulate(workspace, moment, now + length - begin)


def record_what_waits(world: World, plan: Plan) -> tuple[ItemReport, ...]:
    """Write down what is due and held back, what was missed, and what counts from now; say what is held back,
    and what will never run."""
    reports: list[ItemReport] = []
    anchor = world.ledger.tick_anchor()
    if anchor and anchor > plan.now:  # the clock was set back
        world.ledger.set_tick_anchor(plan.now)
    for item in plan.items:
        if item.counts_from:
            world.ledger.count_from(item.key, item.counts_from)
        if item.missed:
            was_past = item.missed < world.ledger.items()[item.key].first_seen
            reason = "it was past already when it was first seen" if was_past else "it was not made up for"
            with suppress(IllegalTransitionError):  # a clock that was far ahead has used this slot
                world.ledger.miss(occurrence_of(item, item.missed), reason, plan.now)
            if was_past:
                reports.append(ItemReport(item.id, item.kind, Outcome.SKIPPED, item.reason))
        if item.held_as and item.slot:
            with suppress(IllegalTransitionError):
                world.ledger.wait(occurrence_of(item, item.slot), item.held_as, item.reason, plan.now)
            reports.append(ItemReport(item.id, item.kind, item.held_as, item.reason))
    return tuple(reports)


def skipped_by_name(plan: Plan, wish: Wish) -> tuple[ItemReport, ...]:
    """What the person named and does not run all the same: its reason is the answer."""
    named = [one for one in plan.items if one.decision is Decision.SKIP and {one.id, one.key} & set(wish.items)]
    return tuple(ItemReport(one.id, one.kind, Outcome.SKIPPED, one.reason) for one in named)


def record_tick(world: World, plan: Plan, ended: Sequence[Occurrence] = ()) -> None:
    """Write down that a tick has come, where anything follows the ticks. What a beat leaves undone does."""
    follows = any(item.slot == plan.tick for item in plan.items) or any(one.reason.startswith(LEFT) for one in ended)
    if plan.tick and follows:
        world.ledger.set_tick_anchor(counted_from(world.settings.interval, plan.tick, plan.now))


def occurrence_of(item: Planned, slot: datetime, beat: int = 0) -> Occurrence:
    return Occurrence(item.key, item.kind, slot, beat, item.reason, item.attempt)


def note_plan(world: World, workspace: Workspace, plan: Plan) -> datetime | None:
    """Tell the always-on process when to wake; nothing is written where that is what it knows already."""
    summary: dict[str, object] = {
        "file": str(workspace.file),
        "timezone": workspace.document.frontmatter.text("timezone") or "",
        "enabled": world.settings.enabled,
        "errors": sum(found.severity == "error" for found in workspace.diagnostics),
        "refused": workspace.document.refused,
        **approvals_summary(world, workspace),
    }
    wake = plan.now if plan.runs and world.settings.enabled else plan.next_wake
    note = PlanNote(plan.now, wake, summary)
    known = world.ledger.plan()
    if known is None or (known.next_wake, dict(known.summary)) != (note.next_wake, summary):
        world.ledger.save_plan(note)
    return wake


def retry(ledger: Ledger, identifier: str, now: datetime) -> bool:
    """Let every item of this id start anew; whether any had failed."""
    memory, progress = ledger.items(), ledger.progress()
    known = [memory[key] for kind in Kind if (key := item_key(kind, identifier)) in memory]
    failed = [one.item for one in known if one.last_outcome in (Outcome.FAILED, Outcome.INTERRUPTED)]
    for key in failed:
        ledger.start_anew(key, now)
    tried = any(one.task_id == identifier and one.attempts for one in progress.tasks)
    if tried:
        ledger.save_progress(started_anew(progress, identifier))
    return tried or bool(failed)


def plan_only(world: World, wish: Wish) -> Plan | Holder:
    """What a start and a file change ask for: read, clear up after a crash, decide when to wake, and end."""
    now = world.clock.now()
    held = world.lock.acquire("plan", now)
    if isinstance(held, Holder):
        return held
    with held:
        workspace = read_workspace(world.files, world.root, world.settings.heartbeat_file)
        now = world.local(now, workspace)
        world, workspace = held_to_account(world, workspace, now)
        recovery = recover(world, workspace, now)
        look(world, workspace, now)
        plan = plan_now(world, workspace, wish, now)
        waiting = record_what_waits(world, plan)
        next_wake = note_plan(world, workspace, plan)
        if recovery:
            write_back(world, workspace, workspace.snapshot, recovery.ended, now, next_wake)
            show_day(world, now)
            close_left(world, recovery, now)
        else:
            show_what_is_behind(world, workspace, now, next_wake)
        tell(world, workspace, wish, waiting, now)  # a file that is refused never makes a beat due
        return plan
