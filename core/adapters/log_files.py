"""Log files of the always-on process: private, and bounded."""

import os
from pathlib import Path

from core.adapters.folders import make_private

LARGEST = 1024 * 1024
LONGEST_LINE = 500


def fresh_log(path: Path) -> Path:
    """The path of a log that can be added to; a large one is set aside, over the one that was set aside before."""
    make_private(path.parent)
    if path.exists() and path.stat().st_size > LARGEST:
        path.replace(path.with_suffix(".old.log"))
    return path


def last_line(path: Path) -> str:
    """What was said last; nothing where nothing was said or it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - LONGEST_LINE))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
