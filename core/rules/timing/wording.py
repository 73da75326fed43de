"""Schedules in a person's words: `Every weekday at 09:00`."""

from collections.abc import Collection, Sequence
from datetime import date, time, timedelta
from typing import assert_never

from core.model.schedule import ALL_DAYS, WEEKDAYS, At, Cron, Daily, Every, Hourly, Monthly, Schedule, Startup, Yearly
from core.rules.timing.cron import cron_words

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
UNITS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


def sentence(schedule: Schedule) -> str:
    """Without a full stop at its end."""
    match schedule:
        case Every(period):
            return f"Every {_period_words(period)}"
        case Hourly():
            return "Every hour, on the hour"
        case Daily(at, days):
            return f"Every {_days_words(days)} at {_time_words(at)}"
        case Monthly(at, day):
            which = "the last day" if day is None else f"day {day}"
            return f"On {which} of every month at {_time_words(at)}"
        case Yearly(at, month, day):
            return f"Every year on {day} {date(2000, month, day):%B} at {_time_words(at)}"
        case Cron():
            return cron_words(schedule)
        case At(moment):
            zone = f" {moment.tzname()}" if moment.tzinfo else ""
            return f"Once, on {moment.day} {moment:%B %Y} at {_time_words(moment.time())}{zone}"
        case Startup():
            return "At every start of Heartbeat"
        case _:
            assert_never(schedule)


def _period_words(period: timedelta) -> str:
    seconds = int(period.total_seconds())
    for name, size in UNITS.items():
        if seconds == size:
            return name
        if seconds % size == 0:
            return f"{seconds // size} {name}s"
    raise AssertionError("every whole number of seconds is one of the above")


def _days_words(days: Collection[int]) -> str:
    if days == ALL_DAYS:
        return "day"
    if days == WEEKDAYS:
        return "weekday"
    return _listed([DAYS[day] for day in sorted(days)])


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _time_words(at: time) -> str:
    return f"{at:%H:%M:%S}" if at.second else f"{at:%H:%M}"
