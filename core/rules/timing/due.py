"""Whether an item is due now, and why. What the ledger has recorded comes in, what it should record
goes out.

Recorded slots decide. A clock set back a little repeats nothing; set back by more, everything
counts from now.
"""

from datetime import UTC, date, datetime, timedelta, tzinfo

from core.model.diagnostic import Problem
from core.model.schedule import ActiveHours, Due
from core.rules.timing.durations import read_duration
from core.rules.timing.schedule import HOWEVER_LATE, ON_TIME, DecisionPoint, Recorded, Schedule


def read_catch_up(text: str) -> timedelta | Problem:
    """How late a missed slot may still start, from `run`, `skip` or a duration."""
    word = text.strip().lower()
    if word == "run":
        return HOWEVER_LATE
    if word == "skip":
        return ON_TIME

    limit = read_duration(word)
    if isinstance(limit, Problem):
        return Problem(limit.message, "Write `run`, `skip`, or how late it may be, such as `2h`.")

    return limit


def due(
    schedule: Schedule,
    now: datetime,
    zone: tzinfo,
    last_start: datetime | None,
    last_slot: datetime | None,
    first_seen: datetime | None,
    catch_up: timedelta,
    *,
    last_day: date | None = None,
    active: ActiveHours | None = None,
    resident_start: datetime | None = None,
) -> Due:
    """Decide about an item now; `Recorded` says what each record means."""
    point = DecisionPoint(now.astimezone(UTC), zone, catch_up, active)
    recorded = Recorded(
        _utc(last_start), _utc(last_slot), _utc(first_seen), last_day, resident_start
    )
    return schedule.due(point, recorded)


def _utc(instant: datetime | None) -> datetime | None:
    return instant.astimezone(UTC) if instant else None
