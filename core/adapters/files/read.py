"""Finds and reads a person's file. Law: whatever the file is, reading it never hangs, raises or
leaves the workspace."""

import errno
import os
import stat
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from core.model.workspace_file import (
    Found,
    Identity,
    Missing,
    Reading,
    Refusal,
    RefusalKind,
    Snapshot,
)
from core.rules.fingerprint import fingerprint
from core.rules.residing.watching import QUIET

LIMIT = 1 << 20
NAME = "HEARTBEAT.md"
MOST_READS = 7  # of a file that keeps changing, 300 ms apart: 2 s, as long as the watcher waits

# A FIFO or a device must not block us; on Windows these flags do not exist.
_CAREFUL = os.O_RDONLY | sum(
    getattr(os, flag, 0)
    for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY")
)


def find(folder: Path) -> Found | Missing | Refusal:
    """The folder's HEARTBEAT.md, in any letter case; the usual spellings win."""
    try:
        names = sorted(
            entry.name for entry in folder.iterdir() if entry.name.lower() == NAME.lower()
        )
    except (FileNotFoundError, NotADirectoryError):
        return Missing(folder / NAME)
    except OSError as error:
        return _unreadable(folder, error)

    names.sort(key=lambda name: (name != NAME, name != NAME.lower()))
    return Found(folder / names[0], tuple(names[1:])) if names else Missing(folder / NAME)


def is_away(folder: Path) -> bool:
    """Whether a workspace that was there is not: renamed, deleted, not mounted, not to be entered.
    Where a disk is not mounted, its empty folder is what is left."""
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except OSError:
        return True


def read(path: Path, workspace: Path) -> Reading:
    opened = open_inside(path, workspace)
    if not isinstance(opened, int):
        return opened

    try:
        return snapshot(opened, path)
    except OSError as error:
        return _unreadable(path, error)
    finally:
        os.close(opened)


def read_settled(
    path: Path,
    workspace: Path,
    now: datetime,
    pause: Callable[[float], None],
) -> Reading:
    """Read a file that an editor may be saving right now: wait until it stops changing, but no
    longer than 2 s."""
    reading = read(path, workspace)
    if isinstance(reading, Snapshot) and not untouched_since(reading.identity, now):
        for _ in range(MOST_READS):
            pause(QUIET)
            before = reading
            reading = read(path, workspace)
            if reading == before:
                break

    return reading


def untouched_since(identity: Identity, now: datetime) -> bool:
    """Whether the file has not changed for 300 ms; one with a time in the future counts as
    changed."""
    return max(identity.modified_ns, identity.changed_ns) / 1e9 + QUIET <= now.timestamp()


def open_inside(path: Path, workspace: Path) -> int | Missing | Refusal:
    """Open a regular file that is really inside the workspace, and return its descriptor."""
    for _ in range(5):  # again if the path is replaced while we check it
        try:
            real = os.path.realpath(path, strict=True)
            if not Path(real).is_relative_to(os.path.realpath(workspace)):
                return _outside(path)

            # Checked before opening: opening a device can already start it.
            if not stat.S_ISREG(os.lstat(real).st_mode):
                return _not_regular(path)

            opened = os.open(real, _CAREFUL)
        except FileNotFoundError:
            return Missing(path)
        except OSError as error:
            return _unreadable(path, error)

        if _is_at(opened, path, real):
            return opened

        os.close(opened)

    return _unreadable(path, OSError(errno.ESTALE, "it keeps being replaced"))


def _is_at(opened: int, path: Path, real: str) -> bool:
    """Whether the descriptor is the file that was checked, not one that was put there meanwhile."""
    try:
        return os.path.samestat(os.fstat(opened), os.lstat(real)) and os.path.realpath(path) == real
    except OSError:
        return False


def snapshot(opened: int, path: Path) -> Snapshot | Refusal:
    """Read what a descriptor holds, if that is at most 1 MiB."""
    status = os.fstat(opened)
    if status.st_size > LIMIT:
        return _too_large(path)

    os.lseek(opened, 0, os.SEEK_SET)
    data = b""
    while chunk := os.read(opened, LIMIT + 1 - len(data)):
        data += chunk

    if len(data) > LIMIT:
        return _too_large(path)

    return Snapshot(path, data, identity(status), fingerprint(data))


def identity(status: os.stat_result) -> Identity:
    return Identity(
        status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size
    )


def _too_large(path: Path) -> Refusal:
    return Refusal(
        path,
        RefusalKind.TOO_LARGE,
        f"{path.name} is larger than 1 MiB.",
        "Move what is not needed to another file.",
    )


def _not_regular(path: Path) -> Refusal:
    return Refusal(
        path,
        RefusalKind.NOT_REGULAR,
        f"{path.name} is not a regular file.",
        "Put a text file in its place; folders, pipes, sockets and devices are not read.",
    )


def _outside(path: Path) -> Refusal:
    return Refusal(
        path,
        RefusalKind.OUTSIDE_LINK,
        f"{path.name} is a link that leaves the workspace.",
        "Put the file itself into the workspace, or link to one inside it.",
    )


def _unreadable(path: Path, error: OSError) -> Refusal:
    return Refusal(
        path,
        RefusalKind.UNREADABLE,
        f"{path.name} cannot be read: {error.strerror}.",
        f"Check its permissions: ls -l '{path}'",
    )


def prompt_files(workspace: Path) -> tuple[Path, ...]:
    folder = workspace / "heartbeat"
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return ()

    return tuple(path for path in paths if path.suffix == ".md" and not path.name.startswith("."))
