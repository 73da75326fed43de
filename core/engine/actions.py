"""Runs the actions of a beat, one after another, each committed to the ledger before its effect and after it."""

from collections.abc import Callable
from datetime import datetime
from typing import assert_never

from core.engine.planning import occurrence_of
from core.engine.world import World
from core.engine.write_back import RunningMark
from core.model.document import Action, Priority
from core.model.occurrence import Occurrence, Outcome
from core.model.plan import Plan, Planned
from core.model.process import Command, Ending, How
from core.model.report import ItemReport
from core.model.workspace import Workspace
from core.rules.planning import retry_after
from core.rules.timing.durations import duration_words
from core.rules.writing.harmless import one_line

ORDER = list(Priority)


def run_actions(
    world: World,
    workspace: Workspace,
    plan: Plan,
    beat: int,
    mark: RunningMark,
    progress: Callable[[str, ItemReport | None], None],
) -> list[Occurrence]:
    """What became of every item that was to run, in the order of the priorities."""
    from core.engine.beat import report_of

    actions = {action.id: action for action in reversed(workspace.document.actions)}
    done: list[Occurrence] = []
    for item in sorted(plan.runs, key=lambda item: ORDER.index(actions[item.id].priority)):
        if world.cancelled.is_set():
            break
        action = actions[item.id]
        progress(item.id, None)
        with mark.executing(item.id):
            finished = _run_one(world, workspace, item, action, beat, plan.now)
        if finished is None:
            continue
        done.append(finished)
        progress(item.id, report_of(finished))
        if action.priority is Priority.CRITICAL and finished.outcome is not Outcome.COMPLETED:
            break
    return done


def _run_one(
    world: World, workspace: Workspace, item: Planned, action: Action, beat: int, now: datetime
) -> Occurrence | None:
    """One action; None where somebody has taken this slot before."""
    claimed = _claim(world, item, beat, now)
    if claimed is None:
        return None
    started = world.ledger.start(claimed, world.local(world.clock.now(), workspace))
    command = Command(str(action.params["command"]), workspace.root, action.timeout, {})
    ending = world.processes.run(command, world.cancelled)
    finished = world.local(world.clock.now(), workspace)
    outcome, result, error = judged(ending, action)
    may_retry = outcome is not Outcome.COMPLETED and started.attempts < action.retry
    retry_at = finished + retry_after(action, started.attempts) if may_retry else None
    return world.ledger.finish(started, outcome, finished, result=result, error=error, retry_at=retry_at)


def _claim(world: World, item: Planned, beat: int, now: datetime) -> Occurrence | None:
    """Take the slot. One that a clock far ahead has used, and that lies before us again, gives way to this moment."""
    assert item.slot
    claimed = world.ledger.claim(occurrence_of(item, item.slot, beat), now)
    last_slot = world.ledger.items()[item.key].last_slot if claimed is None else None
    if last_slot is None or last_slot >= item.slot:
        return claimed
    return world.ledger.claim(occurrence_of(item, now, beat), now)


def judged(ending: Ending, action: Action) -> tuple[Outcome, str, str]:
    """The outcome of a command, and what it said: its last line where it went well, the reason where it did not."""
    last = one_line(ending.last_line)
    match ending.how:
        case How.EXITED if ending.exit_code == 0:
            return Outcome.COMPLETED, last or "OK", ""
        case How.EXITED:
            return Outcome.FAILED, "", f"exit code {ending.exit_code}" + (f": {last}" if last else "")
        case How.TIMED_OUT:
            return Outcome.FAILED, "", f"it took longer than {duration_words(action.timeout)} and was ended"
        case How.CANCELLED:
            return Outcome.INTERRUPTED, "", "it was ended before it was done"
        case How.COULD_NOT_START:
            return Outcome.FAILED, "", f"it could not be started{': ' + last if last else ''}"
        case _:
            assert_never(ending.how)
