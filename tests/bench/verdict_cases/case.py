"""What a case is: a task, the world around it, and what the agent does and says, beat by beat.

Texts may have `<here>` (the case's own folder), `<n>` (its number), `<site>` (the address of its
workspace on the loopback server) and `<root>` (the absolute path of the workspace): many cases
share one workspace.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

HERE = "<here>"
NUMBER = "<n>"
SITE = "<site>"
ROOT = "<root>"


class Truth(Enum):
    """What the check would find after the beat, known from how the case was made."""

    PASSES = auto()
    FAILS = auto()
    UNMEASURED = auto()  # only a judge could say


class Says(Enum):
    """What the agent tells about the task."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    NOTHING = "nothing"  # while another task was reported
    QUIET = "quiet"  # the whole answer is SKIP or HEARTBEAT_OK
    CUT_OFF = "cut off"  # the model was not reached, or did not get to a report
    COMMAND = "command"  # a `run:` task: nobody says anything


class Beat(Enum):
    """What is true of the whole beat; only cases that agree in it share one."""

    BUSY = auto()  # each case has its own calls
    IDLE = auto()  # no call at all but reports
    WRITING = auto()  # only calls that write
    BESIDE = auto()  # another task was read for and reported
    SKIP = auto()
    HEARTBEAT_OK = auto()
    SKIP_WITH_BLANKS = auto()
    READ_THEN_OK = auto()  # some calls that read, and then HEARTBEAT_OK
    UNREACHABLE = auto()
    OVER_BUDGET = auto()
    CANCELLED = auto()
    NO_JUDGE = auto()  # as BUSY, but the judge cannot be reached
    COMMANDS = auto()  # only `run:` tasks, no model


class Leeway(Enum):
    """What the spec does not promise of a beat. Nothing of it lets a lie earn points."""

    NONE = auto()
    REPORT_REFUSED = auto()  # no JSON, so it may be refused: then nothing was reported
    WRITE_REFUSED = auto()  # the tool may not take this path: then nothing was written
    CHECK_STOPPED = auto()  # what the check runs was meddled with: then it may not be measured


@dataclass(frozen=True)
class Call:
    """A tool call. `lists`: the paths that a listing shows."""

    tool: str
    arguments: tuple[tuple[str, str], ...]
    lists: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return self.lists or tuple(value for name, value in self.arguments if name == "path")

    @property
    def reads(self) -> bool:
        return self.tool in ("read_file", "list_files")


def read(path: str) -> Call:
    return Call("read_file", (("path", path),))


def write(path: str, content: str) -> Call:
    return Call("write_file", (("path", path), ("content", content)))


def edit(path: str, old: str, new: str) -> Call:
    return Call("edit_file", (("path", path), ("old", old), ("new", new)))


def listing(pattern: str, *shows: str) -> Call:
    return Call("list_files", (("pattern", pattern),), shows)


@dataclass(frozen=True)
class File:
    """A file that somebody other than the agent makes. `days`: how old its time says it is."""

    path: str
    text: str
    days: float = 0


@dataclass(frozen=True)
class Raw:
    """A claimed value as it stands in the JSON, also where it is none."""

    text: str


@dataclass(frozen=True)
class Fact:
    """A claimed value, and what was to be measured before and after the batch."""

    name: str
    claimed: Any
    before: Any
    after: Any
    true: bool | None = None  # known from how it was made, where comparing could not tell
    # False: in other words, of which nobody can say whether they mean the same.
    is_comparable: bool = True

    @property
    def is_measured(self) -> bool:
        return self.before is not None or self.after is not None


def still(name: str, claimed: Any, measured: Any) -> Fact:
    """About a value that does not move."""
    return Fact(name, claimed, measured, measured)


def unmeasured(name: str, claimed: Any) -> Fact:
    """About something that nothing measures."""
    return Fact(name, claimed, None, None)


class Source(Enum):
    """Where the words that the judge quotes stand."""

    FOREIGN = auto()  # in what the agent read and did not write
    OWN = auto()  # only in what the agent wrote or said itself
    NOWHERE = auto()
    TOO_SHORT = auto()
    EMPTY = auto()


@dataclass(frozen=True)
class Ruling:
    """The judge's answer for the task."""

    verdict: str
    quote: str
    source: Source
    reason: str = "It is what the log shows."


@dataclass(frozen=True)
class Round:
    """One beat of the case."""

    says: Says
    truth: Truth
    beat: Beat = Beat.BUSY
    calls: tuple[Call, ...] = ()
    facts: tuple[Fact, ...] = ()
    result: str = "All is done."
    ruling: Ruling | None = None
    first: tuple[File, ...] = ()  # what happens to the world before the beat
    meanwhile: tuple[File, ...] = ()  # and while the model is at work
    later: tuple[File, ...] = ()  # and after its calls, before it reports
    sees: str = ""  # what its calls must have shown it; else the case proves nothing
    exit_code: int = 0  # of a `run:` task
    own_work: bool | None = None  # measured from what the agent wrote; None: not looked at
    leeway: Leeway = Leeway.NONE


@dataclass(frozen=True)
class Case:
    name: str
    is_lie: bool
    check: str
    rounds: tuple[Round, ...]
    required: bool = True
    description: str = "Look after things"
    named: tuple[str, ...] = ()  # the paths that the check or the task names
    check_names_path: bool = True
    files: tuple[File, ...] = ()
    probes: tuple[tuple[str, str], ...] = ()
    run: str = ""
    max_attempts: int = 3
    company: str = ""  # what it does would change other cases: it shares only with its like

    @property
    def beats(self) -> tuple[Beat, ...]:
        return tuple(one.beat for one in self.rounds)


@dataclass(frozen=True)
class Mix:
    """Cases that share one beat of their own, and actions beside them: what is kept and scored of
    all together."""

    name: str
    cases: tuple[Case, ...]
    exit_codes: tuple[int, ...] = ()  # of the actions


def fill(text: str, words: Mapping[str, str]) -> str:
    for mark, value in words.items():
        text = text.replace(mark, value)

    return text


def both(required: bool) -> str:
    return "required" if required else "optional"


def alternately(cases: Callable[[bool], Iterable[Case]]) -> Iterator[Case]:
    """Every second one of the required cases, and the optional ones between them."""
    for number, (required, optional) in enumerate(zip(cases(True), cases(False), strict=True)):
        yield optional if number % 2 else required
