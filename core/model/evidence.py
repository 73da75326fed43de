"""What was said about a task, what was done for it, what was measured, and what follows. Frozen
values, no IO."""

from collections.abc import Mapping
from enum import StrEnum

from core.model.check import Measurement, Value
from core.model.light_dataclass import field, light_dataclass
from core.model.occurrence import Verdict
from core.model.progress import TaskStatus


class Said(StrEnum):
    """The ledger and JSON keep these words, so they stay."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    NOTHING = "nothing"
    CUT_OFF = "cut off"  # it was cancelled, ran out of budget, or the model could not be reached


@light_dataclass(frozen=True, slots=True)
class Claim:
    """What a command or model that did the task reports."""

    said: Said
    result: str = ""
    facts: Mapping[str, Value] = field(default_factory=dict)


@light_dataclass(frozen=True, slots=True)
class Act:
    """One command or tool call made for the task."""

    what: str
    output: str = ""  # capped, without secrets
    could_do_it: bool = True  # False for what only reads or reports


@light_dataclass(frozen=True, slots=True)
class FileChange:
    path: str
    before: str | None  # fingerprints; None if there was no such file
    after: str | None


@light_dataclass(frozen=True, slots=True)
class Judgement:
    """What the judge says where nothing can be measured."""

    verdict: Verdict
    contradiction: bool = False
    quote: str = ""  # from the evidence
    reason: str = ""


@light_dataclass(frozen=True, slots=True)
class Ruling:
    """What follows from a claim and its measurement."""

    verdict: Verdict | None  # None: nothing is scored
    reason: str
    status: TaskStatus
    attempts: int
    contradiction: bool = False
    points: int = 0
    possible: int = 0


@light_dataclass(frozen=True, slots=True)
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
