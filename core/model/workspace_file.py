"""What reading and writing a person's file can end in. Frozen values, no IO."""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from core.model.light_dataclass import light_dataclass


class Identity(NamedTuple):
    """Which version of a file this is, as far as the disk tells without reading it."""

    device: int
    inode: int
    modified_ns: int
    changed_ns: int  # unlike the line above, no program can set it back
    size: int


@light_dataclass(frozen=True, slots=True)
class Snapshot:
    """A file as it was at one instant."""

    path: Path  # as it was asked for; a link stays a link
    data: bytes
    identity: Identity
    fingerprint: str


@light_dataclass(frozen=True, slots=True)
class Missing:
    path: Path


class RefusalKind(StrEnum):
    TOO_LARGE = "too_large"
    NOT_REGULAR = "not_regular"
    OUTSIDE_LINK = "outside_link"
    UNREADABLE = "unreadable"


@light_dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is read from a file that is there."""

    path: Path
    kind: RefusalKind
    message: str
    hint: str


@light_dataclass(frozen=True, slots=True)
class Found:
    """The HEARTBEAT.md of a folder, and the names that lost against it."""

    path: Path
    others: tuple[str, ...] = ()


@light_dataclass(frozen=True, slots=True)
class Written:
    snapshot: Snapshot  # what is in the file now: the base of the next write
    merged: bool  # the person had saved since the file was read


@light_dataclass(frozen=True, slots=True)
class Unchanged:
    """Nothing to write."""


@light_dataclass(frozen=True, slots=True)
class Postponed:
    """Not written now, because the person is editing the file. The next beat tries again."""

    reason: str


@light_dataclass(frozen=True, slots=True)
class Failed:
    """It cannot be written; the file is as it was."""

    reason: str
    hint: str


Reading = Snapshot | Missing | Refusal
Writing = Written | Unchanged | Postponed | Failed
