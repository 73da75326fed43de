"""Work on files of the workspace: what an action does, what a check sees, what an undo did."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from core.model.cause import Cause
from core.model.light_dataclass import light_dataclass


class Operation(StrEnum):
    READ = "read"
    WRITE = "write"
    APPEND = "append"
    DELETE = "delete"
    MOVE = "move"
    COPY = "copy"
    MKDIR = "mkdir"


@light_dataclass(frozen=True, slots=True)
class FileWork:
    operation: Operation
    path: str = ""  # also the source of a move or copy; with a pattern, the folder that it is for
    destination: str = ""
    pattern: str = ""  # all files that it matches
    content: str = ""
    older_than: timedelta | None = None


@light_dataclass(frozen=True, slots=True)
class FileDone:
    result: str  # such as "3 files"


@light_dataclass(frozen=True, slots=True)
class FileFailed:
    reason: str
    cause: Cause


MOST_COMPARED = 2000  # files of a workspace that are compared before and after the work of a model
LARGEST_TEXT = 10 * 1024 * 1024  # bytes of a file that a check reads


@light_dataclass(frozen=True, slots=True)
class SeenFile:
    size: int
    modified: datetime  # by the file's own time, which anybody can set
    fingerprint: str  # changes when the file changes
    text: str | None  # None: it is too large to be read


@light_dataclass(frozen=True, slots=True)
class NoFile:
    """There is no file of this name."""


@light_dataclass(frozen=True, slots=True)
class UnseenFile:
    reason: str  # why it is not known whether there is such a file


Seen = SeenFile | NoFile | UnseenFile


@light_dataclass(frozen=True, slots=True)
class KnownContent:
    """What is remembered of a file that a check names."""

    fingerprint: str | None  # of what the last look saw; None: there was no file
    since: datetime  # when it became so, as far as the program saw
    looked: datetime  # the last time
    # Where there is no file: what the last one had, and since when. It is not new if it comes back.
    gone: str | None = None
    gone_since: datetime | None = None


AGENT = "agent"  # in the place of an item: what the tools of a batch changed


@light_dataclass(frozen=True, slots=True)
class Undone:
    beat: int  # all that is undone at a time is of one beat; 0: the person's own command
    paths: tuple[str, ...]
    # By action: what its lines said before; None for a line that was not there.
    lines: Mapping[str, Mapping[str, str | None]]
    is_of_batch: bool = False  # what a model changed is among it
    file: str | None = None  # HEARTBEAT.md's name, if lines of the program were put back there too


@light_dataclass(frozen=True, slots=True)
class UndoRefused:
    reason: str
