"""Makes a new workspace from the starter files. Law: a file that exists is never touched."""

from pathlib import Path

from core.adapters.files.read import NAME, find
from core.model.errors import HeartbeatError
from core.model.workspace_file import Found


def make_workspace(root: Path, assets: Path) -> tuple[list[str], list[str]]:
    """Write the files that are missing; return the names that were written and those that were
    kept."""
    starter = assets / "starter"
    written: list[str] = []
    kept: list[str] = []

    try:
        root.mkdir(parents=True, exist_ok=True)
        taken = isinstance(find(root), Found)
        for source in sorted(path for path in starter.rglob("*") if path.is_file()):
            name = source.relative_to(starter).as_posix()
            if taken and name == NAME:
                kept.append(name)
            elif _write_new(root / name, source.read_bytes()):
                written.append(name)
            else:
                kept.append(name)
    except OSError as error:
        message = f"{root} cannot be made: {error.strerror}."
        raise HeartbeatError(message, "Choose another folder: heartbeat init DIR") from None

    return written, kept


def _write_new(path: Path, data: bytes) -> bool:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(path, "xb") as file:
            file.write(data)
    except FileExistsError:
        return False

    return True
