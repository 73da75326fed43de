"""What `heartbeat doctor` found out about one thing. Frozen values, no IO."""

from enum import StrEnum

from core.model.value import dataclass


class Health(StrEnum):
    WORKS = "works"
    ABSENT = "absent"  # not here, and everything else works without it
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    name: str
    health: Health
    words: str  # a sentence
    mend: str = ""  # the one command, or else the one thing, that changes it
