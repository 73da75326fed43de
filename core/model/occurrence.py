"""An item at one slot, from due to announced. Its state changes only as TRANSITIONS says.

The slot makes it unique: an item starts at most once at one slot. A retry is due at an instant
of its own, so it has a slot of its own, and every try stays in the history.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any

from core.model.cause import Cause
from core.model.light_dataclass import light_dataclass, replace
from core.model.waiting import Why, in_words


class State(StrEnum):
    DUE = "due"  # no beat has taken it
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
    # a one-time action that was skipped may still run
    State.SKIPPED: frozenset({State.CLAIMED, State.WAITING, State.SKIPPED}),
    State.MISSED: frozenset(),
}

# An item has at most one of these at any time, so that they cannot pile up.
OPEN = frozenset({State.DUE, State.WAITING})
UNFINISHED = frozenset({State.CLAIMED, State.STARTED})  # what a crash leaves behind


class Outcome(StrEnum):
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"
    WAITING = "waiting"
    INTERRUPTED = "interrupted"  # started, and it is not known how it ended
    NEEDS_MODEL = "needs_model"
    NEEDS_APPROVAL = "needs_approval"
    NEEDS_CLARIFICATION = "needs_clarification"
    MISSED = "missed"


FAILURES = frozenset({Outcome.FAILED, Outcome.INTERRUPTED})  # started, and did not end well


class Verdict(StrEnum):
    """What a check says about a claim."""

    VERIFIED = "verified"
    NOT_VERIFIED = "not_verified"
    UNCLEAR = "unclear"


class IllegalTransitionError(Exception):
    """The program asked for a change that TRANSITIONS does not have; nothing was changed."""


@light_dataclass(frozen=True, slots=True)
class Occurrence:
    """One row of the ledger. Instants are aware; the ledger gives them back in UTC."""

    item: str
    kind: str  # task, action, prompt, plain or review
    slot: datetime  # the nominal instant at which it was due
    beat: int
    why: Why  # it runs, waits, was skipped or missed
    attempts: int = 1  # tries in a row, this one included
    state: State = State.DUE
    outcome: Outcome | None = None
    recorded: datetime | None = None  # when it was claimed, held back, skipped or missed
    day: date | None = None  # the person's calendar day then; its points count there
    started: datetime | None = None
    finished: datetime | None = None
    result: str = ""
    error: str = ""
    cause: Cause = ()  # of a failure or a skip; empty also where an earlier version recorded it
    verdict: Verdict | None = None
    contradiction: bool = False
    points: int = 0
    possible: int = 0  # the points that it could have earned
    check_fails: bool = False  # a task that was skipped, and its check fails
    self_reported: bool = False  # verified, by a measurement of what the model itself wrote
    ruling: str = ""  # why it got its verdict, in words; empty where its points say it all
    is_undone: bool = False  # the person took back what it did to files; only in the history

    @property
    def reason(self) -> str:
        """Return `why` in words for a person."""
        return in_words(self.why)

    @property
    def duration(self) -> timedelta | None:
        return self.finished - self.started if self.started and self.finished else None

    def advanced(self, state: State, **changes: Any) -> "Occurrence":
        """Return the occurrence in its next state; raise IllegalTransitionError if TRANSITIONS
        does not have that step."""
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
    AGENT = "agent"  # a model asked for it in the beat before


@light_dataclass(frozen=True, slots=True)
class Beat:
    """One wake-up that did something. Numbers only grow and are never used again."""

    number: int
    reason: BeatReason
    pid: int
    started: datetime
    finished: datetime | None = None
    completed: int = 0  # items that ended well
    failed: int = 0
    kept: int = 0  # promises, of those that were due
    not_kept: int = 0
