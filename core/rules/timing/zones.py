"""Zones: which instant a wall-clock time is. Everything about clock changes is in this file.

Python compares and subtracts two aware datetimes of one ZoneInfo by their wall clocks, which is
wrong around a clock change. So these rules calculate in UTC, and the datetimes that they return
have a plain offset (`in_zone`).
"""

from __future__ import annotations

from bisect import bisect_left
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, available_timezones

from core.model.diagnostic import Problem
from core.rules.printable import quoted
from core.rules.spelling import nearest

if TYPE_CHECKING:
    from core.model.document import Document


def read_zone(name: str) -> ZoneInfo | Problem:
    """The IANA zone of that name."""
    name = name.strip()
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        # unknown; not a possible name; a folder such as `Europe`
        close = nearest(name, available_timezones())
        hint = (
            f"Did you mean `{close}`?" if close else "Write an IANA name such as `Europe/Berlin`."
        )
        return Problem(f"{quoted(name)} is not a time zone.", hint)


def zone_of(document: Document, system: tzinfo) -> tzinfo:
    """The file's zone, else the system's. One that cannot be read holds the document back, so it
    is not used."""
    named = document.frontmatter.text("timezone")
    zone = read_zone(named) if named else system
    return system if isinstance(zone, Problem) else zone


def in_zone(instant: datetime, zone: tzinfo) -> datetime:
    """The same instant as the zone's clock shows it, with its plain offset."""
    local = instant.astimezone(zone)
    shift = local.utcoffset()
    assert shift is not None
    return local.replace(tzinfo=timezone(shift), fold=0)


def wall_clock(instant: datetime, zone: tzinfo) -> datetime:
    """What the zone's clock shows at an instant, as a naive datetime."""
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def offset(instant: datetime, zone: tzinfo) -> timedelta:
    """How far the zone is ahead of UTC at an instant."""
    found = instant.astimezone(zone).utcoffset()
    assert found is not None
    return found


def instant_of(wall: datetime, zone: tzinfo) -> datetime:
    """The first instant, in UTC, at which the zone's clock shows this time; for a time that the
    zone leaves out, the end of the gap."""
    instant = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if wall_clock(instant, zone) == wall:
        return instant

    before_the_gap = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return offset_change(before_the_gap, instant, zone)


def offset_change(before: datetime, after: datetime, zone: tzinfo) -> datetime:
    """The second, after `before` and up to `after`, at which the offset becomes that of `after`;
    both in UTC."""
    wanted = offset(after, zone)
    first = int(before.timestamp())
    last = int(after.timestamp())

    def has_changed(second: int) -> bool:
        return offset(datetime.fromtimestamp(second, UTC), zone) == wanted

    unchanged = bisect_left(range(first, last), True, key=has_changed)
    return datetime.fromtimestamp(first + unchanged, UTC)


def has_date(day: date, zone: tzinfo) -> bool:
    """False for a date that a zone left out as a whole, as Samoa did with 30 December 2011."""
    return wall_clock(instant_of(datetime.combine(day, time.min), zone), zone).date() == day
