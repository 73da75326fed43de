"""Times of day, days of the week and numbers as people write them: `HH:MM`, and what was probably
meant by something else."""

from collections.abc import Iterator
from datetime import date, time
from itertools import count

from core.model.diagnostic import Problem
from core.model.schedule import DAY_NAMES
from core.rules.printable import quoted

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def is_digits(text: str) -> bool:
    """Only 0 to 9: str.isdigit also accepts `²` and digits of other scripts."""
    return text.isascii() and text.isdigit()


def read_time(text: str) -> time | Problem:
    """`HH:MM`, two digits each."""
    two_digits = "Write hours and minutes with two digits: `09:00`."
    if not text:
        return Problem("The time of day is missing.", two_digits)

    hour, _, minute = text.partition(":")
    if not (len(hour) == len(minute) == 2 and is_digits(hour + minute)):
        return Problem(f"{quoted(text)} is not a time of day.", two_digits)

    if int(hour) > 23 or int(minute) > 59:
        return Problem(
            f"There is no time {quoted(text)}.", "Hours go from 00 to 23, minutes from 00 to 59."
        )

    return time(int(hour), int(minute))


def time_words(at: time) -> str:
    """`HH:MM`, with the seconds where there are any."""
    return f"{at:%H:%M:%S}" if at.second else f"{at:%H:%M}"


def corrected_time(text: str) -> str:
    """`2:00`, `9`, `0900`, `9.30`, `2:00pm` and `24:00` as HH:MM; anything else as it is."""
    tight = "".join(text.lower().split())
    half = tight[-2:] if tight[-2:] in ("am", "pm") else ""
    clock = tight.removesuffix(half).replace(".", ":").replace("h", ":")
    if len(clock) == 4 and is_digits(clock):
        clock = f"{clock[:2]}:{clock[2:]}"

    hour, _, minute = clock.partition(":")
    minute = (minute or "00").removesuffix(":00")
    if not (is_digits(hour) and is_digits(minute)):
        return text

    hours = int(hour)
    minutes = int(minute)
    if half:
        hours = hours % 12 + (12 if half == "pm" else 0)

    return "00:00" if (hours, minutes) == (24, 0) else f"{hours:02}:{minutes:02}"


def corrected_days(text: str) -> str:
    """`Monday, Thursday` and `mon-fri` as short names with commas; anything else as it is."""
    days: list[str] = []
    for part in "".join(text.lower().split()).split(","):
        first, dash, last = (name[:3] for name in part.partition("-"))
        if first not in DAY_NAMES or (dash and last not in DAY_NAMES) or part.count("-") > 1:
            return text

        start = DAY_NAMES.index(first)
        length = (DAY_NAMES.index(last) - start) % 7 + 1 if dash else 1
        days += [DAY_NAMES[(start + step) % 7] for step in range(length)]

    return ",".join(days)


def months_from(start: date) -> Iterator[tuple[int, int]]:
    """Year and month, from that of the date on."""
    for number in count(start.year * 12 + start.month - 1):
        yield number // 12, number % 12 + 1
