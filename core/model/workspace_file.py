"""A person's file as values: what reading and writing it can end in. No IO."""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from core.model.value import dataclass


class Identity(NamedTuple):
    """Which version of a file this is, as far as the disk tells without reading it."""

    device: int
    inode: int
    modified_ns: int
    changed_ns: int  # unlike the line above, no program can set it back
    size: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file as it was at one moment."""

    path: Path  # as it was asked for; a link stays a link
    data: bytes
    identity: Identity
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Missing:
    path: Path


class RefusalKind(StrEnum):
    TOO_LARGE = "too_large"
    NOT_REGULAR = "not_regular"
    OUTSIDE_LINK = "outside_link"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is read from a file that is there."""

    path: Path
    kind: RefusalKind
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Found:
    """The HEARTBEAT.md of a folder, and the names that lost against it."""

    path: Path
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    snapshot: Snapshot  # what stands in the file now: the base of the next write
    merged: bool  # the person had saved since the file was read


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Nothing to write."""


@dataclass(frozen=True, slots=True)
class Postponed:
    """Not now: the person is at the file. The next beat tries again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """It cannot be written; the file is as it was."""

    reason: str
    hint: str


Reading = Snapshot | Missing | Refusal
Writing = Written | Unchanged | Postponed | Failed
