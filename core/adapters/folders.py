"""Where config, state and documents live on this machine; nothing is made until something is written there."""

import os
import zlib
from pathlib import Path

NAME_LENGTH = 60  # of the readable part of a state folder's name


def config_folder() -> Path:
    return _given("HEARTBEAT_CONFIG_DIR") or _platform("user_config_path")


def state_folder() -> Path:
    """The folder that has one folder for each workspace."""
    return _given("HEARTBEAT_STATE_DIR") or _platform("user_state_path")


def workspace_state_folder(workspace: Path) -> Path:
    """The workspace's own state, the same whichever link or letter case led to the workspace."""
    real = name_on_disk(workspace)
    readable = "-".join(part for part in real.as_posix().replace(":", "").split("/") if part)
    # zlib and not hashlib: the always-on process would pay 4 MB for it, and this only tells equal names apart.
    return state_folder() / f"{readable[-NAME_LENGTH:]}-{zlib.crc32(os.fsencode(real)):08x}"


def default_workspace() -> Path:
    import platformdirs

    return platformdirs.user_documents_path() / "Heartbeat"


def make_private(folder: Path) -> Path:
    """The folder, made if absent; what is made, parents too, only its owner may enter."""
    if not folder.is_dir():
        if folder != folder.parent:
            make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def name_on_disk(path: Path) -> Path:
    """The real path, spelt as the disk spells it: "notes" may open "Notes" where letter case does not count."""
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
    except OSError:  # not readable or not there: the given spelling has to do
        return name
    return next((other for other, inode in inode_of.items() if inode == wanted), name)


def _given(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).expanduser().absolute() if value else None


def _platform(function: str) -> Path:
    import platformdirs  # here: it costs more than the rest of this file, and a set variable spares it

    found: Path = getattr(platformdirs, function)("heartbeat", appauthor=False)
    return found
