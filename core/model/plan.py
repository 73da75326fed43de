"""What a beat would do now: for every item a decision and its reason."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from core.model.item import Kind, item_key
from core.model.occurrence import BeatReason, Outcome
from core.model.value import dataclass

if TYPE_CHECKING:
    from core.model.agent import ModelChoice


class Decision(StrEnum):
    RUN = "run"
    WAIT = "wait"  # not due, or due and held back for a reason that passes by itself
    SKIP = "skip"  # nothing to do, or this slot is used up without a run
    BLOCKED = "blocked"  # due, and only the person can clear the way


@dataclass(frozen=True, slots=True)
class Wish:
    """Why there is a beat. With ids: exactly these items, whatever their schedule says."""

    reason: BeatReason
    items: tuple[str, ...] = ()
    resident_start: datetime | None = None  # when the always-on process started; None: nothing runs at startup

    @property
    def is_tick(self) -> bool:
        """A `heartbeat run` is a tick; the timer's ticks are in the plan."""
        return self.reason is BeatReason.PERSON and not self.items


@dataclass(frozen=True, slots=True)
class Planned:
    id: str
    kind: Kind
    decision: Decision
    reason: str
    slot: datetime | None = None  # the occurrence that runs, or is held back
    next: datetime | None = None  # when to look again
    attempt: int = 1  # the number of the try that would be made now
    held_as: Outcome | None = None  # how the ledger records that it is due and does not run
    missed: datetime | None = None  # the latest slot that passed and is not made up for
    counts_from: datetime | None = None  # the clock was set back: what was recorded later counts as this

    @property
    def key(self) -> str:
        return item_key(self.kind, self.id)


@dataclass(frozen=True, slots=True)
class ModelHold:
    """Why no model is asked now."""

    outcome: Outcome  # NEEDS_MODEL: none is set up. WAITING: it passes by itself
    reason: str
    until: datetime | None = None  # when to look again; None: at the next tick


@dataclass(frozen=True, slots=True)
class Plan:
    now: datetime
    items: tuple[Planned, ...]
    next_wake: datetime | None  # None: nothing will be due by itself
    tick: datetime | None = None  # the tick that is due now
    late: bool = False  # something is made up for
    model: "ModelChoice | None" = None  # the one that would be asked; None: nothing is due for one, or none may be
    model_hold: ModelHold | None = None  # why what is due for a model does not go to one

    @property
    def runs(self) -> tuple[Planned, ...]:
        return tuple(item for item in self.items if item.decision is Decision.RUN)
