"""What the ledger remembers besides occurrences: items, the plan and the person's requests."""

from collections.abc import Mapping
from datetime import date, datetime, tzinfo

from core.model.light_dataclass import light_dataclass
from core.model.occurrence import Outcome


@light_dataclass(frozen=True, slots=True)
class ItemPast:
    """What is known about one item. It is kept as long as the ledger is."""

    item: str
    schedule: str  # normalized; empty without one
    first_seen: datetime  # with this schedule; a changed one counts as new
    last_start: datetime | None = None
    last_slot: datetime | None = None  # the latest slot that was started, skipped or missed
    # Where the person was then, for the slot's local day; None: that day does not count.
    last_slot_zone: tzinfo | None = None
    last_finished: datetime | None = None
    last_outcome: Outcome | None = None  # of its last run
    attempts: int = 0  # tries in a row that failed
    retry_at: datetime | None = None


@light_dataclass(frozen=True, slots=True)
class PlanNote:
    """What the last plan left for the resident."""

    made: datetime
    next_wake: datetime | None  # None: nothing will be due by itself
    file: str = ""  # the HEARTBEAT.md that was read
    timezone: str = ""  # as the file says; empty: the system's
    is_enabled: bool = True  # by the settings: beats start by themselves
    errors: int = 0  # in HEARTBEAT.md and the prompts
    is_refused: bool = False  # nothing is read from HEARTBEAT.md
    approvals_waiting: int = 0
    unapproved: tuple[str, ...] = ()  # the ids of what waits for an approval, the first of them
    scripts: tuple[str, ...] = ()  # that commands name, relative to the workspace


@light_dataclass(frozen=True, slots=True)
class Pause:
    since: datetime
    until: datetime | None  # None: until resumed


@light_dataclass(frozen=True, slots=True)
class RunRequest:
    """A request for a beat right away; without items, for what a tick would run."""

    items: tuple[str, ...]
    since: datetime
    by_agent: bool = False  # only a model asks for it


@light_dataclass(frozen=True, slots=True)
class DayScore:
    """The sum of one local day's verdicts, and of its promises."""

    day: date
    points: int = 0
    possible: int = 0
    verified: int = 0
    not_verified: int = 0
    unclear: int = 0
    contradictions: int = 0
    feedback: int = 0  # the person's thumbs, in addition to the points of the verdicts
    kept: int = 0  # promises, of tasks and actions
    due: int = 0  # promises, kept or not

    @property
    def score(self) -> int:
        return self.points + self.feedback

    @property
    def has_verdict(self) -> bool:
        return self.verified + self.not_verified + self.unclear > 0


@light_dataclass(frozen=True, slots=True)
class Feedback:
    """A thumbs up or down."""

    given: datetime
    day: date
    item: str  # an item's key; empty: the day as a whole
    points: int


@light_dataclass(frozen=True, slots=True)
class Inspection:
    """What was in the workspace when it was last inspected, for `approval = "owner"`."""

    watched_since: datetime | None  # when the resident of that time started
    beat: int  # the newest one
    seen: Mapping[str, str]  # of everything that executes: key and digest
