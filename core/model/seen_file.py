"""What a look at a file of the workspace found, for checks."""

from datetime import datetime

from core.model.value import dataclass

LARGEST_TEXT = 10 * 1024 * 1024  # bytes of a file that are looked into


@dataclass(frozen=True, slots=True)
class SeenFile:
    size: int
    modified: datetime
    fingerprint: str  # another one where the file was changed
    text: str | None  # None: it is too large to be looked into


@dataclass(frozen=True, slots=True)
class NoFile:
    """There is none of this name."""


@dataclass(frozen=True, slots=True)
class UnseenFile:
    reason: str  # why nobody can tell


Seen = SeenFile | NoFile | UnseenFile
