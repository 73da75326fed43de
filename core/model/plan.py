"""What a beat would do now: for every item a decision and its reason."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from core.model.item import ItemKind, item_key
from core.model.light_dataclass import light_dataclass
from core.model.occurrence import BeatReason, Outcome
from core.model.waiting import Wait, Why, in_words

if TYPE_CHECKING:
    from core.model.agent import ModelChoice


class Decision(StrEnum):
    RUN = "run"
    WAIT = "wait"  # not due, or due and held back for a reason that passes by itself
    SKIP = "skip"  # nothing to do, or this slot is used up without a run
    BLOCKED = "blocked"  # due, and only the person can clear the way


@light_dataclass(frozen=True, slots=True)
class BeatRequest:
    """Why there is a beat. With ids, exactly these items run, whatever their schedule says."""

    reason: BeatReason
    items: tuple[str, ...] = ()
    # When the resident started; None: nothing runs at startup.
    resident_start: datetime | None = None

    @property
    def is_tick(self) -> bool:
        """Say whether the request itself is a tick; the timer's ticks are in the plan."""
        asked_for = (BeatReason.PERSON, BeatReason.AGENT)
        return self.reason in asked_for and not self.items


@light_dataclass(frozen=True, slots=True)
class Held:
    """How the ledger records an item that is due and does not run, and what the item waits for."""

    outcome: Outcome
    wait: Wait


@light_dataclass(frozen=True, slots=True)
class Planned:
    id: str
    kind: ItemKind
    decision: Decision
    # A reason in words, or a Held: one field, so that a held item always says what it waits for,
    # and no other item has an outcome.
    because: str | Held
    slot: datetime | None = None  # the occurrence that runs, or is held back
    next: datetime | None = None  # when to plan it again
    attempt: int = 1  # the number of the try that would be made now
    missed: datetime | None = None  # the latest slot that passed and is not caught up
    # The clock was set back: what was recorded as later than this counts as this.
    counts_from: datetime | None = None

    @property
    def key(self) -> str:
        return item_key(self.kind, self.id)

    @property
    def held_as(self) -> Outcome | None:
        """Return the outcome of what is held back; None if nothing is."""
        return self.because.outcome if isinstance(self.because, Held) else None

    @property
    def why(self) -> Why:
        return self.because.wait if isinstance(self.because, Held) else self.because

    @property
    def reason(self) -> str:
        """Return `why` in words for a person."""
        return in_words(self.why)


@light_dataclass(frozen=True, slots=True)
class ModelHold:
    """Why no model is asked now."""

    outcome: Outcome  # NEEDS_MODEL: none is set up. WAITING: it passes by itself
    wait: Wait
    until: datetime | None = None  # when to try again; None: at the next tick


@light_dataclass(frozen=True, slots=True)
class Plan:
    now: datetime
    items: tuple[Planned, ...]
    next_wake: datetime | None  # None: nothing will be due by itself
    tick: datetime | None = None  # the tick that is due now
    late: bool = False  # something is caught up
    # The model that would be asked; None if nothing is due for one, or none may be asked.
    model: "ModelChoice | None" = None
    model_hold: ModelHold | None = None  # why what is due for a model does not go to one

    @property
    def runs(self) -> tuple[Planned, ...]:
        return tuple(item for item in self.items if item.decision is Decision.RUN)
