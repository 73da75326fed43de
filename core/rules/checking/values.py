"""Values: as commands print them, as people read them, and when two of them are equal. Pure."""

import json
import math
from decimal import Decimal
from typing import Any, assert_never

from core.model.check import Value
from core.model.diagnostic import Problem
from core.rules.printable import printable, quoted

LONGEST_TEXT = 16 * 1024  # characters; a longer text is not measured, rather than cut
MOST_DIGITS = 18
DEEPEST = 30
NOISE = Decimal("1e-9")  # a smaller difference comes from how fractions are stored


def read_value(output: str) -> Value | Problem:
    """What a command printed: a number, true or false, JSON, or text without the spaces around
    it."""
    text = output.strip()
    if len(text) > LONGEST_TEXT:
        return Problem(
            "What it printed is too long to be a value.",
            f"Print at most {LONGEST_TEXT} characters.",
        )

    if text[:1] in ("[", "{", '"'):
        value = read_json(text)
        return text if isinstance(value, Problem) else value

    return read_plain(text)


def read_plain(text: str) -> bool | int | float | str | None:
    """A number, true or false, or the text itself."""
    number = read_number(text)
    if number is not None:
        return number

    return {"true": True, "false": False}.get(text.lower(), text)


def read_number(text: str) -> int | float | None:
    """Digits with a plus or minus, a point and an exponent; not `nan`, `inf`, `1_000` or digits
    of other scripts."""
    if not text or len(text) > 2 * MOST_DIGITS:
        return None
    if not all(character in "0123456789+-.eE" for character in text):
        return None

    try:
        number = float(text)
    except ValueError:
        return None

    if abs(number) >= 10**MOST_DIGITS:
        return None

    is_whole = text.lstrip("+-").isdigit()
    return int(text) if is_whole else number


def read_json(text: str) -> Value | Problem:
    """The value of a JSON text; a Problem if it is not JSON, or nested too deeply."""
    try:
        value: Value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return Problem("it is not JSON", "")

    return value if depth_of(value) <= DEEPEST else Problem("it is nested too deeply", "")


def _refuse(word: str) -> float:
    raise ValueError(word)  # NaN and Infinity are not JSON


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) < float("inf") else _refuse(text)


def depth_of(value: Any) -> int:
    """How deeply lists and tables are nested; counts to just above DEEPEST."""
    depth = 0
    inner = [value] if isinstance(value, list | dict) else []
    while inner and depth <= DEEPEST:
        parts: list[Any] = []
        for one in inner:
            parts += one.values() if isinstance(one, dict) else one

        inner = [part for part in parts if isinstance(part, list | dict)]
        depth += 1

    return depth


def shown_value(value: Value, longest: int = 60) -> str:
    """The value as a receipt shows it: one line, texts in quotes."""
    if isinstance(value, float) and abs(value) < 10**MOST_DIGITS and value.is_integer():
        return str(int(value))

    text = json.dumps(value, ensure_ascii=False)
    text = printable(text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def with_finite_numbers(value: Any) -> Any:
    """The same with the words for numbers that JSON cannot write: `"NaN"`. An earlier version let
    a model report them."""
    if isinstance(value, dict):
        return {name: with_finite_numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [with_finite_numbers(part) for part in value]

    is_odd = isinstance(value, float) and not math.isfinite(value)
    return json.dumps(value) if is_odd else value


def kind_of(value: Value) -> str:
    """What it is, in words."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case int() | float():
            return f"the number {shown_value(value)}"
        case str():
            return f"the text {quoted(value[:40])}"
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            assert_never(value)


def same(left: Value, right: Value) -> bool:
    """Whether they are equal. A text that reads as a number, true or false equals it: `"3"` is
    3."""
    if isinstance(left, str) and not isinstance(right, str | list | dict):
        left = read_plain(left.strip())
    elif isinstance(right, str) and not isinstance(left, str | list | dict):
        right = read_plain(right.strip())

    return left == right
