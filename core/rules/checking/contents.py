"""Since when a file has had its content, as the program saw it. Pure.

Law: a file's own time, which anybody can set, never makes a content look newer than it is. It
counts where nothing else is known, and for a change that happened between two looks.
"""

from datetime import datetime

from core.model.file_work import KnownContent, NoFile, SeenFile
from core.model.light_dataclass import replace


def known_now(before: KnownContent | None, seen: SeenFile | NoFile, now: datetime) -> KnownContent:
    """What is known after one more look. `before`: None if nobody has looked yet."""
    fingerprint = seen.fingerprint if isinstance(seen, SeenFile) else None
    if before is not None and before.fingerprint == fingerprint:
        return replace(before, looked=now)

    since = now
    if isinstance(seen, SeenFile) and (before is None or before.looked <= seen.modified):
        since = min(seen.modified, now)

    return KnownContent(fingerprint, since, now)
