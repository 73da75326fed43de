"""Tells whether a file is open in an editor, by the swap and lock files that editors put beside it."""

from contextlib import suppress
from datetime import datetime
from pathlib import Path

LIVES = 600.0  # seconds; an older lock file was left by a crash


def lock_of_editor(target: Path, now: datetime) -> str | None:
    """The name of an editor's lock file beside the file, if one is younger than ten minutes."""
    name = target.name
    for lock in (
        *(f".{name}.sw{letter}" for letter in "ponml"),  # Vim, nano
        f".{name}.kate-swp",
        f".#{name}",  # Emacs, a link that leads nowhere
        f"#{name}#",  # Emacs, unsaved changes
        f".~lock.{name}#",  # LibreOffice
    ):
        with suppress(OSError):
            if now.timestamp() - target.with_name(lock).lstat().st_mtime < LIVES:
                return lock
    return None
