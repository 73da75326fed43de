"""Times in the workspace's zone: the ledger counts days by it."""

from datetime import datetime

from core.model.workspace import Workspace
from core.ports.world import World
from core.rules.timing.zones import in_zone, zone_of


def local_time(world: World, instant: datetime, workspace: Workspace) -> datetime:
    return in_zone(instant, zone_of(workspace.document, world.clock.zone()))


def local_now(world: World, workspace: Workspace) -> datetime:
    return local_time(world, world.clock.now(), workspace)
