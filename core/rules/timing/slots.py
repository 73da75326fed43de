"""Slots: the instants at which a schedule is due, always strictly after a moment, at no cost for slots in between.

A wall-clock time that the zone leaves out is due at the end of the gap, one that comes twice is due the first time.
`hourly` and cron rhythms follow elapsed time instead: what is left out is left out, what comes twice is due twice.
"""

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import count
from typing import assert_never

from core.model.schedule import At, Calendar, Cron, Daily, Every, Hourly, Monthly, Schedule, Startup, Yearly
from core.rules.timing.cron import follows_elapsed_time, next_match
from core.rules.timing.zones import has_date, in_zone, instant_of, offset, offset_change, wall_clock

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)
LAST_YEAR = 9000  # datetime ends at 9999, and one more step may be long


def next_slot(schedule: Schedule, after: datetime, zone: tzinfo) -> datetime | None:
    """The first slot strictly after a moment, with the zone's offset. For `every:` the moment is the last start."""
    after = after.astimezone(UTC)
    match schedule:
        case Every(period):
            slot: datetime | None = after + period
        case At(moment):
            instant = moment_of(moment, zone)
            slot = instant if instant > after else None
        case Startup():
            slot = None
        case Hourly():
            slot = _next_in_elapsed_time(schedule, after, zone)
        case Cron() if follows_elapsed_time(schedule):
            slot = _next_in_elapsed_time(schedule, after, zone)
        case _:
            slot = _next_at_a_time(schedule, after, zone)
    return in_zone(slot, zone) if slot else None


def slots_after(schedule: Schedule, after: datetime, zone: tzinfo) -> Iterator[datetime]:
    while (slot := next_slot(schedule, after, zone)) and slot.year < LAST_YEAR:
        yield slot
        after = slot


def latest_slot(schedule: Schedule, now: datetime, zone: tzinfo, after: datetime) -> datetime | None:
    """The last slot in (after, now]. Looks back in growing steps, then halves: ten years off cost what a day costs."""
    now, after = now.astimezone(UTC), after.astimezone(UTC)

    def first_slot(since: datetime) -> datetime | None:
        slot = next_slot(schedule, since, zone)
        return slot if slot and slot <= now else None

    if isinstance(schedule, Every):
        periods = (now - after) // schedule.period
        return in_zone(after + periods * schedule.period, zone) if periods > 0 else None
    if first_slot(after) is None:
        return None
    back = HOUR
    while (latest := first_slot(max(after, now - back))) is None:
        back *= 4
    nothing_after = now
    while following := first_slot(latest):
        middle = following + (nothing_after - following) / 2
        if later := first_slot(middle):
            latest = later
        else:
            latest, nothing_after = following, middle
    return latest


def moment_of(moment: datetime, zone: tzinfo) -> datetime:
    """The instant of an `at:`, in UTC; one without an offset is in the zone."""
    return moment.astimezone(UTC) if moment.tzinfo else instant_of(moment, zone)


def _next_at_a_time(schedule: Calendar | Cron, after: datetime, zone: tzinfo) -> datetime:
    wall = wall_clock(after, zone)
    while True:
        wall = _next_wall(schedule, wall)
        slot = instant_of(wall, zone)
        # Not after: the clock was set back, and the time came before that.
        if slot > after and has_date(wall.date(), zone):
            return slot


def _next_in_elapsed_time(schedule: Hourly | Cron, after: datetime, zone: tzinfo) -> datetime:
    wall, shift = wall_clock(after, zone), offset(after, zone)
    while True:
        slot = (_next_wall(schedule, wall) - shift).replace(tzinfo=UTC)
        if offset(slot, zone) == shift:
            return slot
        # The clock changes before that: go on from there, with the change itself as the first possible instant.
        after = offset_change(after, slot, zone)
        wall, shift = wall_clock(after, zone) - TICK, offset(after, zone)


def _next_wall(schedule: Hourly | Calendar | Cron, wall: datetime) -> datetime:
    """The first wall-clock time of the schedule after a naive one, as if clocks never changed."""
    match schedule:
        case Hourly():
            return wall.replace(minute=0, second=0, microsecond=0) + HOUR
        case Cron():
            return next_match(schedule, wall)
        case Daily() | Monthly() | Yearly():
            times = (datetime.combine(day, schedule.at) for day in _dates(schedule, wall.date()))
            return next(time for time in times if time > wall)
        case _:
            assert_never(schedule)


def _dates(schedule: Calendar, start: date) -> Iterator[date]:
    """The dates on which it is due, from this day's month on (`daily` and its kin: from this day on)."""
    if isinstance(schedule, Daily):
        days = (start + number * DAY for number in count())
        yield from (day for day in days if day.weekday() in schedule.days)
        return
    for number in count(start.year * 12 + start.month - 1):
        year, month = number // 12, number % 12 + 1
        if isinstance(schedule, Yearly) and month != schedule.month:
            continue
        length = monthrange(year, month)[1]
        day = schedule.day or length
        if day <= length:
            yield date(year, month, day)
