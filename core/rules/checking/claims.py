"""Whether what was claimed and what was measured can both be so. Pure.

Law: only where both can be compared for certain is a claim false. How it is written decides
nothing, and what cannot be compared is neither true nor false.
"""

import json
import re
from collections import Counter
from enum import Enum, auto
from typing import Any

from core.model.check import Value
from core.rules.checking.values import MOST_DIGITS, read_plain
from core.rules.checking.written import is_rounded, number_in, size_in, time_in

# With one of them a text may say the opposite of a word in it.
DENIALS = frozenset(
    ["not", "no", "never", "isn't", "wasn't", "aren't", "don't", "doesn't", "hardly", "barely"]
    + ["almost", "nearly", "without"]
)
NO_NUMBER = re.compile(r"[-+]?(nan|inf|infinity)", re.IGNORECASE)

LARGEST = 10**MOST_DIGITS  # of the numbers that are compared with one in words
MOST_PARTS = 100  # of a list, that may be said in other words


class Agreement(Enum):
    TRUE = auto()
    FALSE = auto()  # both cannot be so
    NOTHING_SAID = auto()  # nothing that a measurement could prove or disprove, such as `a few`
    NOT_COMPARABLE = auto()  # something was said, in a way that cannot be compared


TRUE, FALSE = Agreement.TRUE, Agreement.FALSE
NOTHING_SAID, NOT_COMPARABLE = Agreement.NOTHING_SAID, Agreement.NOT_COMPARABLE


def agreement(claimed: Value, measured: Value) -> Agreement:
    """Whether a claim agrees with a value that did not move."""
    claimed, measured = plain(claimed), plain(measured)
    if claimed == measured and isinstance(claimed, bool) is isinstance(measured, bool):
        return TRUE

    match measured:
        case bool():
            return _with_boolean(claimed, measured)
        case int() | float():
            return _with_number(claimed, measured)
        case str():
            return _with_text(claimed, measured)
        case list():
            return _with_list(claimed, measured)
        case dict():
            return _with_table(claimed, measured)
        case _:
            return NOTHING_SAID if claimed is None else NOT_COMPARABLE


def plain(value: Value) -> Value:
    """A text that reads as a number, true or false is one: `"3"` is 3."""
    return read_plain(value.strip()) if isinstance(value, str) else value


def flat(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .!")


def _of(is_so: bool) -> Agreement:
    return TRUE if is_so else NOT_COMPARABLE


def _with_boolean(claimed: Value, measured: bool) -> Agreement:
    match claimed:
        case bool():
            return FALSE
        case str():
            is_known = flat(claimed) in ("yes", "no")
            return _of((flat(claimed) == "yes") is measured) if is_known else NOTHING_SAID
        case None:
            return NOTHING_SAID
        case _:
            return _of(claimed in (0, 1) and bool(claimed) is measured)


def _with_number(claimed: Value, measured: int | float) -> Agreement:
    match claimed:
        case bool():
            return _of(measured in (0, 1) and bool(measured) is claimed)
        case int() | float():
            return TRUE if is_rounded(claimed, measured) else FALSE
        case str():
            return _written_number(claimed, measured)
        case list():
            return _of(len(claimed) == measured)
        case dict():
            return NOT_COMPARABLE
        case _:
            return NOTHING_SAID


def _written_number(claimed: str, measured: int | float) -> Agreement:
    if NO_NUMBER.fullmatch(claimed.strip()):
        return FALSE

    said = number_in(claimed)
    if said is None:
        return NOTHING_SAID  # in words, as a person would: `a few`
    if said.fits(measured):
        return TRUE

    is_certain = 0 < measured < 1 if said.is_share else abs(measured) < LARGEST
    return FALSE if said.is_all and is_certain else NOT_COMPARABLE


def _with_text(claimed: Value, measured: str) -> Agreement:
    match claimed:
        case bool():
            return _of(flat(measured) == ("yes" if claimed else "no"))
        case int() | float():
            return _number_for_text(claimed, measured)
        case str():
            return _texts(claimed, measured)
        case None:
            return NOTHING_SAID
        case _:
            return NOT_COMPARABLE


def _number_for_text(claimed: int | float, measured: str) -> Agreement:
    size, found = size_in(measured), number_in(measured)
    if size and size[0] <= claimed <= size[1]:
        return TRUE
    if found and (found.fits(claimed) or any(is_rounded(claimed, one) for one in found.meanings)):
        return TRUE

    return FALSE if found and found.is_all else NOT_COMPARABLE


def _texts(claimed: str, measured: str) -> Agreement:
    if flat(claimed) == flat(measured):
        return TRUE

    said, found = time_in(claimed), time_in(measured)
    if said and found:
        if said.is_same_as(found):
            return TRUE

        return FALSE if said.cannot_be(found) else NOT_COMPARABLE

    least, most = size_in(claimed), size_in(measured)
    if least and most:
        return TRUE if least[0] <= most[1] and most[0] <= least[1] else FALSE

    share = _share(measured)
    if share is not None and _share(claimed) is not None:
        return _with_number(_share(claimed), share)

    return TRUE if _says(claimed, measured) else NOT_COMPARABLE


def _share(text: str) -> int | float | None:
    found = number_in(text) if text.strip(" .!").casefold().endswith(("%", "percent")) else None
    return found.readings[0] if found and found.is_all and found.readings else None


def _says(claimed: str, measured: str) -> bool:
    """Whether a sentence says the measured word, and nothing that could deny it."""
    said, word = f" {flat(claimed)} ", flat(measured)
    return bool(word) and f" {word} " in said and DENIALS.isdisjoint(said.split())


# -- lists and tables ------------------------------------------------------------------------------


def _with_list(claimed: Value, measured: list[Any]) -> Agreement:
    if isinstance(claimed, list):
        return FALSE if _lists_differ(claimed, measured) else TRUE
    if isinstance(claimed, int | float) and not isinstance(claimed, bool):
        return _of(claimed == len(measured))

    return NOTHING_SAID if claimed is None or isinstance(claimed, str) else NOT_COMPARABLE


def _lists_differ(claimed: list[Any], measured: list[Any]) -> bool:
    """Whether they have different lengths, or one part of the claim is nowhere in the other."""
    if len(claimed) != len(measured):
        return True

    said, found = Counter(map(json.dumps, claimed)), Counter(map(json.dumps, measured))
    only_said = [json.loads(part) for part in (said - found).elements()]
    only_found = [json.loads(part) for part in (found - said).elements()]
    if len(only_said) > MOST_PARTS:
        return False

    return any(all(_parts_differ(one, other) for other in only_found) for one in only_said)


def _parts_differ(claimed: Value, measured: Value) -> bool:
    """Whether two parts of lists are different things. A text with more words is the same:
    `Ada <ada@x.org>` is `ada@x.org`."""
    if isinstance(claimed, dict) and isinstance(measured, dict):
        both = claimed.keys() & measured.keys()
        return any(_parts_differ(claimed[name], measured[name]) for name in both)
    if isinstance(claimed, list | dict) or isinstance(measured, list | dict):
        return False

    found = agreement(claimed, measured)
    if found is NOT_COMPARABLE and isinstance(claimed, str) and isinstance(measured, str):
        said, there = flat(claimed), flat(measured)
        return not (said in there or there in said)

    return found is FALSE


def _with_table(claimed: Value, measured: dict[str, Any]) -> Agreement:
    if claimed is None or isinstance(claimed, str):
        return NOTHING_SAID
    if not isinstance(claimed, dict):
        return NOT_COMPARABLE

    both = claimed.keys() & measured.keys()
    return together([agreement(claimed[name], measured[name]) for name in both])


def together(found: list[Agreement]) -> Agreement:
    """Of the parts of a claim."""
    if FALSE in found:
        return FALSE
    if NOT_COMPARABLE in found or not found:
        return NOT_COMPARABLE

    return TRUE if TRUE in found else NOTHING_SAID


# -- values that move ------------------------------------------------------------------------------


def agreement_of_moving(claimed: Value, before: Value, after: Value) -> Agreement:
    """Whether a claim agrees with a value that was measured twice: with one of the two, or with
    what lies between. A state that moved may have been any other in between."""
    first, second = agreement(claimed, before), agreement(claimed, after)
    if TRUE in (first, second) or _is_between(claimed, before, after):
        return TRUE
    if plain(before) == plain(after) or (_is_number(before) and _is_number(after)):
        return second
    if FALSE in (first, second) and _is_outside(claimed, before, after):
        return FALSE

    return NOTHING_SAID if NOTHING_SAID in (first, second) else NOT_COMPARABLE


def _is_outside(claimed: Value, before: Value, after: Value) -> bool:
    """Whether it is neither of the two, and cannot lie between them."""
    match claimed, before, after:
        case list(), list(), list():
            both = [*before, *after]
            return len(claimed) <= MOST_PARTS and any(
                all(_parts_differ(one, other) for other in both) for one in claimed
            )
        case dict(), dict(), dict():
            return _moving_table(claimed, before, after) is FALSE
        case _:
            return agreement(claimed, before) is agreement(claimed, after) is FALSE


def _moving_table(
    claimed: dict[str, Any], before: dict[str, Any], after: dict[str, Any]
) -> Agreement:
    names = claimed.keys() & before.keys() & after.keys()
    return together([agreement_of_moving(claimed[one], before[one], after[one]) for one in names])


def _is_between(claimed: Value, before: Value, after: Value) -> bool:
    match claimed, before, after:
        case list(), list(), list():
            said, *ends = (Counter(map(json.dumps, one)) for one in (claimed, before, after))
            return any(least <= said <= most for least, most in (ends, ends[::-1]))
        case dict(), dict(), dict():
            return _moving_table(claimed, before, after) is TRUE
        case str(), str(), str() if time_in(claimed):
            return _is_time_between(claimed, before, after)
        case _:
            return _is_number_between(claimed, before, after)


def _is_time_between(claimed: str, before: str, after: str) -> bool:
    said, first, last = time_in(claimed), time_in(before), time_in(after)
    return bool(said and first and last and said.is_between(first, last))


def _is_number_between(claimed: Value, before: Value, after: Value) -> bool:
    first, last = _number(before), _number(after)
    if first is None or last is None:
        return False

    return any(min(first, last) <= said <= max(first, last) for said in _meanings(claimed))


def _meanings(claimed: Value) -> list[int | float]:
    found = number_in(claimed) if isinstance(claimed, str) else None
    if found and found.is_all:
        return found.meanings

    number = _number(claimed)
    return [] if number is None else [number]


def _is_number(value: Value) -> bool:
    value = plain(value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Value) -> int | float | None:
    """Also of a text that says nothing but a number of something."""
    value = plain(value)
    if isinstance(value, str):
        found = number_in(value)
        return found.readings[0] if found and found.is_all and found.readings else None

    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
