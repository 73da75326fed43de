"""Inspects files of the workspace for checks. Law: it changes nothing, sees nothing outside, and
never hangs."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from core.adapters.files.read import open_inside
from core.model.file_work import LARGEST_TEXT, MOST_COMPARED, NoFile, Seen, SeenFile, UnseenFile
from core.model.workspace_file import Missing, Refusal
from core.rules.checking.globs import matches
from core.rules.fingerprint import fingerprint, fingerprint_of

MOST_NAMES = 500
LARGEST_HASHED = 1024 * 1024  # bytes; of a larger file only the size and the times are compared
LARGEST_COMPARED = 256 * 1024 * 1024  # the same for the file of a check
PART = 1024 * 1024  # bytes that are read at once
SKIPPED_FOLDERS = frozenset(
    {".git", ".heartbeat", "history", "node_modules", ".venv", "__pycache__"}
)


class FileInspectorOnDisk:
    """The `FileInspector` port."""

    def __init__(self, root: Path, hidden: tuple[Path, ...] = ()) -> None:
        self._root = root
        # Folders whose contents must not be seen.
        self._hidden = tuple(os.path.realpath(path) for path in hidden)

    def inspect(self, name: str) -> Seen:
        try:
            if self._is_hidden(self._root / name):
                return UnseenFile(f"{name} must not be read")

            opened = open_inside(self._root / name, self._root)
        except ValueError:  # a NUL in the name
            return NoFile()

        match opened:
            case Missing():
                return NoFile()
            case Refusal(message=message):
                return UnseenFile(message)

        try:
            return _seen(opened)
        except OSError as error:
            return UnseenFile(f"{name} cannot be read: {error.strerror}")
        finally:
            os.close(opened)

    def fingerprints(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for path in self._files():
            if len(found) == MOST_COMPARED:
                break

            try:
                status = path.stat()
                # A command can set the one time back, and not the other.
                times = f"{status.st_mtime_ns} {status.st_ctime_ns}"
                content = f"{status.st_size} {times}".encode()
                if status.st_size <= LARGEST_HASHED:
                    content = path.read_bytes()
            except OSError:
                continue  # it was removed, or we may not read it

            found[path.relative_to(self._root).as_posix()] = fingerprint(content)

        return found

    def names(self, pattern: str) -> tuple[str, ...]:
        names = (path.relative_to(self._root).as_posix() for path in self._files())
        matching = (name for name in names if matches(name, pattern))
        return tuple(islice(matching, MOST_NAMES))

    def _files(self) -> Iterator[Path]:
        for folder, folders, names in os.walk(self._root):
            # Changing this list in place decides which folders os.walk enters.
            folders[:] = sorted(
                name
                for name in folders
                if name not in SKIPPED_FOLDERS and not self._is_hidden(Path(folder, name))
            )
            for name in sorted(names):
                path = Path(folder, name)
                if path.is_file() and not path.is_symlink():
                    yield path

    def _is_hidden(self, path: Path) -> bool:
        if not self._hidden:
            return False

        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(folder) for folder in self._hidden)


def _seen(opened: int) -> SeenFile:
    status = os.fstat(opened)
    modified = datetime.fromtimestamp(status.st_mtime, UTC)
    if status.st_size > LARGEST_COMPARED:
        mark = fingerprint(f"{status.st_size} {status.st_mtime_ns} {status.st_ino}".encode())
        return SeenFile(status.st_size, modified, mark, None)
    if status.st_size > LARGEST_TEXT:
        # No more than it had: it may grow as fast as it is read.
        mark = fingerprint_of(_parts(opened, status.st_size))
        return SeenFile(status.st_size, modified, mark, None)

    data = b""
    while chunk := os.read(opened, LARGEST_TEXT + 1 - len(data)):
        data += chunk

    return SeenFile(len(data), modified, fingerprint(data), data.decode(errors="replace"))


def _parts(opened: int, size: int) -> Iterator[bytes]:
    while size > 0 and (part := os.read(opened, min(PART, size))):
        size -= len(part)
        yield part
