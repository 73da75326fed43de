"""Schedule expressions: text to value. What cannot be read is a Problem that says how to write it,
never a guess."""

from functools import lru_cache

from core.model.diagnostic import Problem
from core.rules.printable import quoted
from core.rules.timing.schedule import Schedule
from core.rules.timing.suggestions import forms_hint, suggestions
from core.rules.timing.words import WORDS

LONGEST_TEXT = 200


def read_schedule(text: str) -> Schedule | Problem:
    text = text.strip()
    if len(text) > LONGEST_TEXT:
        return Problem(
            f"{quoted(text)} is too long for a schedule.",
            f"Write one such as `{WORDS['daily'].example}`.",
        )

    schedule = _read(text)
    if not isinstance(schedule, Problem):
        return schedule

    for meant in suggestions(text):
        if not isinstance(_read(meant), Problem):
            return Problem(schedule.message, f"Write `{meant}`.")

    return schedule


def _read(text: str) -> Schedule | Problem:
    name, colon, rest = text.partition(":")
    word = WORDS.get(name.lower())
    rest = rest.strip()
    if word is None:
        message = f"{quoted(text)} is not a schedule." if text else "The schedule is empty."
        return Problem(message, forms_hint(text))

    if word.stands_alone and colon:
        return Problem(f"`{word.name}` takes nothing after it.", f"Write `{word.name}`.")
    if not word.stands_alone and not rest:
        return Problem(f"`{word.name}` needs to say when.", f"Write it like `{word.example}`.")

    return word.read(rest)


@lru_cache(maxsize=256)  # asked for every action that is written back
def is_one_time(text: str) -> bool:
    """Whether such a schedule comes once. One that cannot be read is taken as the example of its
    word: a slip in a one-time schedule must not make it come again and again."""
    schedule = _read(text.strip())
    if isinstance(schedule, Problem):
        word = WORDS.get(text.strip().partition(":")[0].lower())
        schedule = _read(word.example) if word else schedule

    return not isinstance(schedule, Problem) and schedule.happens_once()
