"""The last line that each running item has printed: one small file per item, replaced in one step.

Law: it is a view. Nothing is flushed to the disk, and a line that cannot be written is lost without
an error: what is running must not fail because of it.
"""

import zlib
from contextlib import suppress
from pathlib import Path

from core.adapters.folders import make_private

MOST_BYTES = 4096  # that are read back; a line that was told is shorter


class LastLinesOnDisk:
    """The `LastLines` port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def tell(self, item: str, line: str) -> None:
        path = self._path(item)
        fresh = _fresh(path)
        with suppress(OSError):
            make_private(self._folder)
            fresh.write_bytes(line.encode(errors="replace"))
            fresh.replace(path)

    def of(self, item: str) -> str:
        with suppress(OSError), self._path(item).open("rb") as file:
            return file.read(MOST_BYTES).decode(errors="replace")

        return ""

    def forget(self, item: str) -> None:
        path = self._path(item)
        for one in (path, _fresh(path)):  # the second is left where `tell` was killed
            with suppress(OSError):
                one.unlink(missing_ok=True)

    def _path(self, item: str) -> Path:
        return self._folder / f"{zlib.crc32(item.encode()):08x}.txt"


def _fresh(path: Path) -> Path:
    """The new version of a line's file, until it takes its place."""
    return path.with_name(f".{path.name}.new")
