"""One beat, from its lock to its report.

Read this first: `_beat` is the table of contents of the engine. Its steps are those of
"A beat, in order" in docs/spec.md.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from core.engine.account import apply_consequences, todays_score
from core.engine.announce import AtOnce, announce_news
from core.engine.approve import (
    inspect_approvals,
    inspect_approvals_after_beat,
    trouble_with_approvals,
)
from core.engine.batch.done import Asked, BatchDone, ask_for_run
from core.engine.history import Background, background_of, report_of
from core.engine.local_time import local_now, local_time
from core.engine.plan import note_plan, plan_now, record_tick, record_what_waits, skipped_by_name
from core.engine.read import read_workspace
from core.engine.recover import Recovery, close_left, recover, restore_lost_ledger
from core.engine.write_back import (
    RunningMark,
    show_before_batch,
    show_day,
    write_back,
    write_overdue_changes,
)
from core.model.diagnostic import Problem
from core.model.document import Priority
from core.model.holder import Holder, Purpose
from core.model.item import ItemKind, item_key
from core.model.light_dataclass import replace
from core.model.occurrence import BeatReason, Occurrence, Outcome
from core.model.plan import BeatRequest, Plan
from core.model.report import BeatReport, ItemReport, Notice, TellProgress
from core.model.workspace import Workspace
from core.model.workspace_file import Snapshot
from core.ports.processes import HeldLock
from core.ports.world import World
from core.rules.planning.plan import due_for_model
from core.rules.reporting.endings import Tone, ending_of
from core.rules.scoring.promises import Promise, promise_of

if TYPE_CHECKING:
    from core.engine.batch.work import BatchWork


def _ignore_progress(_item: str, _report: ItemReport | None) -> None:
    """Show no progress: nothing is watching this beat."""


class Turn:
    """The workspace's lock of one beat, which is given up while its batch is with the model."""

    def __init__(self, world: World, held: HeldLock) -> None:
        self._world = world
        self._held = held

    @contextmanager
    def given_up(self, model: HeldLock) -> Iterator[None]:
        """Release the lock for the block and take it again afterwards, however long that takes. If
        the block raises, it stays released."""
        with model:
            self._held.release()
            self._world.wake_resident()
            yield
            self._held = self._world.lock.wait(Purpose.BEAT, self._world.clock.now())

    def end(self) -> None:
        self._held.release()


def beat(
    world: World, request: BeatRequest, progress: TellProgress = _ignore_progress
) -> BeatReport | Holder:
    """Do one beat; return the Holder where another one is at work."""
    now = world.clock.now()
    held = world.lock.acquire(Purpose.BEAT, now)
    if isinstance(held, Holder):
        return held

    turn = Turn(world, held)
    try:
        world.identity.note()
        return _beat(world, request, now, progress, turn)
    finally:
        turn.end()


def _beat(
    world: World, request: BeatRequest, started: datetime, progress: TellProgress, turn: Turn
) -> BeatReport:
    # Read the workspace.
    workspace = read_workspace(world)
    now = local_time(world, started, workspace)
    world, workspace = apply_consequences(world, workspace, now)

    # Recover what a crash left.
    damage = restore_lost_ledger(world, now)
    recovery = recover(world, workspace, now)

    # Plan.
    inspect_approvals(world, workspace, now)
    plan = plan_now(world, workspace, request, now)
    waiting = (*record_what_waits(world, plan), *skipped_by_name(plan, request))
    notices = [*damage, *trouble_with_approvals(world, plan, now)]
    record_tick(world, plan)
    if not plan.runs and not recovery:
        return _nothing_due(world, workspace, request, plan, waiting, notices)

    from core.engine.actions import run_actions  # imported here: most beats have nothing to run

    # Ask the gates, run actions and `run:` tasks.
    reason = reason_of(request, plan)
    number = world.ledger.beats.open(reason, os.getpid(), now).number
    at_once = AtOnce(world, workspace, request, reserve=1)
    with RunningMark(world, workspace) as mark:
        asked = _ask_gates(world, workspace, plan, number)
        ran, stopped_by = run_actions(world, workspace, plan, number, mark, progress, at_once)

    record_tick(world, plan, ran)

    # Give one batch to the model, and verify what it claims.
    after = _AfterBatch(workspace, mark.snapshot, False, BatchDone())
    if due_for_model(workspace, plan):
        from core.engine.batch.work import BatchWork

        work = BatchWork(world, workspace, plan, request, number, asked.let_in, progress)
        after = _batch(work, turn, mark, stopped_by, [*recovery.ended, *ran])

    workspace = after.workspace
    done = [*asked.done, *ran, *after.model.ended]
    ended = [*recovery.ended, *done]

    # Decide when to wake next, and write back.
    finished = local_now(world, workspace)
    inspect_approvals_after_beat(world, finished)
    shown = _show(world, request, after, ended, waiting, now, finished)

    # End the beat in the ledger, once all of it is shown.
    _close(world, number, ended, finished)
    close_left(world, recovery, finished)
    ask_for_run(world, workspace, request, after.model.wants_run, finished)

    # Announce what is new, and was not announced when it happened.
    items = (*waiting, *_items(world, number, recovery, done))
    messages = [*asked.notices, *after.model.messages]
    news = _news(world, items)
    announced = announce_news(
        world, workspace, request, news, finished, messages, after.model.servers
    )
    notices += [*at_once.said, *announced]

    background = _background(world, workspace, plan, number, progress)
    return BeatReport(
        number,
        reason,
        now,
        finished,
        (*items, *background.ended),
        shown.next_wake,
        tuple(notices),
        shown.problem,
        todays_score(world.ledger, finished),
        usage=after.model.usage,
        never_run=len(workspace.document.never_run),
        in_background=background.running,
    )


def _ask_gates(world: World, workspace: Workspace, plan: Plan, number: int) -> Asked:
    if all(item.kind is not ItemKind.PROMPT for item in plan.runs):
        return Asked()

    from core.engine.gates import ask_gates

    return ask_gates(world, workspace, plan, number)


def _nothing_due(
    world: World,
    workspace: Workspace,
    request: BeatRequest,
    plan: Plan,
    waiting: tuple[ItemReport, ...],
    notices: Sequence[Notice],
) -> BeatReport:
    """Nothing runs: note when to wake, bring the file up to date, announce what is new."""
    now = plan.now
    by_itself = plan_by_itself(world, workspace, request, now) if request.items else plan
    next_wake = note_plan(world, workspace, by_itself)
    problem = write_overdue_changes(world, workspace, now, next_wake, waiting)
    notices = (*notices, *announce_news(world, workspace, request, waiting, now))
    score = todays_score(world.ledger, now)

    return BeatReport(
        None,
        request.reason,
        now,
        now,
        waiting,
        next_wake,
        notices,
        problem,
        score,
        never_run=len(workspace.document.never_run),
    )


def _items(
    world: World, number: int, recovery: Recovery, done: list[Occurrence]
) -> tuple[ItemReport, ...]:
    """What a crash left, and what this beat did."""
    # How long the first ones ran is not known.
    left = [replace(report_of(one), duration=None) for one in recovery.ended]
    own = [report_of(one, world.ledger.evidence.of(one.item, number)) for one in done]
    return (*left, *own)


def _background(
    world: World, workspace: Workspace, plan: Plan, number: int, progress: TellProgress
) -> Background:
    """What this beat started in the background, and how it ended by now. Nobody waits for it, and
    its own process announces how it ends."""
    due = {item.key for item in plan.runs}
    keys = [
        key
        for one in workspace.document.actions
        if one.priority is Priority.BG and (key := item_key(ItemKind.ACTION, one.id)) in due
    ]
    found = background_of(world.ledger, number, keys)
    for one in found.ended:
        progress(one.id, one)

    return found


def _news(world: World, items: tuple[ItemReport, ...]) -> tuple[ItemReport, ...]:
    """What is worth announcing. A person who ended the beat knows that its tasks and prompts are
    interrupted."""
    if not world.cancelled.is_set():
        return items

    return tuple(
        one
        for one in items
        if one.outcome is not Outcome.INTERRUPTED or one.kind is ItemKind.ACTION
    )


class _AfterBatch(NamedTuple):
    """What a beat goes on with."""

    workspace: Workspace  # read again where a model was asked: the person may have saved meanwhile
    snapshot: Snapshot | None
    is_shown: bool  # the results of the actions are already in the file
    model: BatchDone


def _batch(
    work: "BatchWork",
    turn: Turn,
    mark: RunningMark,
    stopped_by: str | None,
    ended: list[Occurrence],
) -> _AfterBatch:
    """Let a model do what is due for it, if anything is; other beats may run meanwhile."""
    world = work.world
    workspace = work.workspace
    batch = work.begin(stopped_by)
    if batch is None:
        return _AfterBatch(workspace, mark.snapshot, False, work.done)

    is_shown = show_before_batch(world, workspace, mark, ended, work.plan.now)
    now = local_now(world, workspace)
    note_plan(world, workspace, plan_by_itself(world, workspace, work.request, now))

    with turn.given_up(batch.lock):
        work.work(batch)

    workspace = read_workspace(world)
    return _AfterBatch(workspace, workspace.snapshot, is_shown, work.record(workspace))


class _Shown(NamedTuple):
    next_wake: datetime | None
    problem: Problem | None  # why something is not in the files yet


def _show(
    world: World,
    request: BeatRequest,
    after: _AfterBatch,
    ended: list[Occurrence],
    waiting: tuple[ItemReport, ...],
    now: datetime,
    finished: datetime,
) -> _Shown:
    """Write what the ledger says now into the files, and leave the note of when to wake."""
    workspace = after.workspace
    next_wake = note_plan(world, workspace, plan_by_itself(world, workspace, request, finished))
    unwritten = write_back(
        world,
        workspace,
        after.snapshot,
        ended,
        now,
        next_wake,
        is_shown=after.is_shown,
        waiting=waiting,
    )
    unshown = show_day(world, finished)

    return _Shown(next_wake, unwritten or unshown)


def plan_by_itself(world: World, workspace: Workspace, request: BeatRequest, now: datetime) -> Plan:
    """The plan of what the resident would do next, without what this beat was asked
    for."""
    return plan_now(
        world, workspace, BeatRequest(BeatReason.TIMER, resident_start=request.resident_start), now
    )


def reason_of(request: BeatRequest, plan: Plan) -> BeatReason:
    """Why there was a beat, as the history shows it."""
    return (
        BeatReason.CATCH_UP if request.reason is BeatReason.TIMER and plan.late else request.reason
    )


def _close(world: World, number: int, done: list[Occurrence], now: datetime) -> None:
    """End the beat in the ledger, when all of it is shown: a crash before that does it again."""
    tones = [ending_of(one).tone for one in done]
    completed = tones.count(Tone.GOOD)
    failed = tones.count(Tone.BAD)
    promises = [promise_of(one) for one in done]
    kept = promises.count(Promise.KEPT)
    not_kept = promises.count(Promise.NOT_KEPT)
    world.ledger.beats.close(
        number, now, completed=completed, failed=failed, kept=kept, not_kept=not_kept
    )
    world.ledger.forget_before(now - timedelta(days=world.settings.history_days))
