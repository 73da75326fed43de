"""Moments as a person writes and reads them: ISO 8601 in, `Mon 16 Nov 09:00` out."""

from datetime import datetime, tzinfo

from core.model.diagnostic import Problem
from core.rules.timing.mending import quoted
from core.rules.timing.zones import in_zone, instant_of

YEARS = range(1970, 3000)  # far enough from datetime's own limits for every sum that these rules make


def read_moment(text: str, zone: tzinfo) -> datetime | Problem:
    """A TIME; one without an offset is in the zone."""
    moment = read_iso(text)
    if isinstance(moment, Problem) or moment.tzinfo is not None:
        return moment
    return in_zone(instant_of(moment, zone), zone)


def read_iso(text: str) -> datetime | Problem:
    """A date and a time in ISO 8601; naive where it names no offset."""
    text = text.strip()
    moment = _iso(text)
    if moment is None:
        meant = next((meant for meant in _meant(text) if _iso(meant)), None)
        hint = f"Write `{meant}`." if meant else "Write it as `2026-01-15T14:00:00Z`, or without `Z` for local time."
        return Problem(f"{quoted(text)} is not a date and time in ISO 8601.", hint)
    if moment.year not in YEARS:
        return Problem(f"The year of {quoted(text)} is too far away.", f"Years go from {YEARS[0]} to {YEARS[-1]}.")
    return moment


def moment_text(moment: datetime, now: datetime) -> str:
    """`Mon 16 Nov 09:00`: both in the person's zone; the year and the seconds only where they say something."""
    year = f" {moment.year}" if moment.year != now.year else ""
    seconds = f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
    return f"{moment:%a} {moment.day} {moment:%b}{year} {seconds}"


def _iso(text: str) -> datetime | None:
    if "T" not in text.upper():  # fromisoformat also takes a bare date, and any sign between date and time
        return None
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        return None


def _meant(text: str) -> list[str]:
    words = text.split()
    return ["T".join(words[:2]) + "".join(words[2:]), f"{text}T09:00:00"]
