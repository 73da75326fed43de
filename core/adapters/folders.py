"""Where config, state and documents are on this machine; a folder is made only when something is
written there."""

import os
import zlib
from datetime import UTC, datetime
from pathlib import Path

NAME_LENGTH = 60  # of the readable part of a state folder's name


def config_folder() -> Path:
    return _given("HEARTBEAT_CONFIG_DIR") or _platform("user_config_path")


def state_folder() -> Path:
    """The folder that has one folder for each workspace."""
    return _given("HEARTBEAT_STATE_DIR") or _platform("user_state_path")


def state_folder_of(real: Path) -> Path:
    """The folder for the state of the workspace at this path, which is spelt as on the disk."""
    parts = real.as_posix().replace(":", "").split("/")
    readable = "-".join(part for part in parts if part)[-NAME_LENGTH:].lstrip("-")

    # zlib instead of hashlib, which would cost the resident 4 MB; the number only
    # distinguishes workspaces with similar names.
    number = zlib.crc32(os.fsencode(real))
    return state_folder() / f"{readable}-{number:08x}"


def default_workspace() -> Path:
    import platformdirs

    return platformdirs.user_documents_path() / "Heartbeat"


def make_private(folder: Path) -> Path:
    """Make the folder and its parents, if they are missing, so that only their owner may enter;
    return the folder."""
    if not folder.is_dir():
        if folder != folder.parent:
            make_private(folder.parent)

        folder.mkdir(mode=0o700, exist_ok=True)

    return folder


def name_aside(path: Path, reason: str) -> Path:
    """A free name next to a file that is to be moved aside, with the time of its last change."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    name = f"{path.name}.{reason}-{changed:%Y%m%dT%H%M%SZ}"
    aside = path.with_name(name)
    count = 1

    while aside.exists():
        count += 1
        aside = path.with_name(f"{name}-{count}")

    return aside


def name_on_disk(path: Path) -> Path:
    """The real path, spelt as on the disk: "notes" may open "Notes" where letter case does not
    count."""
    real = path.resolve()
    spelt = Path(real.anchor)
    for part in real.parts[1:]:
        spelt /= _entry(spelt, part)

    return spelt


def _entry(folder: Path, name: str) -> str:
    try:
        with os.scandir(folder) as entries:
            inode_of = {entry.name: entry.inode() for entry in entries}

        if name in inode_of:
            return name

        wanted = (folder / name).stat().st_ino
    except OSError:  # it cannot be read or does not exist: use the given spelling
        return name

    return next((other for other, inode in inode_of.items() if inode == wanted), name)


def _given(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).expanduser().absolute() if value else None


def _platform(function: str) -> Path:
    # imported here: it costs more than the rest of this file, and is not needed if the variable is
    # set
    import platformdirs

    found: Path = getattr(platformdirs, function)("heartbeat", appauthor=False)
    return found
