"""`daily:`, `weekdays:`, `weekends:`, `weekly:`: once per local day, on some days of the week."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, time, timedelta
from itertools import count

from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass
from core.model.schedule import ALL_DAYS, DAY_NAMES, WEEKDAYS, WEEKENDS
from core.rules.printable import quoted
from core.rules.timing.schedule import ScheduleWord, WallClock, next_of_dates
from core.rules.timing.times import corrected_days, corrected_time, is_digits, read_time, time_words

DAY = timedelta(days=1)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@light_dataclass(frozen=True, slots=True)
class Daily(WallClock):
    at: time
    days: frozenset[int] = ALL_DAYS

    def text(self) -> str:
        return f"{_days_text(self.days)}:{self.at:%H:%M}"

    def sentence(self) -> str:
        return f"Every {_days_words(self.days)} at {time_words(self.at)}"

    def time_of_day(self) -> time | None:
        return self.at

    def is_rhythm(self) -> bool:
        return False

    def next_wall(self, wall: datetime) -> datetime:
        days = (wall.date() + number * DAY for number in count())
        dates = (day for day in days if day.weekday() in self.days)
        return next_of_dates(dates, self.at, wall)


def _days_text(days: frozenset[int]) -> str:
    names = {ALL_DAYS: "daily", WEEKDAYS: "weekdays", WEEKENDS: "weekends"}
    return names.get(days) or "weekly:" + ",".join(DAY_NAMES[day] for day in sorted(days))


def _days_words(days: Collection[int]) -> str:
    if days == ALL_DAYS:
        return "day"
    if days == WEEKDAYS:
        return "weekday"

    return _listed([DAYS[day] for day in sorted(days)])


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _read_on(days: frozenset[int], text: str) -> Daily | Problem:
    at = read_time(text)
    return at if isinstance(at, Problem) else Daily(at, days)


def _read_daily(text: str) -> Daily | Problem:
    return _read_on(ALL_DAYS, text)


def _read_weekdays(text: str) -> Daily | Problem:
    return _read_on(WEEKDAYS, text)


def _read_weekends(text: str) -> Daily | Problem:
    return _read_on(WEEKENDS, text)


def _read_weekly(text: str) -> Daily | Problem:
    names, _, at_text = text.partition(":")
    days = set()
    for name in names.lower().split(","):
        if name not in DAY_NAMES:
            return Problem(
                f"{quoted(name)} is not a day of the week.", f"Days are {', '.join(DAY_NAMES)}."
            )

        days.add(DAY_NAMES.index(name))

    return _read_on(frozenset(days), at_text)


def _suggest_daily(rest: str) -> Iterator[str]:
    yield f"daily:{corrected_time(rest)}"


def _suggest_weekdays(rest: str) -> Iterator[str]:
    yield f"weekdays:{corrected_time(rest)}"


def _suggest_weekends(rest: str) -> Iterator[str]:
    yield f"weekends:{corrected_time(rest)}"


def _suggest_weekly(rest: str) -> Iterator[str]:
    which, _, at = rest.partition(":")
    if is_digits(which) and len(at) == 2:  # a time alone
        yield f"weekly:mon:{corrected_time(rest)}"

    yield f"weekly:{corrected_days(which)}:{corrected_time(at)}"
    yield f"weekly:{corrected_days(which)}:09:00"


DAILY = ScheduleWord("daily", "daily:09:00", False, _read_daily, _suggest_daily)
ON_WEEKDAYS = ScheduleWord("weekdays", "weekdays:09:00", False, _read_weekdays, _suggest_weekdays)
ON_WEEKENDS = ScheduleWord("weekends", "weekends:10:00", False, _read_weekends, _suggest_weekends)
WEEKLY = ScheduleWord("weekly", "weekly:mon,thu:09:00", False, _read_weekly, _suggest_weekly)
