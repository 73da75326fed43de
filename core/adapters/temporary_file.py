"""The new version of a file, beside it, before it gets its name. A crash leaves it under a name that tells what it is.

`.NAME.heartbeat-XXXX.part` is unfinished; `.NAME.heartbeat-XXXX` is a whole version: ours before the exchange, the
displaced one, so perhaps the person's, after it.
"""

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

MARK = ".heartbeat-"
UNFINISHED = ".part"


def create(target: Path, like: int, data: bytes) -> Path:
    """Write `data` to a new file beside `target`, with owner, mode and attributes of the open file `like`."""
    path = target.with_name(f".{target.name}{MARK}{os.urandom(4).hex()}")
    part = path.with_name(path.name + UNFINISHED)
    try:
        created = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            _fill(created, data)
            _make_alike(created, like)
            os.fsync(created)
        finally:
            os.close(created)
        part.rename(path)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise
    return path


def left_over(target: Path) -> list[Path]:
    """Temporary files that a crash left beside the file."""
    return [entry for entry in target.parent.iterdir() if entry.name.startswith(f".{target.name}{MARK}")]


def flush_folder(target: Path) -> None:
    """Make sure that the names in the file's folder survive a power cut."""
    if sys.platform == "win32":
        return  # Windows has no such call
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _fill(created: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(created, rest) :]


def _make_alike(created: int, like: int) -> None:
    if sys.platform == "win32":
        return  # a new file takes its rights from its folder
    model, copy = os.fstat(like), os.fstat(created)
    if (model.st_uid, model.st_gid) != (copy.st_uid, copy.st_gid):
        os.fchown(created, model.st_uid, model.st_gid)
    if sys.platform == "linux":
        for name in os.listxattr(like):  # access lists, tags
            with suppress(OSError):  # some belong to the system
                os.setxattr(created, name, os.getxattr(like, name))
    os.fchmod(created, stat.S_IMODE(model.st_mode))
