"""When an item is due, as values: one class a kind of schedule, and what is decided about it at a moment."""

from datetime import datetime, time, timedelta

from core.model.value import dataclass

DAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")  # in the order of date.weekday()
ALL_DAYS = frozenset(range(7))
WEEKDAYS = frozenset(range(5))
WEEKENDS = ALL_DAYS - WEEKDAYS


@dataclass(frozen=True, slots=True)
class Every:
    """That long, elapsed, after the last start."""

    period: timedelta


@dataclass(frozen=True, slots=True)
class Hourly:
    """At every local :00."""


@dataclass(frozen=True, slots=True)
class Daily:
    """Once a local day, on some days of the week: also `weekdays:`, `weekends:` and `weekly:`."""

    at: time
    days: frozenset[int] = ALL_DAYS


@dataclass(frozen=True, slots=True)
class Monthly:
    at: time
    day: int | None  # None: the last


@dataclass(frozen=True, slots=True)
class Yearly:
    at: time
    month: int
    day: int


@dataclass(frozen=True, slots=True)
class Cron:
    fields: str  # five, in upper case, one space between them; known to be readable


@dataclass(frozen=True, slots=True)
class At:
    """Once ever."""

    moment: datetime  # without an offset: in the file's zone


@dataclass(frozen=True, slots=True)
class Startup:
    """Once a start of the resident."""


Calendar = Daily | Monthly | Yearly  # at a time of day, on some dates
Schedule = Every | Hourly | Calendar | Cron | At | Startup


@dataclass(frozen=True, slots=True)
class ActiveHours:
    """A window a day, half-open. An end that is not after the start lies on the next day."""

    start: time
    end: time
    days: frozenset[int] = ALL_DAYS  # on which the window opens


@dataclass(frozen=True, slots=True)
class Due:
    """What is decided about an item at one moment."""

    reason: str
    next: datetime | None  # when to look again: the next slot, or when the active hours open
    slot: datetime | None = None  # start it now, for this slot
    late: bool = False  # the slot was missed and is made up for
    waiting: datetime | None = None  # this slot is due, and waits for the active hours
    missed: datetime | None = None  # the latest slot that passed and is not made up for
    # The clock was set back: record this for each of last start, last slot and first sight that is later, and forget
    # the last day. Otherwise the item waits until the clock is where it was.
    counts_from: datetime | None = None
