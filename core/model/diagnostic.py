"""What is wrong or worth knowing about a line, and what to write instead."""

from enum import StrEnum

from core.model.value import dataclass


class Severity(StrEnum):
    ERROR = "error"  # something does not run because of it
    WARNING = "warning"  # it runs, but perhaps not as meant
    INFO = "info"  # advice


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. Lines and columns count from 1; line 0 is the file as a whole."""

    line: int
    column: int
    severity: Severity
    code: str  # HB###, a row of core/model/codes.py
    message: str
    hint: str
    file: str = ""  # the prompt file it is about; empty: HEARTBEAT.md


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a value cannot be read, before anybody knows which line it stands on."""

    message: str
    hint: str
