"""What was probably meant by a schedule that cannot be read. Some suggestions cannot be read
either: try each before showing it."""

from collections.abc import Iterator

from core.model.schedule import DAY_NAMES
from core.rules.spelling import nearest
from core.rules.timing.durations import corrected_duration
from core.rules.timing.times import LETTERS, corrected_time
from core.rules.timing.words import WORDS

PHRASES = {
    "everyday": "daily:09:00",
    "everymorning": "daily:09:00",
    "everyevening": "daily:18:00",
    "everyhour": "hourly",
    "everyminute": "every:1m",
    "everyweek": "weekly:mon:09:00",
    "everymonth": "monthly:1:09:00",
    "everyyear": "yearly:01-01:09:00",
}
QUOTES = "'\"`@"
EVERY_DAY = {"day": "daily", "weekday": "weekdays", "weekend": "weekends"}


def suggestions(text: str) -> Iterator[str]:
    """What the text may mean, the likeliest first."""
    text = text.strip().strip(QUOTES).strip()
    tight = "".join(text.lower().split())
    yield text
    yield tight
    yield "T".join(text.split())  # at:2026-01-15 14:00
    yield from _cron(text)
    yield from _every_day(text)
    letters, rest = _letters(tight)
    if letters in PHRASES and not rest:
        yield PHRASES[letters]
    if letters == "at":
        yield f"daily:{corrected_time(rest)}"

    if not letters:
        yield from _without_a_word(text)
    elif letters[:3] in DAY_NAMES and letters not in WORDS:
        yield f"weekly:{letters[:3]}:{corrected_time(rest)}"

    if word := nearest(letters, WORDS):
        yield from WORDS[word].suggest(rest)


def _every_day(text: str) -> Iterator[str]:
    """`every day`, `every monday 9:00`: days are no length of time."""
    every, _, rest = text.lower().partition(" ")
    name, _, at = rest.strip().partition(" ")
    if every != "every":
        return

    is_day_of_week = name in DAY_NAMES or (name.endswith("day") and name[:3] in DAY_NAMES)
    days = f"weekly:{name[:3]}" if is_day_of_week else EVERY_DAY.get(name)
    if days:
        yield f"{days}:{corrected_time(at.strip().removeprefix('at '))}"
        yield f"{days}:09:00"


def forms_hint(text: str) -> str:
    """How to write the nearest word to the one at the start, or all of them where none is near."""
    letters, _ = _letters("".join(text.lower().split()).strip(QUOTES))
    if word := nearest(letters, WORDS):
        return f"Did you mean `{WORDS[word].example}`?"

    return f"Write one of: {', '.join(f'`{one.example}`' for one in WORDS.values())}."


def _letters(tight: str) -> tuple[str, str]:
    """The word at the start, and what follows it and its colon."""
    rest = tight.lstrip(LETTERS)
    return tight[: len(tight) - len(rest)], rest.lstrip(":")


def _without_a_word(text: str) -> Iterator[str]:
    """`5m`, `09:00`, `2026-01-15 14:00`."""
    yield f"every:{corrected_duration(text)}"
    yield f"daily:{corrected_time(text)}"
    yield f"at:{'T'.join(text.split())}"


def _cron(text: str) -> Iterator[str]:
    """Five fields without the word, or with a stray quote or colon."""
    fields = text.lower().removeprefix("cron").strip(QUOTES + ": ")
    if len(fields.split()) == 5:
        yield f"cron:'{fields.upper()}'"
