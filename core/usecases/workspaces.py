"""Finds the workspace that is meant, with its time zone and what is wrong with its settings."""

import os
from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path

from core.model.errors import HeartbeatError, NoWorkspaceError, WorkspaceAwayError
from core.model.workspace_file import Found
from core.rules.printable import for_terminal
from core.rules.workspace_names import short_path
from core.services import MachineServices, Services


def locate_workspace(given: str | None) -> Path:
    """The first of: the one that is given, the one of HEARTBEAT_WORKSPACE, the nearest folder
    upward that has a HEARTBEAT.md, the one of the config, the one in the documents folder."""
    named = named_folder(given)
    if named:
        return _present(named)

    machine = MachineServices()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if isinstance(machine.reader.find(folder), Found):
            return folder

    configured = machine.config.workspace
    folder = Path(configured).expanduser() if configured else machine.default_workspace
    return _present(folder.absolute(), NoWorkspaceError)


def named_folder(given: str | None) -> Path | None:
    """The folder that the person names, whether it is there or not."""
    named = given or os.environ.get("HEARTBEAT_WORKSPACE")
    return Path(named).expanduser().absolute() if named else None


def away_error(folder: Path) -> WorkspaceAwayError | None:
    """What to say of a workspace that was here once, and whose folder is not there now, or is the
    empty place of a disk that is not mounted.

    It was, if a plan was made for it. A state folder alone does not say so: `heartbeat doctor`
    tries it out without a workspace too. An empty folder may also be a new workspace: it is one
    that was here if there were items in it."""
    services = Services(folder)
    if not services.is_away() or not services.state_folder.is_dir():
        return None

    is_empty = folder.exists()
    had_items = not is_empty or services.ledger.items.all()
    if services.ledger.plan.note() is None or not had_items:
        return None

    return WorkspaceAwayError(folder, is_empty=is_empty)


def _present(folder: Path, missing: Callable[[Path], HeartbeatError] | None = None) -> Path:
    """The folder, if it can be the workspace now. HeartbeatError says why it cannot."""
    away = away_error(folder)
    if away:
        raise away
    if not folder.is_dir():
        raise (missing or _why_missing)(folder)

    return folder


def _why_missing(folder: Path) -> HeartbeatError:
    """Why the folder that a person named cannot be the workspace now."""
    if folder.exists():
        return HeartbeatError(f"{folder} is not a folder.", "Name the folder of a workspace.")

    return HeartbeatError(
        f"There is no folder {folder}.",
        f"Check the path, or make a workspace there: heartbeat init '{folder}'",
    )


def open_workspace(given: str | None) -> Services:
    """The services of the workspace that is meant."""
    return Services(locate_workspace(given))


def history_elsewhere(services: Services, *, is_seen: bool) -> str | None:
    """Where the workspace's history is, if it is not here; None if it is. What a person has seen
    is not said again once the workspace is used without it."""
    try:
        identity = services.identity
    except HeartbeatError:  # who needs the history says it
        return None

    old = identity.comes_along()
    if old:
        return (
            f"This folder seems to be the workspace that was at {for_terminal(old)}. Its history "
            "comes along with the first beat or approval here."
        )

    other = identity.history_at()
    if other is None:
        return None
    if is_seen:
        identity.tell_history()

    is_there = Path(other).exists()
    why = "was used while this folder was away" if is_there else "may be on a disk not mounted now"
    return (
        f"The history of this workspace is with the folder {for_terminal(other)}, which {why}. "
        "This folder begins without one. To go on with it, put that folder in the place of this."
    )


def shown_root(services: Services) -> str:
    """The workspace's path as a person reads it."""
    return for_terminal(short_path(services.root, services.home))


def local_now(services: Services) -> datetime:
    """The current time in the workspace's zone, as the last plan noted it."""
    return services.clock.now().astimezone(noted_zone(services))


def noted_zone(services: Services) -> tzinfo:
    """The workspace's zone, without reading its file."""
    from core.rules.residing import next_step  # imported here: reading a file needs none of it

    return next_step.noted_zone(services.ledger.plan.note(), services.clock.zone())


def settings_trouble(services: Services) -> HeartbeatError | None:
    """Why the settings cannot be read; None if they can. For answers that come without them."""
    has_settings = (services.root / "config.json").exists() or services.settings_file.exists()
    if not has_settings:
        return None

    try:
        _ = services.settings
    except HeartbeatError as error:
        return error

    return None


def shows_level(services: Services) -> bool:
    """Whether the person wants levels: only where they change something."""
    has_settings = services.settings_file.exists() and not settings_trouble(services)
    return has_settings and services.settings.accountability.consequences


def setting_warnings(services: Services) -> tuple[str, ...]:
    """Settings that are not applied as written. Without settings nothing is imported."""
    has_settings = (services.root / "config.json").exists() or services.settings_file.exists()
    return services.settings.warnings if has_settings else ()
