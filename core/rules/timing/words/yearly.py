"""`yearly:12-24:09:00`."""

from collections.abc import Iterator
from datetime import date, datetime, time

from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass
from core.rules.printable import quoted
from core.rules.timing.schedule import ScheduleWord, WallClock, next_of_dates
from core.rules.timing.times import corrected_time, is_digits, months_from, read_time, time_words

LEAP_YEAR = 2000


@light_dataclass(frozen=True, slots=True)
class Yearly(WallClock):
    at: time
    month: int
    day: int

    def text(self) -> str:
        return f"yearly:{self.month:02}-{self.day:02}:{self.at:%H:%M}"

    def sentence(self) -> str:
        day = date(LEAP_YEAR, self.month, self.day)
        return f"Every year on {self.day} {day:%B} at {time_words(self.at)}"

    def advice(self) -> str | None:
        if (self.month, self.day) != (2, 29):
            return None

        cron = f"cron:'{self.at.minute} {self.at.hour} L 2 *'"
        return f"Write `{cron}` for the last day of every February."

    def time_of_day(self) -> time | None:
        return self.at

    def is_rhythm(self) -> bool:
        return False

    def next_wall(self, wall: datetime) -> datetime:
        return next_of_dates(self._dates(wall.date()), self.at, wall)

    def _dates(self, start: date) -> Iterator[date]:
        from calendar import monthrange  # it imports locale, which every command would pay for

        for year, month in months_from(start):
            if month == self.month and self.day <= monthrange(year, month)[1]:
                yield date(year, month, self.day)


def _read(text: str) -> Yearly | Problem:
    date_text, _, at_text = text.partition(":")
    at = read_time(at_text)
    if isinstance(at, Problem):
        return at

    month_text, _, day_text = date_text.partition("-")
    two_digits = len(month_text) == len(day_text) == 2 and is_digits(month_text + day_text)
    if not two_digits or not 1 <= int(month_text) <= 12:
        return Problem(
            f"{quoted(date_text)} is not a month and a day.",
            f"Write it like `yearly:12-24:{at:%H:%M}`.",
        )

    from calendar import monthrange

    month = int(month_text)
    day = int(day_text)
    longest = monthrange(LEAP_YEAR, month)[1]
    if not 1 <= day <= longest:
        hint = f"Days of that month go from {month:02}-01 to {month:02}-{longest}."
        return Problem(f"There is no day {quoted(date_text)} in any year.", hint)

    return Yearly(at, month, day)


def _suggest(rest: str) -> Iterator[str]:
    which, _, at = rest.partition(":")
    if is_digits(which) and len(at) == 2:  # a time alone
        yield f"yearly:01-01:{corrected_time(rest)}"

    yield f"yearly:{_corrected_date(which)}:{corrected_time(at)}"
    yield f"yearly:{_corrected_date(which)}:09:00"


def _corrected_date(text: str) -> str:
    """`1-5`, `24.12.` and `24-12` as month and day with two digits."""
    numbers = [part for part in text.replace(".", "-").replace("/", "-").split("-") if part]
    if len(numbers) != 2 or not all(is_digits(part) for part in numbers):
        return text

    month, day = (int(part) for part in numbers)
    if month > 12:
        month, day = day, month

    return f"{month:02}-{day:02}"


YEARLY = ScheduleWord("yearly", "yearly:12-24:09:00", False, _read, _suggest)
