"""What a beat did, for whoever asked for it."""

from dataclasses import field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from core.model.item import Kind
from core.model.occurrence import BeatReason, Outcome
from core.model.status import TodaysScore
from core.model.value import dataclass
from core.model.verdict import Verdict

if TYPE_CHECKING:
    from core.model.agent import Usage


@dataclass(frozen=True, slots=True)
class ItemReport:
    id: str
    kind: Kind
    outcome: Outcome
    reason: str
    attempts: int = 0
    duration: timedelta | None = None
    result: str = ""
    error: str = ""
    verdict: Verdict | None = None
    contradiction: bool = False
    points: int = 0
    check: str = ""  # what was measured, in words


@dataclass(frozen=True, slots=True)
class Notice:
    """Something worth telling the person."""

    kind: str
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class BeatReport:
    """`beat` is None where nothing was due: such a beat leaves no trace."""

    beat: int | None
    reason: BeatReason
    started: datetime
    finished: datetime
    items: tuple[ItemReport, ...]
    next_wake: datetime | None
    notices: tuple[Notice, ...] = ()
    write_problem: str = ""  # why the results do not stand in the file yet
    score: TodaysScore = field(default_factory=TodaysScore)
    usage: "Usage | None" = None  # of the model; None: none was asked
