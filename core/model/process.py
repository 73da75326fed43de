"""A command to run and how it ended; plain values, nothing here starts anything."""

from collections.abc import Mapping
from dataclasses import field
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

from core.model.value import dataclass

OUTPUT_LIMIT = 1024 * 1024  # bytes of output that an Ending keeps


@dataclass(frozen=True, slots=True)
class Command:
    """One line for the system's shell: /bin/sh, on Windows cmd.exe."""

    line: str
    folder: Path  # it starts there
    timeout: timedelta
    environment: Mapping[str, str] = field(default_factory=dict)  # beside the few variables that every command gets


class How(StrEnum):
    EXITED = "exited"  # by itself, with an exit code
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    COULD_NOT_START = "could_not_start"  # `output` says why, in a sentence


@dataclass(frozen=True, slots=True)
class Ending:
    how: How
    exit_code: int | None  # only where it exited; 128 + n where signal n ended it, as a shell says it
    output: str  # what it printed, errors between the rest, as printed: it may hold any character
    truncated: bool  # the middle of the output was left out; a line there says how much
    duration: timedelta

    @property
    def last_line(self) -> str:
        """The last line it printed that is not blank; empty where there is none."""
        text = self.output.rstrip()
        return text[max(text.rfind("\n"), text.rfind("\r")) + 1 :].strip()
