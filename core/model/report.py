"""What a beat did, as it is reported to the person."""

from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from core.model.cause import Cause
from core.model.diagnostic import Problem
from core.model.item import ItemKind
from core.model.light_dataclass import field, light_dataclass
from core.model.occurrence import BeatReason, Outcome, Verdict
from core.model.status import TodaysScore
from core.model.waiting import Why, in_words

if TYPE_CHECKING:
    from core.model.agent import Usage


@light_dataclass(frozen=True, slots=True)
class ItemReport:
    id: str
    kind: ItemKind
    outcome: Outcome
    why: Why
    attempts: int = 0
    duration: timedelta | None = None
    result: str = ""
    error: str = ""
    cause: Cause = ()  # of a failure or a skip, as data
    verdict: Verdict | None = None
    contradiction: bool = False
    points: int = 0
    check_fails: bool = False  # a task that was skipped, and its check fails
    self_reported: bool = False  # verified, by a measurement of what the model itself wrote
    ruling: str = ""  # why it got its verdict, in words; empty where its points say it all
    check: str = ""  # what was measured, in words
    measured: Cause = ()  # the same as data
    is_undone: bool = False  # the person took back what it did to files

    @property
    def reason(self) -> str:
        """Return `why` in words for a person."""
        return in_words(self.why)


class Urgency(StrEnum):
    """How pressing a message is, from the least to the most."""

    LOW = "low"
    NORMAL = "normal"
    CRITICAL = "critical"

    @classmethod
    def read(cls, word: str) -> "Urgency":
        """Read what the person wrote; any other word is NORMAL."""
        return next((one for one in cls if one == word.lower()), cls.NORMAL)

    @property
    def level(self) -> int:
        """Return its number in the order above, which is the one that desktops use."""
        return list(Urgency).index(self)


@light_dataclass(frozen=True, slots=True)
class NotSent:
    """A message did not reach the person."""

    reason: str  # the end of a sentence, without a full stop
    cause: Cause


class NoticeKind(StrEnum):
    """What a notice is about. The ledger and `--json` have these words."""

    ACTION = "action"  # an action sends it
    AGENT = "agent"  # the model sends it, while it is at work
    ANSWER = "answer"  # what came of a click
    APPROVAL = "approval"  # something waits for one
    APPROVALS = "approvals"  # their record cannot be trusted or checked
    BUDGET = "budget"
    CONTRADICTION = "contradiction"
    DIGEST = "digest"  # several notices as one
    EXHAUSTED = "exhausted"  # a task has used up its attempts
    FAILURE = "failure"
    FIRST = "first"  # after the first beat
    LEDGER = "ledger"  # it was damaged
    MESSAGE = "message"  # the model's last words
    MODEL = "model"  # there is none, or it cannot be reached
    NEVER_RUNS = "never_runs"  # lines of HEARTBEAT.md that look like something to do
    OVER = "over"  # a trouble
    PERMISSION = "permission"  # a gate's
    PROBLEM = "problem"  # of the program itself
    REFUSED = "refused"  # HEARTBEAT.md is not read
    REVIEW = "review"  # the model's message of a review
    SCORE_DROP = "score_drop"
    SERVER = "server"  # a tool server does not start

    @classmethod
    def read(cls, word: str) -> "NoticeKind":
        """Read what the ledger keeps; a word of another version is a MESSAGE."""
        return next((one for one in cls if one == word), cls.MESSAGE)


@light_dataclass(frozen=True, slots=True)
class Notice:
    """Something worth telling the person."""

    kind: NoticeKind
    title: str
    message: str


@light_dataclass(frozen=True, slots=True)
class BeatReport:
    """`beat` is None if nothing was due: such a beat leaves no trace."""

    beat: int | None
    reason: BeatReason
    started: datetime
    finished: datetime
    items: tuple[ItemReport, ...]
    next_wake: datetime | None
    notices: tuple[Notice, ...] = ()
    write_problem: Problem | None = None  # why the results are not in the file yet
    score: TodaysScore = field(default_factory=TodaysScore)
    usage: "Usage | None" = None  # of the model; None if none was asked
    never_run: int = 0  # lines of the file that look like something to do and can never run
    in_background: tuple[str, ...] = ()  # the ids of what it started and what is not over


# Told when an item starts (None) and when it has ended: its id, and what became of it.
TellProgress = Callable[[str, ItemReport | None], None]
