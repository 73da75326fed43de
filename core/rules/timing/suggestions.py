"""What was probably meant by an expression that cannot be read. A suggestion need not be readable itself: try it."""

from collections.abc import Iterator

from core.model.schedule import DAY_NAMES
from core.rules.timing.cron import EXAMPLE
from core.rules.timing.durations import mended_duration
from core.rules.timing.mending import is_number, nearest

EXAMPLES = {
    "every": "every:5m",
    "hourly": "hourly",
    "daily": "daily:09:00",
    "weekdays": "weekdays:09:00",
    "weekends": "weekends:10:00",
    "weekly": "weekly:mon,thu:09:00",
    "monthly": "monthly:1:09:00",
    "yearly": "yearly:12-24:09:00",
    "cron": EXAMPLE,
    "at": "at:2026-01-15T14:00:00Z",
    "startup": "startup",
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
QUOTES = "'\"`@"


def suggestions(text: str) -> Iterator[str]:
    """The likeliest first."""
    text = text.strip().strip(QUOTES).strip()
    tight = "".join(text.lower().split())
    yield text
    yield tight
    yield "T".join(text.split())  # at:2026-01-15 14:00
    yield from _cron(text)
    letters, rest = _letters(tight)
    if not letters:
        yield from _without_a_word(text)
    elif letters[:3] in DAY_NAMES and letters not in EXAMPLES:
        yield f"weekly:{letters[:3]}:{mended_time(rest)}"
    if word := nearest(letters, EXAMPLES):
        yield from _with_word(word, rest)


def forms_hint(text: str) -> str:
    """For an expression that starts with no known word: how the nearest one is written, or all of them."""
    letters, _ = _letters("".join(text.lower().split()).strip(QUOTES))
    if word := nearest(letters, EXAMPLES):
        return f"Did you mean `{EXAMPLES[word]}`?"
    return f"Write one of: {', '.join(f'`{example}`' for example in EXAMPLES.values())}."


def _letters(tight: str) -> tuple[str, str]:
    """The word at the start, and what follows it and its colon."""
    rest = tight.lstrip(LETTERS)
    return tight[: len(tight) - len(rest)], rest.lstrip(":")


def _without_a_word(text: str) -> Iterator[str]:
    """`5m`, `09:00`, `2026-01-15 14:00`."""
    yield f"every:{mended_duration(text)}"
    yield f"daily:{mended_time(text)}"
    yield f"at:{'T'.join(text.split())}"


def _with_word(word: str, rest: str) -> Iterator[str]:
    match word:
        case "hourly" | "startup":
            yield f"cron:'{rest} * * * *'" if word == "hourly" and is_number(rest) else word
        case "every":
            yield f"every:{mended_duration(rest)}"
        case "at":
            yield f"at:{rest.upper()}"
            yield f"at:{rest.upper()}T09:00:00"
        case "weekly" | "monthly" | "yearly":
            which, _, at = rest.partition(":")
            if is_number(which) and len(at) == 2:  # a time alone
                first = {"weekly": "mon", "monthly": "1", "yearly": "01-01"}[word]
                yield f"{word}:{first}:{mended_time(rest)}"
            mended = {"weekly": mended_days, "monthly": _mended_day, "yearly": _mended_date}[word](which)
            yield f"{word}:{mended}:{mended_time(at)}"
            yield f"{word}:{mended}:09:00"
        case _:
            yield f"{word}:{mended_time(rest)}"


def _cron(text: str) -> Iterator[str]:
    """Five fields without the word, or with a stray quote or colon."""
    fields = text.lower().removeprefix("cron").strip(QUOTES + ": ")
    if len(fields.split()) == 5:
        yield f"cron:'{fields.upper()}'"


def mended_time(text: str) -> str:
    """`2:00`, `9`, `0900`, `9.30`, `2:00pm` and `24:00` as HH:MM; anything else as it is."""
    tight = "".join(text.lower().split())
    half = tight[-2:] if tight[-2:] in ("am", "pm") else ""
    clock = tight.removesuffix(half).replace(".", ":").replace("h", ":")
    if len(clock) == 4 and is_number(clock):
        clock = f"{clock[:2]}:{clock[2:]}"
    hour, _, minute = clock.partition(":")
    minute = (minute or "00").removesuffix(":00")
    if not (is_number(hour) and is_number(minute)):
        return text
    hours = int(hour) % 12 + (12 if half == "pm" else 0) if half else int(hour)
    return "00:00" if (hours, int(minute)) == (24, 0) else f"{hours:02}:{int(minute):02}"


def mended_days(text: str) -> str:
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


def _mended_day(text: str) -> str:
    """`1st` as 1."""
    digits = text.rstrip(LETTERS + ".")
    return digits if is_number(digits) else text


def _mended_date(text: str) -> str:
    """`1-5`, `24.12.` and `24-12` as month and day with two digits."""
    numbers = [part for part in text.replace(".", "-").replace("/", "-").split("-") if part]
    if len(numbers) != 2 or not all(is_number(part) for part in numbers):
        return text
    month, day = (int(part) for part in numbers)
    if month > 12:
        month, day = day, month
    return f"{month:02}-{day:02}"
