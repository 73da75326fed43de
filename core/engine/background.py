"""Runs one BG action in a process of its own. The beat has recorded its start; its end is recorded
and announced here: no beat does it."""

from datetime import datetime

from core.actions import run_action
from core.actions.runnable import Call, Done, failed, raised
from core.engine.announce import AtOnce
from core.engine.approve import StartCheck
from core.engine.history import report_of
from core.engine.local_time import local_time
from core.engine.read import read_workspace
from core.engine.running import showing_lines
from core.engine.variables import Variables
from core.model.document import Action
from core.model.errors import HeartbeatError
from core.model.item import identifier_of_key
from core.model.occurrence import BeatReason, Occurrence, Outcome
from core.model.plan import BeatRequest
from core.model.workspace import Workspace
from core.ports.world import World
from core.rules.planning.attempts import retry_after


def run_in_background(world: World, item: str, slot: datetime) -> None:
    """Run the action and record how it ended. Does nothing unless the ledger has it as started."""
    started = _started(world, item, slot)
    if started is None:
        return

    workspace = read_workspace(world)
    variables = Variables(local_time(world, started.started or slot, workspace), None, world.secret)
    found = [one for one in workspace.document.actions if one.id == identifier_of_key(item)]
    action = found[0] if found else None
    done = _run(world, workspace, action, started, variables)

    now = local_time(world, world.clock.now(), workspace)
    retry_at = None
    if action and done.outcome is not Outcome.COMPLETED and started.attempts < action.retry:
        retry_at = now + retry_after(action, started.attempts)

    finished = world.ledger.occurrences.finish(
        started,
        done.outcome,
        now,
        result=variables.as_record(done.result),
        error=variables.as_record(done.error),
        cause=variables.as_records(done.cause),
        retry_at=retry_at,
    )
    if not world.cancelled.is_set():
        AtOnce(world, workspace, BeatRequest(BeatReason.TIMER))(report_of(finished), now)


def _started(world: World, item: str, slot: datetime) -> Occurrence | None:
    for one in world.ledger.occurrences.unfinished():
        if one.item == item and one.slot == slot:
            return one

    return None


def _run(
    world: World,
    workspace: Workspace,
    action: Action | None,
    started: Occurrence,
    variables: Variables,
) -> Done:
    # The file may have changed since the beat read it.
    unapproved = StartCheck(world, workspace).reason_to_wait(started.item)
    if action is None:
        return failed("it was taken out of the file before it started", "taken_out")
    if unapproved:
        return failed(unapproved.sentence, *unapproved.data)

    with showing_lines(world, started.item, variables) as show:
        try:
            call = Call(action, started.beat, world.clock.now(), variables.look_up, show)
            return run_action(world, call)
        except HeartbeatError as error:
            return raised(error)
