"""Reads the files of a workspace as they are now."""

from datetime import datetime, tzinfo
from pathlib import Path

from core.engine import read as engine
from core.kinds import read_document
from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.model.light_dataclass import replace
from core.model.workspace import Workspace
from core.services import Services, ToolServices


def read_workspace(services: Services) -> Workspace:
    """The workspace as it is now. Its settings are read only where it has any."""
    has_settings = (services.root / "config.json").exists()
    name = services.settings.heartbeat_file if has_settings else None
    return engine.read_folder(services.reader, services.root, name)


def read_path(path: Path) -> Workspace:
    """What `check` was pointed at: a folder, a HEARTBEAT.md of any name, or a file of the folder
    `heartbeat`."""
    path = path.expanduser().absolute()
    if path.is_dir():
        return read_workspace(Services(path))
    if not path.exists() and not path.is_symlink():
        raise HeartbeatError(
            f"{path} does not exist.", "Check the path, or make a workspace: heartbeat init"
        )

    reader = Services(path.parent).reader
    is_prompt = (
        path.parent.name == "heartbeat"
        and path.suffix == ".md"
        and path.stem.lower() != "heartbeat"
    )
    if is_prompt:
        return engine.read_prompt_file(reader, path)

    return engine.read_folder(reader, path.parent, path.name)


def read_text(data: bytes, root: Path) -> Workspace:
    """A HEARTBEAT.md that is in no folder, such as standard input."""
    reader = Services(root).reader
    document = engine.with_outside_paths(read_document(data), reader, root)
    return Workspace(root, Path("-"), document, (), document.diagnostics)


def with_past_instants(workspace: Workspace) -> Workspace:
    """The workspace with the diagnostics that depend on the current time."""
    from core.rules.planning import (
        past_instants,  # imported here: `show` and `list` need none of it
    )

    clock = Services(workspace.root).clock
    return past_instants.with_past_instants(workspace, clock.now(), clock.zone())


def with_missing_servers(workspace: Workspace) -> Workspace:
    """The workspace with a finding for each tool server whose program is not there. Without
    settings nothing is looked up."""
    services = Services(workspace.root)
    has_settings = (services.root / "config.json").exists() or services.settings_file.exists()
    if not has_settings or not services.settings.mcp_servers:
        return workspace

    from core.rules.settings.servers import missing_servers  # imported here: few have any

    world = ToolServices(services)
    found = missing_servers(
        services.settings.mcp_servers,
        lambda name: world.tool_servers.is_installed(name, world.root, world.server_environment),
    )
    return replace(workspace, diagnostics=(*workspace.diagnostics, *found))


def workspace_now(services: Services) -> datetime:
    """The current time in the workspace's zone: its days are the score's days."""
    return services.clock.now().astimezone(workspace_zone(services))


def workspace_zone(services: Services) -> tzinfo:
    from core.rules.timing.zones import zone_of  # imported here: `check` and `show` need none of it

    return zone_of(read_workspace(services).document, services.clock.zone())


def refusal(services: Services) -> Problem | None:
    """Why nothing is read from HEARTBEAT.md; None if it is read."""
    from core.engine.announce import refusal_of  # imported here: `check` and `show` need none of it

    refused = refusal_of(services.ledger, read_workspace(services))
    return refused.problem if refused else None
