"""A file of the program's own that only its owner may read: exchanged whole, never half written."""

import os
from contextlib import suppress
from pathlib import Path

from core.adapters.folders import make_private
from core.adapters.temporary_file import flush_folder


def write_private(path: Path, data: bytes) -> None:
    """Give the file this content, mode 0600. A reader sees the old or the new one; an error leaves the old one."""
    make_private(path.parent)
    fresh = path.with_name(f".{path.name}.new")  # one name: what a crash left is cleared away by the next write
    try:
        fresh.unlink(missing_ok=True)
        with open(fresh, "xb", opener=_private) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise
    flush_folder(path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
