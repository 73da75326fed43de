"""Writes one of the program's own files whole or not at all.

A reader sees the old version or the new one, never a part of it, even after a crash or a power cut:
the new version is written next to the file and flushed to the disk, takes the file's name in one
step, and then the folder is flushed. After an error the old version is still there.

A file that the person may be editing needs more than that: see save.py.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.adapters.folders import make_private

PRIVATE = 0o600
BY_UMASK = 0o666  # the usual mode of a new file, from which the umask takes away


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, in a folder that only its owner may enter."""
    make_private(path.parent)
    with replacing(path) as fresh:
        write_new(fresh, content, PRIVATE)


def write_atomically(path: Path, content: bytes, temporary: Path | None = None) -> None:
    """Write a file; one that exists keeps its mode."""
    with replacing(path, temporary) as fresh:
        if not path.exists():
            write_new(fresh, content)
            return

        mode = stat.S_IMODE(path.stat().st_mode)
        write_new(fresh, content, mode)
        fresh.chmod(mode)  # the umask may have taken some of it away


def write_if_changed(path: Path, content: bytes) -> bool:
    """Write a file, unless it has this content already; return whether it was written."""
    if path.is_file() and path.read_bytes() == content:
        return False

    write_atomically(path, content)
    return True


def create_atomically(path: Path, content: bytes) -> None:
    """Create a file. One that exists already, or that another process creates at the same time,
    is not touched."""
    temporary = unique_name(path)
    try:
        write_new(temporary, content)
        with suppress(OSError):  # it exists, or the file system has no hard links
            path.hardlink_to(temporary)

        if not path.exists():
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)

    flush_folder(path.parent)


@contextmanager
def replacing(path: Path, temporary: Path | None = None) -> Iterator[Path]:
    """Yield the name of a file to create, which replaces `path` at the end.

    By default that name is always the same, so that the next write removes what a crash left. Where
    two processes may write at the same time, each needs a name of its own."""
    fresh = temporary or path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)  # left by a crash, or a link that someone has put there
    try:
        yield fresh
        fresh.replace(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)

        raise

    flush_folder(path.parent)


def unique_name(path: Path) -> Path:
    """A name next to the file for a new version, which no other process uses."""
    return path.with_name(f".{path.name}.heartbeat-{os.urandom(4).hex()}")


def write_new(path: Path, content: bytes, mode: int = BY_UMASK) -> None:
    """Create a file and flush it to the disk; never write through a link."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, mode)

    with open(path, "xb", opener=opener) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Make the names in the folder survive a power cut. Windows has no such call, and needs
    none."""
    if os.name == "nt":
        return

    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder that we may write to but not list
        return

    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
