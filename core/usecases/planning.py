"""What would run, when and why. Nothing is written."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from core.engine.account import apply_consequences
from core.engine.plan import foresee, plan_input, plan_now
from core.model.errors import HeartbeatError
from core.model.light_dataclass import replace
from core.model.occurrence import BeatReason
from core.model.plan import BeatRequest, Plan
from core.model.workspace import Workspace
from core.ports.world import World
from core.rules.approving.coming import Starting
from core.rules.planning.forecast import Start
from core.rules.planning.plan import due_for_model, make_plan
from core.rules.reading.tasks import identifier_of
from core.rules.residing.next_step import is_paused, wake_after
from core.rules.timing.instant_words import short_instant_words
from core.services import Services
from core.usecases.reading import read_workspace, workspace_now
from core.usecases.status import run_by
from core.usecases.workspaces import local_now


def plan(
    services: Services, at: datetime | None = None, items: Sequence[str] | None = None
) -> Plan:
    """What would run now, or at another time; with items: in a beat that the person asks for."""
    world, workspace = _read_with_consequences(services)
    request = (
        BeatRequest(BeatReason.TIMER)
        if items is None
        else BeatRequest(BeatReason.PERSON, tuple(items))
    )
    planned = plan_now(world, workspace, request, at or world.clock.now(), remember=False)
    wake = wake_after(world.ledger.requests.paused(), planned.next_wake, planned.now)

    return replace(planned, next_wake=wake)


def starting(services: Services) -> Starting:
    """What starts beats here by itself, and what holds that back."""
    is_watched = services.resident_lock.holder() is not None
    now = local_now(services)
    pause = services.ledger.requests.paused()
    other = run_by(services)
    held_back = ""
    if not services.settings.enabled:
        held_back = "switched off in the settings (enabled = false)"
    elif pause and is_paused(pause, now):
        end = short_instant_words(pause.until, now) if pause.until else "you resume it"
        held_back = f"paused until {end}"
    elif other is not None:
        held_back = f"not running this workspace: {other} does"

    return Starting(is_watched, held_back)


def batch_prompt(services: Services, at: datetime | None = None) -> str:
    """Exactly what a model would be asked now if one were set up; empty if nothing is due for
    one. Gates are not run, so what they would print is not in it."""
    from core.engine.batch.content import batch_of  # imported here: a plan needs none of it

    world, workspace = _read_with_consequences(services)
    now = at or world.clock.now()
    given = plan_input(world, workspace, BeatRequest(BeatReason.TIMER), now, remember=False)
    planned = make_plan(workspace, given)
    items = due_for_model(workspace, planned)
    if not items:
        return ""

    return world.agent.prompt(batch_of(world, workspace, items, {}, planned.now))


def simulate(services: Services, length: timedelta) -> list[Start]:
    """Every start that would come by itself within that time."""
    return foresee(services, read_workspace(services), length)


def known_items(
    services: Services, items: Sequence[str], *, listed_by: str = "heartbeat show"
) -> tuple[str, ...]:
    """The ids or keys that these names mean, also in the file's spelling; HeartbeatError if a
    name means none."""
    if not items:
        return ()

    known = {name for item in plan(services).items for name in (item.id, item.key)}
    meant = [name if name in known else identifier_of(name) for name in items]
    unknown = [name for name, found in zip(items, meant, strict=True) if found not in known]
    if unknown:
        raise HeartbeatError(
            f"There is no item {', '.join(unknown)}.",
            f"See the ids of {services.root}: {listed_by}",
        )

    return tuple(meant)


def _read_with_consequences(services: Services) -> tuple[World, Workspace]:
    return apply_consequences(services, read_workspace(services), workspace_now(services))
