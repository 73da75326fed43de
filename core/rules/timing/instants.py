"""Dates with a time as people write them: ISO 8601."""

from datetime import datetime, tzinfo

from core.model.diagnostic import Problem
from core.rules.printable import quoted
from core.rules.timing.zones import in_zone, instant_of

# Far enough from datetime's own limits for every sum that these rules make.
YEARS = range(1970, 3000)


def read_instant(text: str, zone: tzinfo) -> datetime | Problem:
    """The instant of a date and time; without an offset it is in the zone."""
    instant = read_iso(text)
    if isinstance(instant, Problem) or instant.tzinfo is not None:
        return instant

    return in_zone(instant_of(instant, zone), zone)


def read_iso(text: str) -> datetime | Problem:
    """A date and a time in ISO 8601; naive where it names no offset."""
    text = text.strip()
    instant = _iso(text)
    if instant is None:
        meant = next((meant for meant in _meant(text) if _iso(meant)), None)
        hint = "Write it as `2026-01-15T14:00:00Z`, or without `Z` for local time."
        if meant:
            hint = f"Write `{meant}`."

        return Problem(f"{quoted(text)} is not a date and time in ISO 8601.", hint)

    if instant.year not in YEARS:
        return Problem(
            f"The year of {quoted(text)} is too far away.",
            f"Years go from {YEARS[0]} to {YEARS[-1]}.",
        )

    return instant


def _iso(text: str) -> datetime | None:
    # fromisoformat also accepts a date alone, and any character between date and time.
    if "T" not in text.upper():
        return None

    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        return None


def _meant(text: str) -> list[str]:
    """`2026-01-15 14:00` with its T, and a date alone with a time."""
    words = text.split()
    return ["T".join(words[:2]) + "".join(words[2:]), f"{text}T09:00:00"]
