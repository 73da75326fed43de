"""Durations: `30s`, `5m`, `2h`, `1d` or a sum of them, read strictly. What was probably meant is
suggested, never used."""

from datetime import timedelta

from core.model.diagnostic import Problem
from core.rules.printable import quoted
from core.rules.timing.times import is_digits

SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
LONGEST = timedelta(days=36_500)
LONGEST_TEXT = 40

UNIT_WORDS = {
    "weeks": 7 * 86_400,
    "days": 86_400,
    "hours": 3_600,
    "hrs": 3_600,
    "minutes": 60,
    "mins": 60,
    "seconds": 1,
    "secs": 1,
}


def read_duration(text: str) -> timedelta | Problem:
    """The duration, or what to write instead."""
    text = text.strip()
    seconds = _sum(text) if len(text) <= LONGEST_TEXT else None
    if seconds is None:
        return Problem(f"{quoted(text)} is not a duration.", _hint(text))

    if seconds > LONGEST.total_seconds():
        return Problem(
            f"{quoted(text)} is too long.", f"The longest duration is `{duration_text(LONGEST)}`."
        )

    return timedelta(seconds=seconds)


def _hint(text: str) -> str:
    """What to write instead of a text that is not a duration."""
    if meant := corrected_duration(text):
        return f"Write `{meant}`."

    if is_digits(text) and len(text) < 6:
        return f"Add the unit: `{text}s`, `{text}m`, `{text}h` or `{text}d`."

    return "Write `30s`, `5m`, `2h`, `1d` or a sum such as `1h30m`."


def duration_text(duration: timedelta) -> str:
    """The shortest text that reads back as the same whole seconds: 90 minutes are `1h30m`."""
    return "".join(f"{count}{unit}" for count, unit in _parts(duration)) or "0s"


def duration_words(duration: timedelta) -> str:
    """For people, with its two largest units: `6 h 12 min`."""
    names = {"d": "d", "h": "h", "m": "min", "s": "s"}
    return " ".join(f"{count} {names[unit]}" for count, unit in _parts(duration)[:2]) or "0 s"


def corrected_duration(text: str) -> str | None:
    """What was probably meant by `5 m`, `5min`, `2 hours` or `1.5h`; None if that is
    not clear."""
    tight = "".join(text.lower().split())
    if len(tight) > LONGEST_TEXT:
        return None
    if tight and _sum(tight) is not None:
        return tight

    total = 0
    while tight:
        number = tight[: _length(tight, "0123456789.")]
        unit = tight[len(number) :]
        unit = unit[: _length(unit, "abcdefghijklmnopqrstuvwxyz")]
        size = _unit_size(unit)
        whole, _, decimals = number.partition(".")
        if size is None or not is_digits(whole + decimals):
            return None

        seconds, rest = divmod(int(whole + decimals) * size, 10 ** len(decimals))
        if rest:
            return None

        total += seconds
        tight = tight[len(number) + len(unit) :]

    return duration_text(timedelta(seconds=total)) if 0 < total <= LONGEST.total_seconds() else None


def _unit_size(unit: str) -> int | None:
    """The seconds of a unit that is written out or cut short: `min`, `hrs`, `d`."""
    if not unit:
        return None

    return next((size for word, size in UNIT_WORDS.items() if word.startswith(unit)), None)


def _sum(text: str) -> int | None:
    """The seconds of a sum such as `1h30m`; None if it is not one."""
    total = 0
    digits = ""
    for character in text.lower():
        if character in "0123456789":
            digits += character
        elif digits and character in SECONDS:
            total += int(digits) * SECONDS[character]
            digits = ""
        else:
            return None

    return None if digits or not text else total


def _parts(duration: timedelta) -> list[tuple[int, str]]:
    rest = int(duration.total_seconds())
    parts = []
    for unit, size in SECONDS.items():
        count, rest = divmod(rest, size)
        if count:
            parts.append((count, unit))

    return parts


def _length(text: str, characters: str) -> int:
    """How many of its first characters are among those given."""
    return len(text) - len(text.lstrip(characters))
