"""What was found, and what to do about it: in a file, and by `heartbeat doctor`. Frozen values,
no IO."""

from enum import StrEnum
from typing import NamedTuple

from core.model.light_dataclass import light_dataclass


class Severity(StrEnum):
    ERROR = "error"  # something does not run because of it
    WARNING = "warning"  # it runs, but perhaps not as meant
    INFO = "info"  # advice


@light_dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. Lines and columns count from 1; line 0 is the file as a whole."""

    line: int
    column: int
    severity: Severity
    code: str  # HB###, a row of core/model/codes.py
    message: str
    hint: str
    file: str = ""  # the prompt file it is about; empty for HEARTBEAT.md


@light_dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong and what to do about it, without a place in a file."""

    message: str
    hint: str

    @property
    def full_text(self) -> str:
        """Both, where they are shown as one text."""
        return f"{self.message} {self.hint}" if self.hint else self.message


class Unclear(NamedTuple):
    """Why something does not run as it is written. The words are only ever shown."""

    words: str  # a sentence without a full stop
    code: str  # of the diagnostic
    about: str = ""  # which key or name is meant; a written value only as its fingerprint

    def __str__(self) -> str:
        return self.words


class Health(StrEnum):
    WORKS = "works"
    ABSENT = "absent"  # not here, and everything else works without it
    PROBLEM = "problem"


PROBE_ENTRY = "doctor-probe"  # what `heartbeat doctor` puts into the keyring for a moment


@light_dataclass(frozen=True, slots=True)
class Diagnosis:
    name: str
    health: Health
    words: str  # a sentence
    fix: str = ""  # the one command, or else the one thing, that changes it
