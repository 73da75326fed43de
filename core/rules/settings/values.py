"""The kinds of values that a setting takes: for each its type, its range, and the sentence about a
value that is not one.

Law: never imported by the resident, nor by a command whose settings have not changed: pydantic
takes longer to import than most commands take in all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from core.model.diagnostic import Problem
from core.model.tags import TAGS
from core.rules.approving.tags import known_tag
from core.rules.printable import shown
from core.rules.reading.findings import did_you_mean
from core.rules.timing.active import read_active
from core.rules.timing.durations import read_duration

# A larger amount is a mistake, and a duration of this many milliseconds still fits.
LARGEST = 1e13
MOST = 1_000_000_000
MOST_DAYS = 36_500  # a hundred years: there are no dates for much more
MOST_MINUTES = 10_080  # a week
DURATION = r"\s*([0-9]+[dhmsDHMS])+\s*"

# Written out, because pydantic, Python and an editor that uses the schema do not mean the same by
# `\s` and `.`.
BLANK = r"\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
SOMETHING_VISIBLE = f"[^{BLANK}]"
ANY_CHARACTER = r"[\s\S]"


@dataclass(frozen=True, slots=True)
class Says:
    """What a message says about a wrong value of this kind, after its key."""

    message: str
    hint: str


class WrongValueError(ValueError):
    """A mistake with words of its own, for pydantic to collect."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.says = Says(message, hint)


class EmptyValueError(ValueError):
    """A required value is there and says nothing: as if it were not there."""


def not_one_of(value: object, words: Sequence[str]) -> WrongValueError:
    return WrongValueError(f"is one of {', '.join(words)}", did_you_mean(str(value), words))


def _tags(tags: list[str]) -> list[str]:
    known = tuple(tag.listed for tag in TAGS)
    for tag in tags:
        if known_tag(tag) is None:
            raise WrongValueError(f"has no tag `{shown(tag)}`", did_you_mean(tag, known))

    return tags


def _tag_pattern() -> str:
    names = (f"{tag.name}{ANY_CHARACTER}+" if tag.names_a_folder else tag.name for tag in TAGS)
    return f"^({'|'.join(names)})$"


def _duration(value: object) -> timedelta:
    if not isinstance(value, str):
        raise WrongValueError("takes a duration", 'Write it in quotes: `"30m"`.')

    found = read_duration(value)
    if isinstance(found, Problem):
        raise WrongValueError(found.message, found.hint)

    return found


def _catch_up(value: object) -> object:
    is_known = value in ("run", "skip")
    is_duration = isinstance(value, str) and isinstance(read_duration(value), timedelta)
    if is_known or is_duration:
        return value

    raise WrongValueError("is run, skip or a duration", 'Write `"run"`, `"skip"` or `"2h"`.')


def _hours(value: object) -> str:
    """Hours of the day; `""` and `false` mean none."""
    if value is False or value == "":
        return ""

    if not isinstance(value, str):
        raise WrongValueError("takes hours", 'Write `"22:00-07:00"`, or `""` for none.')

    found = read_active(value, "quiet hours")
    if isinstance(found, Problem):
        raise WrongValueError(found.message, found.hint)

    return value


def _provider(value: object) -> object:
    words = _providers()
    if value not in words:
        raise not_one_of(value, words)

    return value


def _providers() -> tuple[str, ...]:
    from core.rules.providers import choices  # imported here: few files name a provider

    return choices()


def _add_providers(schema: dict[str, object]) -> None:
    schema["enum"] = list(_providers())


def _inside(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\", "~")) or ".." in parts or ":" in name or not name.isprintable():
        message = f"must stay inside the workspace, and `{shown(name)}` does not"
        raise WrongValueError(message, "Write a name such as `HEARTBEAT.md`.")

    return name


_QUOTES = 'Write it in quotes: `"…"`.'
_LIST = Says("takes a list of texts", 'Write `["…", "…"]`.')
_MILLISECONDS = Says(
    "takes a number of milliseconds", "Write for example `1800000`, which is half an hour."
)

Text = Annotated[str, Field(pattern=SOMETHING_VISIBLE), Says("takes a text", _QUOTES)]
Address = Annotated[
    str,
    Field(pattern=f"^https?://[^/{BLANK}]"),
    Says("takes an address", 'Write it in quotes: `"https://api.example.com/v1"`.'),
]
Flag = Annotated[bool, Says("takes true or false", "Write `true` or `false`, without quotes.")]
Count = Annotated[
    int,
    Field(ge=0, le=MOST),
    Says(f"takes a whole number from 0 to {MOST:,}", "Write a number without quotes."),
]
Days = Annotated[
    int,
    Field(ge=0, le=MOST_DAYS),
    Says(f"takes a number of days from 0 to {MOST_DAYS:,}", "Write a number without quotes."),
]
Minutes = Annotated[
    int,
    Field(ge=0, le=MOST_MINUTES),
    Says(f"takes a number of minutes from 0 to {MOST_MINUTES:,}", "Write a number without quotes."),
]
Amount = Annotated[
    float,
    Field(ge=0, lt=LARGEST),
    Says("takes an amount of 0 or more", "Write a number such as `1.0`."),
]
Milliseconds = Annotated[float, Field(ge=0, lt=LARGEST), _MILLISECONDS]
Texts = Annotated[list[str], _LIST]
Tags = Annotated[
    list[str],
    AfterValidator(_tags),
    WithJsonSchema({"type": "array", "items": {"type": "string", "pattern": _tag_pattern()}}),
    _LIST,
]
Duration = Annotated[
    timedelta,
    BeforeValidator(_duration),
    WithJsonSchema({"type": "string", "pattern": f"^{DURATION}$"}),
]
CatchUp = Annotated[
    str,
    BeforeValidator(_catch_up),
    WithJsonSchema({"type": "string", "pattern": f"^(run|skip|{DURATION})$"}),
]
Hours = Annotated[
    str,
    BeforeValidator(_hours),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"const": False}]}),
]
Provider = Annotated[str, BeforeValidator(_provider), Field(json_schema_extra=_add_providers)]
FileInside = Annotated[
    str, Field(pattern=SOMETHING_VISIBLE), AfterValidator(_inside), Says("takes a text", _QUOTES)
]

# A key of a channel. Text and numbers are all that a message can be composed of.
ChannelValue = Annotated[
    str | int | float | bool,
    Says("takes a text or a number", _QUOTES),
]


def _not_empty(value: object) -> object:
    if not value:
        raise EmptyValueError

    return value


RequiredChannelValue = Annotated[ChannelValue, AfterValidator(_not_empty)]
