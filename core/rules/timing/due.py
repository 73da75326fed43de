"""Whether an item is due at a moment, and why. What the ledger recorded comes in, what it should record goes out.

Recorded slots decide. A clock set back a little repeats nothing; set back by more, everything counts from now.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from core.model.diagnostic import Problem
from core.model.schedule import (
    Daily,
    Monthly,
    Schedule,
    Yearly,
)
from core.rules.timing.durations import read_duration

SET_BACK = timedelta(hours=3)  # a record further ahead of now than this was made by a clock that was wrong
ON_TIME = timedelta(minutes=2)  # no start is later than this unless something was in the way
LATEST_AT = timedelta(hours=24)
HOWEVER_LATE = timedelta.max
TICK = timedelta(microseconds=1)


def read_catch_up(text: str) -> timedelta | Problem:
    """`run`, `skip` or a duration, as how late a missed slot may still start."""
    match text.strip().lower():
        case "run":
            return HOWEVER_LATE
        case "skip":
            return ON_TIME
        case other:
            limit = read_duration(other)
            if isinstance(limit, Problem):
                return Problem(limit.message, "Write `run`, `skip`, or how late it may be, such as `2h`.")
            return limit


def local_day(schedule: Schedule, moment: datetime) -> date | None:
    """The local date whose slot a start at this moment settles; the ledger keeps it as the item's last day."""
    if not isinstance(schedule, Daily | Monthly | Yearly):
        return None
    # Before the time of day: still yesterday's, also where a gap at midnight has moved yesterday's slot to today.
    return moment.date() if moment.time() >= schedule.at else moment.date() - timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the ledger knows of an item with this schedule."""

    first_seen: datetime | None = None  # None: just now
    last_start: datetime | None = None
    last_slot: datetime | None = None  # of the last start, or the latest one skipped or missed
    last_day: date | None = None  # local_day() of that slot, where it was: the person may have travelled since
