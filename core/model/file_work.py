"""What a `file` action does, and how it ended."""

from datetime import timedelta
from enum import StrEnum

from core.model.value import dataclass


class Operation(StrEnum):
    READ = "read"
    WRITE = "write"
    APPEND = "append"
    DELETE = "delete"
    MOVE = "move"
    COPY = "copy"
    MKDIR = "mkdir"


@dataclass(frozen=True, slots=True)
class FileWork:
    operation: Operation
    path: str = ""  # also the source of a move or copy; beside a pattern the folder that it looks in
    destination: str = ""
    pattern: str = ""  # all files that it matches
    content: str = ""
    older_than: timedelta | None = None


@dataclass(frozen=True, slots=True)
class FileDone:
    result: str  # such as "3 files"


@dataclass(frozen=True, slots=True)
class FileFailed:
    reason: str
