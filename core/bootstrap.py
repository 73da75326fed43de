"""Joins ports to adapters: the only file that knows both. What a person's command needs is one call here."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from core.adapters import folders, workspace_file
from core.engine import reading
from core.model.errors import HeartbeatError
from core.model.workspace import Workspace
from core.model.workspace_file import Found
from core.rules.reading.document import read_document

if TYPE_CHECKING:  # its classes take longer to make than a small file to read, and `check FILE` needs none of them
    from core.model.settings import Settings


def locate_workspace(given: str | None) -> Path:
    """The workspace of SPEC 2: given, variable, the nearest folder upward, the config, the documents folder."""
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
    configured = read_config().workspace
    folder = Path(configured).expanduser() if configured else folders.default_workspace()
    if not folder.is_dir():
        raise HeartbeatError(f"There is no workspace here or in {folder}.", "Make one in this folder: heartbeat init")
    return folder.absolute()


def read_config() -> "Settings":
    """What the person's config.toml says."""
    from core.model.settings import Settings

    path = folders.config_folder() / "config.toml"
    if not path.exists():
        return Settings()
    from core.adapters.config_files import read_toml
    from core.rules.configuring import read_settings

    return read_settings(read_toml(path), str(path))


def read_settings(root: Path) -> "Settings":
    """The settings of a workspace: config.toml, with the three keys of its config.json."""
    settings = read_config()
    path = root / "config.json"
    if not path.exists():
        return settings
    from core.adapters.config_files import read_json
    from core.rules.configuring import with_workspace_settings

    return with_workspace_settings(settings, read_json(path), str(path))


def read_workspace(root: Path) -> Workspace:
    """The workspace as it is now."""
    return reading.read_workspace(workspace_file, root, read_settings(root).heartbeat_file)


def read_path(path: Path) -> Workspace:
    """What `check` was pointed at: a folder, a HEARTBEAT.md of any name, or a file of the folder `heartbeat`."""
    path = path.expanduser().absolute()
    if path.is_dir():
        return read_workspace(path)
    if not path.exists() and not path.is_symlink():
        raise HeartbeatError(f"{path} is not there.", "Check the path, or make a workspace: heartbeat init")
    if path.parent.name == "heartbeat" and path.suffix == ".md" and path.stem.lower() != "heartbeat":
        return reading.read_prompt_file(workspace_file, path)
    return reading.read_workspace(workspace_file, path.parent, path.name)


def read_text(data: bytes, root: Path) -> Workspace:
    """A HEARTBEAT.md that stands in no folder, such as standard input."""
    document = read_document(data)
    return Workspace(root, Path("-"), document, (), document.diagnostics)


def starter_files() -> dict[str, bytes]:
    """The files of a new workspace, by their path in it."""
    folder = _assets() / "starter"
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def make_workspace(root: Path) -> tuple[list[str], list[str]]:
    """Write the starter files that are not there yet: the names that were written, and those that were kept."""
    written: list[str] = []
    kept: list[str] = []
    try:
        root.mkdir(parents=True, exist_ok=True)
        taken = isinstance(workspace_file.find(root), Found)
        for name, data in starter_files().items():
            target = root / name
            if taken and name == "HEARTBEAT.md":
                kept.append(name)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with open(target, "xb") as file:
                    file.write(data)
                written.append(name)
            except FileExistsError:
                kept.append(name)
    except OSError as error:
        raise HeartbeatError(
            f"{root} cannot be made: {error.strerror}.", "Choose another folder: heartbeat init DIR"
        ) from None
    return written, kept


def _assets() -> Path:
    """Beside the package when installed, beside the source tree otherwise."""
    package = Path(__file__).parents[1]
    installed = package / "tray_app" / "assets"
    return installed if installed.is_dir() else package / "assets"
