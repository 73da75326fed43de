"""`monthly:1:09:00` and `monthly:last:09:00`."""

from collections.abc import Iterator
from datetime import date, datetime, time

from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass
from core.rules.printable import quoted
from core.rules.timing.schedule import ScheduleWord, WallClock, next_of_dates
from core.rules.timing.times import (
    LETTERS,
    corrected_time,
    is_digits,
    months_from,
    read_time,
    time_words,
)


@light_dataclass(frozen=True, slots=True)
class Monthly(WallClock):
    at: time
    day: int | None  # None: the last

    def text(self) -> str:
        return f"monthly:{self.day or 'last'}:{self.at:%H:%M}"

    def sentence(self) -> str:
        which = "the last day" if self.day is None else f"day {self.day}"
        return f"On {which} of every month at {time_words(self.at)}"

    def advice(self) -> str | None:
        if self.day is None or self.day <= 28:
            return None

        return f"Write `{Monthly(self.at, None).text()}` for the last day of every month."

    def time_of_day(self) -> time | None:
        return self.at

    def is_rhythm(self) -> bool:
        return False

    def next_wall(self, wall: datetime) -> datetime:
        return next_of_dates(self._dates(wall.date()), self.at, wall)

    def _dates(self, start: date) -> Iterator[date]:
        from calendar import monthrange  # it imports locale, which every command would pay for

        for year, month in months_from(start):
            length = monthrange(year, month)[1]
            day = self.day or length
            if day <= length:
                yield date(year, month, day)


def _read(text: str) -> Monthly | Problem:
    day_text, _, at_text = text.partition(":")
    at = read_time(at_text)
    if isinstance(at, Problem):
        return at
    if day_text.lower() == "last":
        return Monthly(at, None)

    if not is_digits(day_text) or not 1 <= int(day_text) <= 31:
        hint = f"Write a day from 1 to 31, or `monthly:last:{at:%H:%M}`."
        return Problem(f"{quoted(day_text)} is not a day of the month.", hint)

    return Monthly(at, int(day_text))


def _suggest(rest: str) -> Iterator[str]:
    which, _, at = rest.partition(":")
    if is_digits(which) and len(at) == 2:  # a time alone
        yield f"monthly:1:{corrected_time(rest)}"

    yield f"monthly:{_corrected_day(which)}:{corrected_time(at)}"
    yield f"monthly:{_corrected_day(which)}:09:00"


def _corrected_day(text: str) -> str:
    """`1st` as 1."""
    digits = text.rstrip(LETTERS + ".")
    return digits if is_digits(digits) else text


MONTHLY = ScheduleWord("monthly", "monthly:1:09:00", False, _read, _suggest)
