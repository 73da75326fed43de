"""An item at one slot, from due to told; its state changes only as TRANSITIONS says.

The slot makes it unique: an item starts at most once at one slot. A retry is due at an instant of its own, so it
has a slot of its own, and every try stays in the history.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any

from core.model.value import dataclass
from core.model.verdict import Verdict


class State(StrEnum):
    DUE = "due"  # nobody has taken it
    WAITING = "waiting"  # due, and held back for a reason that may pass
    CLAIMED = "claimed"  # a beat has taken it; nothing has happened yet
    STARTED = "started"  # its effect may have begun
    FINISHED = "finished"
    VERIFIED = "verified"
    NOTIFIED = "notified"
    SKIPPED = "skipped"
    MISSED = "missed"


TRANSITIONS: Mapping[State, frozenset[State]] = {
    State.DUE: frozenset({State.CLAIMED, State.WAITING, State.SKIPPED, State.MISSED}),
    State.WAITING: frozenset({State.CLAIMED, State.WAITING, State.SKIPPED, State.MISSED}),
    # back to due: the beat that took it ended before it started anything
    State.CLAIMED: frozenset({State.STARTED, State.DUE, State.WAITING, State.SKIPPED}),
    State.STARTED: frozenset({State.FINISHED}),
    State.FINISHED: frozenset({State.VERIFIED, State.NOTIFIED}),
    State.VERIFIED: frozenset({State.NOTIFIED}),
    State.NOTIFIED: frozenset(),
    # a one-time action that was skipped is looked at again
    State.SKIPPED: frozenset({State.CLAIMED, State.WAITING, State.SKIPPED}),
    State.MISSED: frozenset(),
}

OPEN = frozenset({State.DUE, State.WAITING})  # at most one of an item at any time, so that they cannot pile up
UNFINISHED = frozenset({State.CLAIMED, State.STARTED})  # what a crash leaves behind


class Outcome(StrEnum):
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"
    WAITING = "waiting"
    INTERRUPTED = "interrupted"  # started, and nobody knows how it ended
    NEEDS_MODEL = "needs_model"
    NEEDS_APPROVAL = "needs_approval"
    NEEDS_CLARIFICATION = "needs_clarification"
    MISSED = "missed"


class IllegalTransitionError(Exception):
    """The program asked for a change of state that TRANSITIONS does not have; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One row of the ledger. Instants are aware; the ledger gives them back in UTC."""

    item: str
    kind: str  # task, action, prompt, plain or review
    slot: datetime  # the nominal instant at which it was due
    beat: int
    reason: str  # why it runs, waits, was skipped or missed
    attempts: int = 1  # tries in a row, this one included
    state: State = State.DUE
    outcome: Outcome | None = None
    recorded: datetime | None = None  # when it was claimed, held back, skipped or missed
    day: date | None = None  # the person's calendar day of that moment; its points count there
    started: datetime | None = None
    finished: datetime | None = None
    result: str = ""
    error: str = ""
    verdict: Verdict | None = None
    contradiction: bool = False
    points: int = 0
    possible: int = 0  # the points that it could have earned

    @property
    def duration(self) -> timedelta | None:
        return self.finished - self.started if self.started and self.finished else None

    def advanced(self, state: State, **changes: Any) -> "Occurrence":
        """The same occurrence in its next state; IllegalTransitionError where the table has no such step."""
        if state not in TRANSITIONS[self.state]:
            raise IllegalTransitionError(
                f"{self.item} at {self.slot.isoformat()} is {self.state}, not to become {state}"
            )
        return replace(self, state=state, **changes)


class BeatReason(StrEnum):
    TIMER = "timer"
    FILE = "file"
    PERSON = "person"
    CATCH_UP = "catch-up"
    STARTUP = "startup"
    RESUME = "resume"
    AGENT = "agent"  # a model asked for it in the beat before


@dataclass(frozen=True, slots=True)
class Beat:
    """One wake-up that did something. Numbers only grow and are never used again."""

    number: int
    reason: BeatReason
    pid: int
    started: datetime
    finished: datetime | None = None
    completed: int = 0  # items that ended well
    failed: int = 0
