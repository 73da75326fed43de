"""Log files of the resident: private, and limited in size."""

import os
from pathlib import Path

from core.adapters.folders import make_private

LARGEST = 1024 * 1024
LONGEST_LINE = 500


def fresh_log(path: Path) -> Path:
    """Make the log ready to be appended to: a large one becomes `.old.log`, over the one from
    before."""
    make_private(path.parent)
    if path.exists() and path.stat().st_size > LARGEST:
        path.replace(path.with_suffix(".old.log"))

    return path


def last_line(path: Path) -> str:
    """The last line of a log; empty without one, or if the log cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - LONGEST_LINE))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""

    return next((line.strip() for line in reversed(lines) if line.strip()), "")
