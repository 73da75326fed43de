"""Days of the week, active hours, and the decision about an item at one instant. Frozen values.

The schedules themselves are in core/rules/timing/words, one file per word.
"""

from datetime import datetime, time

from core.model.light_dataclass import light_dataclass
from core.model.waiting import Why, in_words

DAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")  # in the order of date.weekday()
ALL_DAYS = frozenset(range(7))
WEEKDAYS = frozenset(range(5))
WEEKENDS = ALL_DAYS - WEEKDAYS


@light_dataclass(frozen=True, slots=True)
class ActiveHours:
    """A window per day, half-open. An end that is not after the start is on the next day."""

    start: time
    end: time
    days: frozenset[int] = ALL_DAYS  # on which the window opens


@light_dataclass(frozen=True, slots=True)
class Due:
    """What is decided about an item at one instant."""

    why: Why
    next: datetime | None  # when to decide again: the next slot, or when the active hours open
    slot: datetime | None = None  # start it now, for this slot
    late: bool = False  # the slot was missed and is caught up
    waiting: datetime | None = None  # this slot is due, and waits for the active hours
    missed: datetime | None = None  # the latest slot that passed and is not caught up
    # The clock was set back: record this for each of last start, last slot and first sight that is
    # later, and forget the last day. Otherwise the item waits until the clock is where it was.
    counts_from: datetime | None = None

    @property
    def reason(self) -> str:
        """Return `why` in words for a person."""
        return in_words(self.why)
