"""What the ledger remembers beside the occurrences: of each item, of the plan, of the person's wishes."""

from collections.abc import Mapping
from datetime import date, datetime, tzinfo

from core.model.occurrence import Outcome
from core.model.value import dataclass


@dataclass(frozen=True, slots=True)
class ItemMemory:
    """What is known of one item, for as long as the ledger lives; retention never touches it."""

    item: str
    schedule: str  # normalized; empty without one
    first_seen: datetime  # with this schedule: a changed one is seen anew
    last_start: datetime | None = None
    last_slot: datetime | None = None  # the latest slot that was started, skipped or missed
    last_slot_zone: tzinfo | None = None  # where the person was then: its local day; None: that day is not to count
    last_finished: datetime | None = None
    last_outcome: Outcome | None = None  # of its last run
    attempts: int = 0  # tries in a row that failed
    retry_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PlanNote:
    """What the last plan left for the always-on process."""

    made: datetime
    next_wake: datetime | None  # None: nothing will be due by itself
    summary: Mapping[str, object]  # small, plain JSON


@dataclass(frozen=True, slots=True)
class Pause:
    since: datetime
    until: datetime | None  # None: until resumed


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A wish for a beat right away; no items: whatever a tick would run."""

    items: tuple[str, ...]
    since: datetime
    by_agent: bool = False  # a model wishes it, and nobody else


@dataclass(frozen=True, slots=True)
class DayScore:
    """The sum of one local day's verdicts."""

    day: date
    points: int = 0
    possible: int = 0
    verified: int = 0
    not_verified: int = 0
    unclear: int = 0
    contradictions: int = 0
    feedback: int = 0  # the person's thumbs, beside the points of the verdicts

    @property
    def score(self) -> int:
        return self.points + self.feedback


@dataclass(frozen=True, slots=True)
class Feedback:
    """A thumb up or down."""

    given: datetime
    day: date
    item: str  # an item's key; empty: the day as a whole
    points: int


@dataclass(frozen=True, slots=True)
class Look:
    """What stood in the workspace when it was last looked at, for `approval = "owner"`."""

    watched_since: datetime | None  # when the always-on process of that moment started
    beat: int  # the newest one
    seen: Mapping[str, str]  # of everything that executes: key and digest
