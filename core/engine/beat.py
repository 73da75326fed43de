"""One beat, from its lock to its report. Read this first: each line of `_beat` is one step of SPEC 5."""

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from core.engine.announcing import tell
from core.engine.approving import look, look_again, trouble_with_approvals
from core.engine.planning import note_plan, plan_now, record_tick, record_what_waits, skipped_by_name
from core.engine.reading import read_workspace
from core.engine.recovery import Recovery, close_left, recover, take_stock
from core.engine.reports import report_of
from core.engine.scoring import held_to_account, todays_score
from core.engine.turn import Turn
from core.engine.world import World
from core.engine.write_back import (
    FAILURES,
    RunningMark,
    show_before_batch,
    show_day,
    show_what_is_behind,
    write_back,
)
from core.model.holder import Holder
from core.model.item import Kind
from core.model.occurrence import BeatReason, Occurrence, Outcome
from core.model.plan import Plan, Wish
from core.model.report import BeatReport, ItemReport, Notice
from core.model.verdict import Verdict
from core.model.workspace import Workspace
from core.model.workspace_file import Snapshot

if TYPE_CHECKING:
    from core.engine.batch import BatchDone, BatchWork

Progress = Callable[[str, ItemReport | None], None]  # an item's id when it starts, and with its report when it ends


def _tell_nobody(_item: str, _report: ItemReport | None) -> None:
    """A beat that nobody watches."""


def beat(world: World, wish: Wish, progress: Progress = _tell_nobody) -> BeatReport | Holder:
    """Do one beat; a Holder where another one is at work."""
    now = world.clock.now()
    held = world.lock.acquire("beat", now)
    if isinstance(held, Holder):
        return held
    turn = Turn(world, held)
    try:
        return _beat(world, wish, now, progress, turn)
    finally:
        turn.end()


def _beat(world: World, wish: Wish, moment: datetime, progress: Progress, turn: Turn) -> BeatReport:
    workspace = read_workspace(world.files, world.root, world.settings.heartbeat_file)
    now = world.local(moment, workspace)
    world, workspace = held_to_account(world, workspace, now)
    trouble = take_stock(world, now)
    recovery = recover(world, workspace, now)
    look(world, workspace, now)
    plan = plan_now(world, workspace, wish, now)
    waiting = (*record_what_waits(world, plan), *skipped_by_name(plan, wish))
    notices = (*notices_of(trouble), *trouble_with_approvals(world, plan, now))
    record_tick(world, plan)
    if not plan.runs and not recovery:
        return _nothing_due(world, workspace, wish, plan, waiting, notices)
    from core.engine.actions import run_actions  # here: most beats have nothing to run
    from core.engine.batch import BatchWork, ask_for_run
    from core.engine.prompts import ask_gates

    reason = reason_of(wish, plan)
    number = world.ledger.open_beat(reason, os.getpid(), now).number
    with RunningMark(world, workspace) as mark:
        asked = ask_gates(world, workspace, plan, number)
        ran, stopped_by = run_actions(world, workspace, plan, number, mark, progress)
    record_tick(world, plan, ran)
    work = BatchWork(world, workspace, plan, wish, number, asked.let_in, progress)
    workspace, snapshot, is_shown, model = _batch(work, turn, mark, stopped_by, [*recovery.ended, *ran])
    done = [*asked.done, *ran, *model.ended]
    finished = world.local(world.clock.now(), workspace)
    look_again(world, finished)
    next_wake = note_plan(world, workspace, plan_by_itself(world, workspace, wish, finished))
    ended = [*recovery.ended, *done]
    problem = write_back(world, workspace, snapshot, ended, now, next_wake, is_shown=is_shown, waiting=waiting)
    unshown = show_day(world, finished)
    _close(world, number, ended, finished)
    close_left(world, recovery, finished)
    ask_for_run(world, workspace, wish, model.wants_run, finished)
    items = (*waiting, *_items(world, number, recovery, done))
    messages = (*asked.notices, *model.messages)
    told = tell(world, workspace, wish, _news(world, items), finished, messages)
    notices = (*notices, *messages, *(notice for notice in told if notice not in messages))
    score = todays_score(world.ledger, finished)
    report = BeatReport(number, reason, now, finished, items, next_wake, notices, problem or unshown, score)
    return replace(report, usage=model.usage)


def _nothing_due(
    world: World,
    workspace: Workspace,
    wish: Wish,
    plan: Plan,
    waiting: tuple[ItemReport, ...],
    notices: tuple[Notice, ...],
) -> BeatReport:
    """Nothing runs: say when to wake, bring the file up to date, tell what is new."""
    now = plan.now
    by_itself = plan_by_itself(world, workspace, wish, now) if wish.items else plan
    next_wake = note_plan(world, workspace, by_itself)
    problem = show_what_is_behind(world, workspace, now, next_wake, waiting)
    notices = (*notices, *tell(world, workspace, wish, waiting, now))
    score = todays_score(world.ledger, now)
    return BeatReport(None, wish.reason, now, now, waiting, next_wake, notices, problem, score)


def _items(world: World, number: int, recovery: Recovery, done: list[Occurrence]) -> tuple[ItemReport, ...]:
    """What a crash left, and what this beat did."""
    left = (replace(report_of(one), duration=None) for one in recovery.ended)  # nobody knows how long they ran
    return (*left, *(report_of(one, world.ledger.evidence(one.item, number)) for one in done))


def _news(world: World, items: tuple[ItemReport, ...]) -> tuple[ItemReport, ...]:
    """Without the tasks and prompts that whoever ended the beat knows to be interrupted."""
    is_known = world.cancelled.is_set()
    return tuple(
        one for one in items if not (is_known and one.outcome is Outcome.INTERRUPTED and one.kind is not Kind.ACTION)
    )


class _AfterBatch(NamedTuple):
    """What a beat goes on with."""

    workspace: Workspace  # read again where a model was asked: the person may have saved meanwhile
    snapshot: Snapshot | None
    is_shown: bool  # what the actions came to stands in the file
    model: "BatchDone"


def _batch(work: "BatchWork", turn: Turn, mark: RunningMark, stopped_by: str, ended: list[Occurrence]) -> _AfterBatch:
    """Let a model do what is due for it, if anything is; other beats may come meanwhile."""
    world, workspace = work.world, work.workspace
    batch = work.begin(stopped_by)
    if batch is None:
        return _AfterBatch(workspace, mark.snapshot, False, work.done)
    is_shown = show_before_batch(world, workspace, mark, ended, work.plan.now)
    now = world.local(world.clock.now(), workspace)
    note_plan(world, workspace, plan_by_itself(world, workspace, work.wish, now))
    with turn.given_up(batch.lock):
        work.work(batch)
    workspace = read_workspace(world.files, world.root, world.settings.heartbeat_file)
    return _AfterBatch(workspace, workspace.snapshot, is_shown, work.record(workspace))


def plan_by_itself(world: World, workspace: Workspace, wish: Wish, now: datetime) -> Plan:
    """The plan without the person's wish: what the always-on process would do next."""
    return plan_now(world, workspace, Wish(BeatReason.TIMER, resident_start=wish.resident_start), now)


def notices_of(trouble: str) -> tuple[Notice, ...]:
    return (Notice("ledger", "Heartbeat", trouble),) if trouble else ()


def reason_of(wish: Wish, plan: Plan) -> BeatReason:
    """Why there was a beat, as the history tells it."""
    return BeatReason.CATCH_UP if wish.reason is BeatReason.TIMER and plan.late else wish.reason


def _close(world: World, number: int, done: list[Occurrence], now: datetime) -> None:
    """End the beat in the ledger, when all of it is shown: a crash before that does it again."""
    failed = sum(one.outcome in FAILURES or one.verdict is Verdict.NOT_VERIFIED for one in done)
    completed = sum(one.outcome is Outcome.COMPLETED and one.verdict is not Verdict.NOT_VERIFIED for one in done)
    world.ledger.close_beat(number, now, completed=completed, failed=failed)
    world.ledger.forget_before(now - timedelta(days=world.settings.history_days))
