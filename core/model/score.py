"""Kept and broken promises of each day. Frozen values, no IO."""

from datetime import date
from enum import StrEnum

from core.model.ledger import DayScore
from core.model.light_dataclass import light_dataclass


class Level(StrEnum):
    LOCKDOWN = "lockdown"
    ESCALATED = "escalated"
    TIGHTENED = "tightened"
    WARNING = "warning"
    STEADY = "steady"
    GOOD = "good"
    EXCELLENT = "excellent"
    OUTSTANDING = "outstanding"


@light_dataclass(frozen=True, slots=True)
class ScoredDay:
    """One local day with what was asked of it."""

    sums: DayScore
    target: int
    floor: int

    @property
    def date(self) -> date:
        return self.sums.day

    @property
    def score(self) -> int:
        return self.sums.score

    @property
    def reached(self) -> bool:
        return self.score >= self.target

    @property
    def has_verdict(self) -> bool:
        return self.sums.has_verdict

    @property
    def kept(self) -> float | None:
        """Return promises kept / promises due, 0 to 1; None if none was due."""
        return round(self.sums.kept / self.sums.due, 3) if self.sums.due else None


@light_dataclass(frozen=True, slots=True)
class Score:
    days: tuple[ScoredDay, ...]  # every day from the first with a score to today, oldest first
    streak: int
    level: Level | None  # None before the day's first verdict

    @property
    def today(self) -> ScoredDay:
        return self.days[-1]


@light_dataclass(frozen=True, slots=True)
class Mover:
    """What moved the day's score."""

    what: str  # an item's key; empty for a thumb for the whole day
    points: int
    times: int
