"""One beat, from its lock to its report. Read this first: each line of `_beat` is one step of SPEC 5."""

import os
from collections.abc import Callable
from datetime import datetime, timedelta

from core.engine.actions import run_actions
from core.engine.planning import note_plan, plan_now, record_tick, record_what_waits
from core.engine.reading import read_workspace
from core.engine.recovery import recover, take_stock
from core.engine.world import World
from core.engine.write_back import RunningMark, show_last_runs, write_back
from core.model.holder import Holder
from core.model.item import Kind, identifier_of_key
from core.model.occurrence import BeatReason, Occurrence, Outcome
from core.model.plan import Plan, Wish
from core.model.report import BeatReport, ItemReport, Notice
from core.model.workspace import Workspace

Progress = Callable[[str, ItemReport | None], None]  # an item's id when it starts, and with its report when it ends


def _tell_nobody(_item: str, _report: ItemReport | None) -> None:
    """A beat that nobody watches."""


def beat(world: World, wish: Wish, progress: Progress = _tell_nobody) -> BeatReport | Holder:
    """Do one beat; a Holder where another one is at work."""
    now = world.clock.now()
    held = world.lock.acquire("beat", now)
    if isinstance(held, Holder):
        return held
    with held:
        return _beat(world, wish, now, progress)


def _beat(world: World, wish: Wish, moment: datetime, progress: Progress) -> BeatReport:
    workspace = read_workspace(world.files, world.root, world.settings.heartbeat_file)
    now = world.local(moment, workspace)
    trouble = take_stock(world, now)
    recovered = recover(world, workspace, now)
    plan = plan_now(world, workspace, wish, now)
    waiting = record_what_waits(world, plan)
    record_tick(world, plan)
    if not plan.runs and not recovered:
        by_itself = plan_by_itself(world, workspace, wish, now) if wish.items else plan
        next_wake = note_plan(world, workspace, by_itself)
        problem = show_last_runs(world, workspace, now, next_wake)
        return BeatReport(None, wish.reason, now, now, waiting, next_wake, notices_of(trouble), problem)
    reason = reason_of(wish, plan)
    number = world.ledger.open_beat(reason, os.getpid(), now).number
    with RunningMark(world, workspace) as mark:
        done = run_actions(world, workspace, plan, number, mark, progress)
    finished = world.local(world.clock.now(), workspace)
    next_wake = note_plan(world, workspace, plan_by_itself(world, workspace, wish, finished))
    problem = write_back(world, workspace, mark.snapshot, [*recovered, *done], now, next_wake, number)
    _close(world, number, done, finished)
    items = (*waiting, *(report_of(one) for one in done))
    return BeatReport(number, reason, now, finished, items, next_wake, notices_of(trouble), problem)


def plan_by_itself(world: World, workspace: Workspace, wish: Wish, now: datetime) -> Plan:
    """The plan without the person's wish: what the always-on process would do next."""
    return plan_now(world, workspace, Wish(BeatReason.TIMER, resident_start=wish.resident_start), now)


def notices_of(trouble: str) -> tuple[Notice, ...]:
    return (Notice("ledger", "Heartbeat", trouble),) if trouble else ()


def reason_of(wish: Wish, plan: Plan) -> BeatReason:
    """Why there was a beat, as the history tells it."""
    return BeatReason.CATCH_UP if wish.reason is BeatReason.TIMER and plan.late else wish.reason


def _close(world: World, number: int, done: list[Occurrence], now: datetime) -> None:
    """End the beat in the ledger, show the day to people, and let go of what is too old."""
    completed = sum(one.outcome is Outcome.COMPLETED for one in done)
    failed = sum(one.outcome in (Outcome.FAILED, Outcome.INTERRUPTED) for one in done)
    world.ledger.close_beat(number, now, completed=completed, failed=failed)
    world.views.show(world.ledger, now)
    world.ledger.forget_before(now - timedelta(days=world.settings.history_days))


def report_of(done: Occurrence) -> ItemReport:
    assert done.outcome
    return ItemReport(
        id=identifier_of_key(done.item),
        kind=Kind(done.kind),
        outcome=done.outcome,
        reason=done.reason,
        attempts=done.attempts,
        duration=done.duration,
        result=done.result,
        error=done.error,
        verdict=done.verdict,
        contradiction=done.contradiction,
        points=done.points,
    )
