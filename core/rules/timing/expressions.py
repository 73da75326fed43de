"""Schedule expressions: text to value and back. What cannot be read is a Problem with the mend, never a guess."""

from calendar import monthrange
from collections.abc import Callable
from datetime import time, timedelta
from typing import assert_never

from core.model.diagnostic import Problem
from core.model.schedule import (
    ALL_DAYS,
    DAY_NAMES,
    WEEKDAYS,
    WEEKENDS,
    At,
    Cron,
    Daily,
    Every,
    Hourly,
    Monthly,
    Schedule,
    Startup,
    Yearly,
)
from core.rules.timing.cron import read_cron
from core.rules.timing.durations import duration_text, read_duration
from core.rules.timing.mending import is_number, quoted
from core.rules.timing.moments import read_iso
from core.rules.timing.suggestions import EXAMPLES, forms_hint, suggestions

LONGEST_TEXT = 200
SHORTEST_PERIOD = timedelta(seconds=1)
LEAP_YEAR = 2000


def read_schedule(text: str) -> Schedule | Problem:
    text = text.strip()
    if len(text) > LONGEST_TEXT:
        return Problem(f"{quoted(text)} is too long for a schedule.", f"Write one such as `{EXAMPLES['daily']}`.")
    schedule = _read(text)
    if not isinstance(schedule, Problem):
        return schedule
    for meant in suggestions(text):
        if not isinstance(_read(meant), Problem):
            return Problem(schedule.message, f"Write `{meant}`.")
    return schedule


def normalized(schedule: Schedule) -> str:
    """The one way to write it; it reads back as the same schedule."""
    match schedule:
        case Every(period):
            return f"every:{duration_text(period)}"
        case Hourly():
            return "hourly"
        case Daily(at, days):
            return f"{_days_text(days)}:{at:%H:%M}"
        case Monthly(at, day):
            return f"monthly:{day or 'last'}:{at:%H:%M}"
        case Yearly(at, month, day):
            return f"yearly:{month:02}-{day:02}:{at:%H:%M}"
        case Cron(fields):
            return f"cron:'{fields}'"
        case At(moment):
            text = moment.isoformat()
            return f"at:{text.removesuffix('+00:00')}Z" if text.endswith("+00:00") else f"at:{text}"
        case Startup():
            return "startup"
        case _:
            assert_never(schedule)


def advice(schedule: Schedule) -> str | None:
    """What to write instead where some months or years do not have the day; None where all have it."""
    match schedule:
        case Monthly(at, day) if day is not None and day > 28:
            return f"Write `{normalized(Monthly(at, None))}` for the last day of every month."
        case Yearly(at, 2, 29):
            return f"Write `cron:'{at.minute} {at.hour} L 2 *'` for the last day of every February."
    return None


def _read(text: str) -> Schedule | Problem:
    word, colon, rest = text.partition(":")
    word, rest = word.lower(), rest.strip()
    if word not in READERS:
        return Problem(f"{quoted(text)} is not a schedule." if text else "The schedule is empty.", forms_hint(text))
    if word in ("hourly", "startup"):
        if colon:
            return Problem(f"`{word}` takes nothing after it.", f"Write `{word}`.")
    elif not rest:
        return Problem(f"`{word}` needs to say when.", f"Write it like `{EXAMPLES[word]}`.")
    return READERS[word](rest)


def _read_every(text: str) -> Schedule | Problem:
    period = read_duration(text)
    if isinstance(period, Problem):
        return period
    if period < SHORTEST_PERIOD:
        return Problem("The shortest `every:` is 1 second.", "Write `every:1s` or longer.")
    return Every(period)


def _read_weekly(text: str) -> Schedule | Problem:
    names, _, at_text = text.partition(":")
    days = set()
    for name in names.lower().split(","):
        if name not in DAY_NAMES:
            return Problem(f"{quoted(name)} is not a day of the week.", f"Days are {', '.join(DAY_NAMES)}.")
        days.add(DAY_NAMES.index(name))
    return _read_daily(at_text, frozenset(days))


def _read_daily(text: str, days: frozenset[int] = ALL_DAYS) -> Schedule | Problem:
    at = read_time(text)
    return at if isinstance(at, Problem) else Daily(at, days)


def _read_monthly(text: str) -> Schedule | Problem:
    day_text, _, at_text = text.partition(":")
    at = read_time(at_text)
    if isinstance(at, Problem):
        return at
    if day_text.lower() == "last":
        return Monthly(at, None)
    if not is_number(day_text) or not 1 <= int(day_text) <= 31:
        hint = f"Write a day from 1 to 31, or `monthly:last:{at:%H:%M}`."
        return Problem(f"{quoted(day_text)} is not a day of the month.", hint)
    return Monthly(at, int(day_text))


def _read_yearly(text: str) -> Schedule | Problem:
    date_text, _, at_text = text.partition(":")
    at = read_time(at_text)
    if isinstance(at, Problem):
        return at
    month_text, _, day_text = date_text.partition("-")
    two_digits = len(month_text) == len(day_text) == 2 and is_number(month_text + day_text)
    if not two_digits or not 1 <= int(month_text) <= 12:
        return Problem(f"{quoted(date_text)} is not a month and a day.", f"Write it like `yearly:12-24:{at:%H:%M}`.")
    month, day = int(month_text), int(day_text)
    longest = monthrange(LEAP_YEAR, month)[1]
    if not 1 <= day <= longest:
        hint = f"Days of that month go from {month:02}-01 to {month:02}-{longest}."
        return Problem(f"There is no day {quoted(date_text)} in any year.", hint)
    return Yearly(at, month, day)


def _read_at(text: str) -> Schedule | Problem:
    moment = read_iso(text)
    return moment if isinstance(moment, Problem) else At(moment)


def read_time(text: str) -> time | Problem:
    """`HH:MM`, two digits each."""
    hour, _, minute = text.partition(":")
    if not text:
        return Problem("The time of day is missing.", "Write hours and minutes with two digits: `09:00`.")
    if not (len(hour) == len(minute) == 2 and is_number(hour + minute)):
        return Problem(f"{quoted(text)} is not a time of day.", "Write hours and minutes with two digits: `09:00`.")
    if int(hour) > 23 or int(minute) > 59:
        return Problem(f"There is no time {quoted(text)}.", "Hours go from 00 to 23, minutes from 00 to 59.")
    return time(int(hour), int(minute))


def _days_text(days: frozenset[int]) -> str:
    names = {ALL_DAYS: "daily", WEEKDAYS: "weekdays", WEEKENDS: "weekends"}
    return names.get(days) or "weekly:" + ",".join(DAY_NAMES[day] for day in sorted(days))


READERS: dict[str, Callable[[str], Schedule | Problem]] = {
    "every": _read_every,
    "hourly": lambda _: Hourly(),
    "daily": _read_daily,
    "weekdays": lambda text: _read_daily(text, WEEKDAYS),
    "weekends": lambda text: _read_daily(text, WEEKENDS),
    "weekly": _read_weekly,
    "monthly": _read_monthly,
    "yearly": _read_yearly,
    "cron": read_cron,
    "at": _read_at,
    "startup": lambda _: Startup(),
}
