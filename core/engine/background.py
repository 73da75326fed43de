"""One BG action in a process of its own: the beat recorded its start, its end is recorded here."""

from datetime import datetime

from core.engine.action_types import Done, do
from core.engine.approving import StartCheck
from core.engine.reading import read_workspace
from core.engine.variables import Variables
from core.engine.world import World
from core.model.errors import HeartbeatError
from core.model.item import identifier_of_key
from core.model.occurrence import Outcome
from core.rules.planning import retry_after


def run_in_background(world: World, item: str, slot: datetime) -> None:
    """Do it and record how it ended; nothing where the ledger does not know it as started."""
    started = next((one for one in world.ledger.unfinished() if one.item == item and one.slot == slot), None)
    if started is None:
        return
    workspace = read_workspace(world.files, world.root, world.settings.heartbeat_file)
    found = [one for one in workspace.document.actions if one.id == identifier_of_key(item)]
    variables = Variables(world.local(started.started or slot, workspace), None, world.secret)
    why = StartCheck(world, workspace).reason_to_wait(item)  # the file may have changed since the beat read it
    if not found:
        done = Done(Outcome.FAILED, error="it was taken out of the file before it started")
    elif why:
        done = Done(Outcome.FAILED, error=why)
    else:
        try:
            done = do(world, found[0], started.beat, world.clock.now(), variables.look_up)
        except HeartbeatError as error:
            done = Done(Outcome.FAILED, error=error.message)
    now = world.local(world.clock.now(), workspace)
    may_retry = bool(found) and done.outcome is not Outcome.COMPLETED and started.attempts < found[0].retry
    world.ledger.finish(
        started,
        done.outcome,
        now,
        result=variables.as_record(done.result),
        error=variables.as_record(done.error),
        retry_at=now + retry_after(found[0], started.attempts) if may_retry else None,
    )
