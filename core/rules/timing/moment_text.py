"""Dates with a time as people read them: `Mon 16 Nov 09:00`. Cheap to import, for the tray."""

from datetime import datetime

# `strftime` would take ten times as long, and speak the language of the system.
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def moment_text(moment: datetime, now: datetime) -> str:
    """`Mon 16 Nov 09:00`, with the year where it is not this year and the seconds where there are
    any. Both arguments are in the person's zone."""
    year = f" {moment.year}" if moment.year != now.year else ""
    seconds = f":{moment.second:02}" if moment.second else ""
    return f"{_date_text(moment)}{year} {_clock_text(moment)}{seconds}"


def short_moment_text(moment: datetime, now: datetime) -> str:
    """`09:00`, `Tue 09:00` or `Mon 16 Nov 09:00`: in the zone of `now`, with as much of the date
    as it needs to be clear."""
    moment = moment.astimezone(now.tzinfo)
    days = (moment.date() - now.date()).days
    if days == 0:
        return _clock_text(moment)
    if 0 < days < 7:
        return f"{_WEEKDAYS[moment.weekday()]} {_clock_text(moment)}"

    return f"{_date_text(moment)} {_clock_text(moment)}"


def _date_text(moment: datetime) -> str:
    return f"{_WEEKDAYS[moment.weekday()]} {moment.day} {_MONTHS[moment.month - 1]}"


def _clock_text(moment: datetime) -> str:
    return f"{moment.hour:02}:{moment.minute:02}"
