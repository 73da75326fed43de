"""Dates with a time as people read them: `Mon 16 Nov 09:00`. Cheap to import, for the tray."""

from datetime import datetime

# `strftime` would take ten times as long, and speak the language of the system.
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def instant_words(instant: datetime, now: datetime, *, to_the_second: bool = False) -> str:
    """`Mon 16 Nov 09:00`, with the year where it is not this year and the seconds where there are
    any, or always. Both arguments are in the person's zone."""
    year = f" {instant.year}" if instant.year != now.year else ""
    seconds = f":{instant.second:02}" if instant.second or to_the_second else ""
    return f"{_date_text(instant)}{year} {_clock_text(instant)}{seconds}"


def short_instant_words(instant: datetime, now: datetime) -> str:
    """`09:00`, `Tue 09:00` or `Mon 16 Nov 09:00`: in the zone of `now`, with as much of the date
    as it needs to be clear."""
    instant = instant.astimezone(now.tzinfo)
    days = (instant.date() - now.date()).days
    if days == 0:
        return _clock_text(instant)
    if 0 < days < 7:
        return f"{_WEEKDAYS[instant.weekday()]} {_clock_text(instant)}"

    return f"{_date_text(instant)} {_clock_text(instant)}"


def _date_text(instant: datetime) -> str:
    return f"{_WEEKDAYS[instant.weekday()]} {instant.day} {_MONTHS[instant.month - 1]}"


def _clock_text(instant: datetime) -> str:
    return f"{instant.hour:02}:{instant.minute:02}"
