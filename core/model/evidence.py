"""What was said about a task, what was done for it, what was measured, and what follows. Frozen values, no IO."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from core.model.check import Measurement, Value
from core.model.progress import TaskStatus
from core.model.value import dataclass
from core.model.verdict import Verdict


class Said(StrEnum):
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    NOTHING = "nothing"
    CUT_OFF = "cut off"  # whoever did it could not be reached, ran out of budget or was cancelled


@dataclass(frozen=True, slots=True)
class Claim:
    """What whoever did the task reports."""

    said: Said
    result: str = ""
    facts: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Act:
    """One command or tool call made for the task."""

    what: str
    output: str = ""  # capped, without secrets
    could_do_it: bool = True  # False for what only looks or reports


@dataclass(frozen=True, slots=True)
class FileChange:
    path: str
    before: str | None  # fingerprints; None: there was no such file
    after: str | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the judge says where nothing can be measured."""

    verdict: Verdict
    contradiction: bool = False
    quote: str = ""  # from the evidence
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What follows from a claim and its measurement."""

    verdict: Verdict | None  # None: nothing is scored
    reason: str
    status: TaskStatus
    attempts: int
    contradiction: bool = False
    points: int = 0
    possible: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a receipt shows."""

    claim: Claim
    measurement: Measurement
    acts: tuple[Act, ...] = ()
    files: tuple[FileChange, ...] = ()
    judgement: Judgement | None = None
    verdict: Verdict | None = None
    contradiction: bool = False
    points: int = 0
    reason: str = ""
