"""What a person probably meant by a field that is not where, or not as, the format has it.

The second field of a task's line is its description. Many people write a field there instead:
`- [ ] Water plants | daily:09:00`. Such a task would go to the model at every tick.
"""

from collections.abc import Collection
from enum import Enum

from core.model.diagnostic import Problem
from core.rules.printable import shown
from core.rules.reading.fields import KEYS_OF_ACTIONS, LATER_FIELDS, NEEDS, TASK_KEYS
from core.rules.reading.findings import Findings
from core.rules.timing.expressions import read_schedule
from core.rules.timing.words import WORDS

# How much a misspelt field has to look like the right one: `dayly` does, `priority` is no `verify`.
LIKENESS = 0.75

# In a schedule without its colon, next to numbers: `every 2 hours`, `daily at 9 am`.
_WORDS_OF_TIME = frozenset(
    {
        *("at", "on", "and", "other", "last", "am", "pm", "noon", "midnight", "morning", "evening"),
        *("s", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes"),
        *("hour", "hours", "day", "days", "week", "month", "year"),
        *("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    }
)
_MOST_WORDS = 8
_STARTS_OF_NEEDS = ("req", "opt")


class Second(Enum):
    """What the second field of a line is."""

    DESCRIPTION = 1
    FIELD = 2
    UNCLEAR = 3  # it is read as the description, and that is said


def second_field(text: str, hint_prefixes: Collection[str], findings: Findings) -> Second:
    """Return what the second field of a task's line is, going by its first words."""
    start = text.partition(" ")[0].lower()
    if ":" not in text and start not in WORDS and start[:3] not in _STARTS_OF_NEEDS:
        return Second.DESCRIPTION  # nearly all
    if is_bare_schedule(text):
        return Second.FIELD

    word, colon, value = text.partition(":")
    key = word.strip().lower()
    if not colon:
        return Second.FIELD if meant_need(key, findings) else Second.DESCRIPTION

    if value.startswith("//"):
        return Second.UNCLEAR if len(text.split()) == 1 else Second.DESCRIPTION
    if key in WORDS:
        return _with_schedule_word(text, value)
    if key in TASK_KEYS or key in hint_prefixes:
        return Second.FIELD
    if key in LATER_FIELDS or key in KEYS_OF_ACTIONS:
        return Second.FIELD if len(value.split()) == 1 else Second.UNCLEAR

    is_misspelt = word.strip() == key and _is_misspelt(key, value, hint_prefixes, findings)
    return Second.FIELD if is_misspelt else Second.DESCRIPTION


def _with_schedule_word(text: str, value: str) -> Second:
    """Tell `daily:9am` from `Daily: sweep the yard`."""
    looks_like_one = value[:1] not in ("", " ", "\t") or value.lstrip()[:1].isdigit()
    return Second.FIELD if looks_like_one or is_schedule(text) else Second.UNCLEAR


def _is_misspelt(key: str, value: str, hint_prefixes: Collection[str], findings: Findings) -> bool:
    if " " in key or not key.isidentifier():
        return meant_key(key, findings) is not None and key.count(" ") == 1

    known = [*TASK_KEYS, *WORDS]
    if value[:1] not in (" ", "\t"):
        known += hint_prefixes

    as_long = [one for one in known if abs(len(one) - len(key)) <= 1]  # `week` is no `weekly`
    return findings.nearest(key, as_long, LIKENESS) is not None


def is_schedule(text: str) -> bool:
    return not isinstance(read_schedule(text), Problem)


def is_bare_schedule(text: str) -> bool:
    """Say whether it is a schedule, perhaps without its colon or its time: `every 30m`, `daily`.

    `weekly report` is none.
    """
    first, _, rest = text.partition(" ")
    if first.lower() not in WORDS:
        return False

    words = rest.lower().split(None, _MOST_WORDS)
    return len(words) < _MOST_WORDS and all(
        word in _WORDS_OF_TIME or _is_number(word) for word in words
    )


def _is_number(word: str) -> bool:
    """Say whether it is like `30m`, `09:00` or the `*/5` of cron."""
    return word.strip("'\"")[:1] in tuple("0123456789*")


def field_without_colon(text: str, hint_prefixes: Collection[str]) -> str:
    """Return what to write for a bare field that begins with the name of one: `every 30m`.

    Empty where it is none: any other words are a check, which a judge decides.
    """
    first, _, rest = text.partition(" ")
    word = first.lower()
    rest = rest.strip()
    if "<" in text or ">" in text or "=" in text:
        return ""

    in_words = " A check in words needs `verify:` before it." if " " in rest else ""
    if word in WORDS:
        return _schedule_fix(text, word) + in_words
    if word == "verify" and " " not in rest and ("/" in rest or "." in rest.strip(".")):
        return f"Write `verify: file:{shown(rest)}`."
    if word in TASK_KEYS:
        return f"Write `{word}: {shown(rest) or '…'}`.{in_words}"

    return f"Write `{word}:{shown(rest) or '…'}`.{in_words}" if word in hint_prefixes else ""


def _schedule_fix(text: str, word: str) -> str:
    schedule = read_schedule(text)
    if is_bare_schedule(text) and isinstance(schedule, Problem):
        return schedule.hint

    return f"A schedule is written like `{WORDS[word].example}`."


def meant_need(word: str, findings: Findings) -> str | None:
    return findings.nearest(word, NEEDS) if word[:3] in _STARTS_OF_NEEDS else None


def meant_key(key: str, findings: Findings, hint_prefixes: Collection[str] = ()) -> str | None:
    """Return the field, or the kind of check, whose name is misspelt."""
    known = (*TASK_KEYS, *WORDS, *hint_prefixes)
    return KEYS_OF_ACTIONS.get(key) or findings.nearest(key.replace(" ", "_"), known, LIKENESS)
