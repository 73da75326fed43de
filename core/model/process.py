"""A command to run and how it ended; plain values, nothing here starts anything."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

from core.model.light_dataclass import field, light_dataclass

OUTPUT_LIMIT = 1024 * 1024  # bytes of output that an Ending keeps
LONGEST_LINE = 8 * 1024 * 1024  # bytes of a line that a tool server writes


@light_dataclass(frozen=True, slots=True)
class Command:
    """One line for the system's shell: /bin/sh, on Windows cmd.exe."""

    line: str
    folder: Path  # it starts there
    timeout: timedelta
    # In addition to the few variables that every command gets.
    environment: Mapping[str, str] = field(default_factory=dict)


class How(StrEnum):
    EXITED = "exited"  # by itself, with an exit code
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    COULD_NOT_START = "could_not_start"  # `output` says why, in a sentence


@light_dataclass(frozen=True, slots=True)
class Ending:
    how: How
    exit_code: int | None  # only where it exited; 128 + n after signal n, as in a shell
    # As it was printed, errors in between: it may contain any character. Of too much the middle is
    # left out, and a line there says how much.
    output: str
    duration: timedelta

    @property
    def last_line(self) -> str:
        """Return the last line it printed that is not blank; empty if there is none."""
        text = self.output.rstrip()
        return text[max(text.rfind("\n"), text.rfind("\r")) + 1 :].strip()


@light_dataclass(frozen=True, slots=True)
class ProgramCall:
    """A program that is started by its name, without a shell, and reads a text."""

    words: tuple[str, ...]  # its name, as the PATH knows it, and its arguments
    text: str  # its standard input
    timeout: timedelta
    # In addition to the variables that such a program gets.
    environment: Mapping[str, str] = field(default_factory=dict)
    # What is in its folder when it starts: texts, by their relative path.
    files: Mapping[str, str] = field(default_factory=dict)


@light_dataclass(frozen=True, slots=True)
class ProgramEnding:
    how: How
    exit_code: int | None = None  # only where it exited; -n after signal n
    output: str = ""  # what it printed where it exited; why it could not start, in a sentence
    error_output: str = ""


class NoLine(StrEnum):
    """Why a server has no line for us."""

    ENDED = "ended"  # there will be no more
    TOO_LONG = "too_long"  # it wrote one that is longer than LONGEST_LINE, which is left out


class NotSent(StrEnum):
    """Why a server will not get a line."""

    ENDED = "ended"  # it reads no more
    UNREAD = "unread"  # too many lines wait until it reads them


class NotFound(StrEnum):
    """Why a process cannot be ended."""

    GONE = "gone"  # it has ended; its number may belong to another process
    ANOTHER_USERS = "another_users"


@light_dataclass(frozen=True, slots=True)
class NotStarted:
    reason: str  # why; completes "It did not start: …"
