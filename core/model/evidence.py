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
class Touched:
    """What a tool call reads and writes; each tool says it in its own record."""

    reads: bool  # it brings in something that was there: a file, a list, a page, an output
    # It reads, lists or writes these; also the words of a command. Each is a name as it is: a star
    # in it is a star.
    paths: tuple[str, ...]
    writes: tuple[str, ...] | None  # of the paths; None: nobody knows which, as with a command
    patterns: tuple[str, ...] = ()  # whose files it lists or reads


DATA_MARK = "» "  # begins every line of an output that comes from outside

TOUCHED_NOTHING = Touched(reads=False, paths=(), writes=())


@light_dataclass(frozen=True, slots=True)
class Act:
    """One command or tool call made for the task."""

    what: str
    output: str = ""  # capped, without secrets
    could_do_it: bool = True  # False for what only reads or reports
    happened: bool = True  # False for what only reports, and for what was refused
    found: bool = True  # False where what was looked for is not there
    touched: Touched = TOUCHED_NOTHING
    # All texts that the model wrote in its arguments, in full; without those of a report.
    said: tuple[str, ...] = ()


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
    check_fails: bool = False  # it was skipped, and its check fails: the promise was not kept
    self_reported: bool = False  # verified, by a measurement of what the model itself wrote


@light_dataclass(frozen=True, slots=True)
class Named:
    """The files that a task and its check name. Without any, nothing that was done belongs to
    it."""

    paths: tuple[str, ...] = ()  # of the check, each as a whole
    sources: tuple[str, ...] = ()  # of the paths, those whose content is a measured value
    commands: tuple[str, ...] = ()  # that the check runs: its own, and those of its probes
    words: str = ""  # what the person wrote about the task
    by_any_reading: bool = False  # its check names no file, so whatever was read belongs to it


@light_dataclass(frozen=True, slots=True)
class Surroundings:
    """What a verdict needs to know besides the report, the acts and the measurement."""

    named: Named = Named()
    # Files and folders of the workspace before anything was done.
    known: frozenset[str] = frozenset()
    # The values of the check before anything was done, as far as they could be measured. None:
    # a report is not compared with them.
    values_before: Mapping[str, Value] | None = field(default_factory=dict)
    changed: tuple[str, ...] = ()  # all files that differ from before
    # The files that were compared: of others nobody knows whether they differ. None: all were.
    compared: frozenset[str] | None = None
    has_earned: bool = False  # its points of this interval


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
