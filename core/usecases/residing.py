"""The resident of a workspace."""

from collections.abc import Callable

from core.engine.resident import Resident
from core.model.errors import HeartbeatError
from core.services import Services
from core.usecases.workspaces import away_error


def open_resident(
    services: Services, say: Callable[[str], None], *, take_over: bool = False
) -> Resident:
    """The resident, ready to run. The caller takes its lock. While the workspace's folder is not
    there, nothing is made in its place: the resident waits for it."""
    if away_error(services.root) is None:
        _claim(services, take_over=take_over)

    resident = Resident(services, say)
    resident.sources.append(services.signals(resident.end, resident.wake))

    return resident


def _claim(services: Services, *, take_over: bool) -> None:
    """Be the machine that runs the workspace; HeartbeatError if another one does."""
    if take_over:
        take_workspace_over(services)

    owner = services.owner_file.claim(services.clock.now())
    if owner.machine.id != services.machine_id:
        raise HeartbeatError(
            f"This workspace is run by {owner.machine.name}, since {owner.since:%Y-%m-%d %H:%M}.",
            "To run it on this machine instead: heartbeat daemon --take-over",
        )


def take_workspace_over(services: Services) -> None:
    """Make this machine the one that runs a shared workspace, and wake the resident that
    waits here."""
    services.owner_file.take_over(services.clock.now())
    services.wake_resident()
