"""Since when a file has had its content, as the program saw it. Pure.

Law: a file's own time, which anybody can set, never makes a content look newer than it is. It
counts where nothing else is known, for a change that happened between two looks, and where the
person's own command for the task has just written the file, be it with the same content. Nor does
a content become new by being away for a while.
"""

from datetime import datetime

from core.model.file_work import KnownContent, NoFile, SeenFile
from core.model.light_dataclass import replace


def known_now(before: KnownContent | None, seen: SeenFile | NoFile, now: datetime) -> KnownContent:
    """What is known after one more look. `before`: None if nobody has looked yet."""
    fingerprint = seen.fingerprint if isinstance(seen, SeenFile) else None
    if before is not None and before.fingerprint == fingerprint:
        return replace(before, looked=now)

    if fingerprint is None:
        return _vanished(before, now)
    if before is not None and before.gone == fingerprint and before.gone_since:
        return KnownContent(fingerprint, before.gone_since, now)

    since = now
    if isinstance(seen, SeenFile) and (before is None or before.looked <= seen.modified):
        since = min(seen.modified, now)

    return KnownContent(fingerprint, since, now)


def _vanished(before: KnownContent | None, now: datetime) -> KnownContent:
    gone = (before.fingerprint, before.since) if before else (None, None)
    return KnownContent(None, now, now, *gone)


def shown_since(
    known: KnownContent, seen: SeenFile, now: datetime, command_began: datetime | None
) -> datetime:
    """Since when the file is as it is, for a check. `command_began`: None for a model's work."""
    # The clock may have been set back since. Times of files are coarser than the clock.
    since = min(known.since, now)
    is_own_write = command_began and seen.modified >= command_began.replace(microsecond=0)

    return max(since, min(seen.modified, now)) if is_own_write else since
