"""Zones: where a wall-clock time lies on the line of instants. Everything about clock changes is in this file.

Two aware datetimes of one ZoneInfo are compared and subtracted by their wall clocks, which is wrong around a clock
change. So instants are worked with in UTC, and what these rules hand out carries a plain offset (`in_zone`).
"""

from bisect import bisect_left
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, available_timezones

from core.model.diagnostic import Problem
from core.rules.timing.mending import nearest, quoted


def read_zone(name: str) -> ZoneInfo | Problem:
    """An IANA zone."""
    name = name.strip()
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown; not a possible name; a folder such as `Europe`
        close = nearest(name, available_timezones())
        hint = f"Did you mean `{close}`?" if close else "Write an IANA name such as `Europe/Berlin`."
        return Problem(f"{quoted(name)} is not a time zone.", hint)


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """The same instant as the zone's clock shows it, with its plain offset."""
    local = moment.astimezone(zone)
    return local.replace(tzinfo=timezone(offset(moment, zone)), fold=0)


def wall_clock(moment: datetime, zone: tzinfo) -> datetime:
    """What the zone's clock shows at an instant, as a naive datetime."""
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def offset(moment: datetime, zone: tzinfo) -> timedelta:
    found = moment.astimezone(zone).utcoffset()
    assert found is not None
    return found


def instant_of(wall: datetime, zone: tzinfo) -> datetime:
    """The first instant, in UTC, at which the zone's clock shows this time; one left out is at the end of the gap."""
    instant = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if wall_clock(instant, zone) == wall:
        return instant
    before_the_gap = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return offset_change(before_the_gap, instant, zone)


def offset_change(before: datetime, after: datetime, zone: tzinfo) -> datetime:
    """The second, after `before` and up to `after`, at which the offset becomes that of `after`; both in UTC."""
    wanted = offset(after, zone)
    first, last = int(before.timestamp()), int(after.timestamp())

    def has_changed(second: int) -> bool:
        return offset(datetime.fromtimestamp(second, UTC), zone) == wanted

    return datetime.fromtimestamp(first + bisect_left(range(first, last), True, key=has_changed), UTC)


def has_date(day: date, zone: tzinfo) -> bool:
    """False for a date that a zone left out as a whole, as Samoa did with 30 December 2011."""
    return wall_clock(instant_of(datetime.combine(day, time.min), zone), zone).date() == day
