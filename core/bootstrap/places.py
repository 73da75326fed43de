"""Where things are and when it is: the workspace, the settings, the state, the locks."""

import os
import sys
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from core.model.errors import HeartbeatError, NoWorkspaceError

if TYPE_CHECKING:
    from core.adapters.clock import SystemClock
    from core.model.settings import Settings
    from core.ports import Ledger, Lock


def clock() -> "SystemClock":
    from core.adapters.clock import SystemClock

    return SystemClock()


def local_now(root: Path) -> datetime:
    """The moment in the workspace's zone, as the last plan noted it."""
    return clock().now().astimezone(noted_zone(root))


def noted_zone(root: Path) -> tzinfo:
    """The workspace's zone, without reading its file."""
    from core.rules.residing import noted_zone

    return noted_zone(open_ledger(root).plan(), clock().zone())


def locate_workspace(given: str | None) -> Path:
    """The workspace of SPEC 2: given, variable, the nearest folder upward, the config, the documents folder."""
    from core.adapters import folders, workspace_file
    from core.model.workspace_file import Found

    named = given or os.environ.get("HEARTBEAT_WORKSPACE")
    if named:
        folder = Path(named).expanduser()
        if not folder.is_dir():
            raise HeartbeatError(f"{folder} is not a folder.", f"Make it: heartbeat init '{folder}'")
        return folder.absolute()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if isinstance(workspace_file.find(folder), Found):
            return folder
    configured = configured_workspace()
    folder = Path(configured).expanduser() if configured else folders.default_workspace()
    if not folder.is_dir():
        raise NoWorkspaceError(folder.absolute())
    return folder.absolute()


def configured_workspace() -> str | None:
    from core.adapters import folders

    return read_config().workspace if (folders.config_folder() / "config.toml").exists() else None


def settings_file() -> Path:
    from core.adapters import folders

    return folders.config_folder() / "config.toml"


def read_config() -> "Settings":
    """What the person's config.toml says."""
    from core.model.settings import Settings

    path = settings_file()
    if not path.exists():
        return Settings()
    from core.adapters.config_files import read_toml
    from core.rules.configuring import read_settings

    return read_settings(read_toml(path), str(path))


def settings_of(root: Path) -> "Settings":
    """The settings of a workspace: config.toml, with the three keys of its config.json."""
    settings = read_config()
    path = root / "config.json"
    if not path.exists():
        return settings
    from core.adapters.config_files import read_json
    from core.rules.configuring import with_workspace_settings

    return with_workspace_settings(settings, read_json(path), str(path))


def setting_warnings(root: Path) -> tuple[str, ...]:
    """What the settings say that is not done as written; without settings nothing is imported for it."""
    from core.adapters import folders

    if not (root / "config.json").exists() and not (folders.config_folder() / "config.toml").exists():
        return ()
    return settings_of(root).warnings


def assets() -> Path:
    """Beside the package when installed, beside the source tree otherwise."""
    package = Path(__file__).parents[2]
    installed = package / "tray_app" / "assets"
    return installed if installed.is_dir() else package / "assets"


def state_folder(root: Path) -> Path:
    from core.adapters import folders

    return folders.workspace_state_folder(root)


def open_ledger(root: Path) -> "Ledger":
    from core.adapters.ledger import SqliteLedger

    return SqliteLedger(state_folder(root) / "ledger.db")


def beat_lock(root: Path) -> "Lock":
    from core.adapters.lock import FileLock

    return FileLock(state_folder(root) / "lock")


def model_lock(root: Path) -> "Lock":
    """Held by a beat while its batch is with the model."""
    from core.adapters.lock import FileLock

    return FileLock(state_folder(root) / "model.lock")


def resident_lock(root: Path) -> "Lock":
    """Held by the always-on process for as long as it lives."""
    from core.adapters.lock import FileLock

    return FileLock(state_folder(root) / "resident.lock")


def watched_since(root: Path) -> datetime | None:
    """When the always-on process started that is running now."""
    holder = resident_lock(root).holder()
    return holder.since if holder else None


def wake_resident(root: Path) -> None:
    """Tell the always-on process to look at the ledger again; nothing where there is none."""
    from core.adapters.signals import wake

    holder = resident_lock(root).holder()
    if holder:
        wake(holder.pid)


def own_command(module: str, *words: str) -> list[str]:
    """The command line of a program of ours. Without -P the folder that we are in, often the workspace, would come
    first where Python looks for modules: any file there named like one would run."""
    return [sys.executable, "-P", "-m", module, *words]
