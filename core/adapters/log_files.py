"""Log files of the always-on process: private, and bounded."""

from pathlib import Path

from core.adapters.folders import make_private

LARGEST = 1024 * 1024


def fresh_log(path: Path) -> Path:
    """The path of a log that can be added to; a large one is set aside, over the one that was set aside before."""
    make_private(path.parent)
    if path.exists() and path.stat().st_size > LARGEST:
        path.replace(path.with_suffix(".old.log"))
    return path
