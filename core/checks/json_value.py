"""`json:PATH#/pointer OP value`: a value of a JSON file compares as asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from core.checks.measurable import (
    CheckNames,
    MeasurableKind,
    Measuring,
    finding_of,
    unmeasured,
    watches_nothing,
)
from core.model.check import (
    Check,
    Comparison,
    Finding,
    Hint,
    Measurement,
    Value,
    as_written,
    claims_nothing,
)
from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass
from core.rules.checking.terms import leaves_the_workspace, outside_the_workspace
from core.rules.printable import one_line, shown

if TYPE_CHECKING:
    from core.model.file_work import Seen

OPERATORS = ("==", "!=", "<=", ">=", "<", ">", "in ", "not in ")
MEASURED = "it"  # the name of the JSON value in its comparison
EXAMPLE = "Write `json:report.json#/count > 0`."


@light_dataclass(frozen=True, slots=True)
class JsonCheck(Check):
    path: str
    pointer: tuple[str, ...]
    comparison: str  # the operator and the value, an expression after its first operand


def _read(hint: Hint) -> JsonCheck | Problem:
    from core.rules.checking.expressions import read_expression  # 5 ms that most files can save

    place, _, comparison = hint.rest.partition(" ")
    path, mark, pointer = place.partition("#")
    comparison = comparison.strip()
    if not path or not mark or (pointer and not pointer.startswith("/")):
        return Problem(f"`{shown(place)}` does not name a value of a JSON file.", EXAMPLE)
    if leaves_the_workspace(path):
        return outside_the_workspace(path)
    if not comparison.startswith(OPERATORS) and "=" not in comparison[:1]:
        return Problem("There is nothing to compare the value with.", EXAMPLE)

    found = read_expression(f"{MEASURED} {comparison}", {MEASURED}, "value")
    if isinstance(found, Problem):
        return found

    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    return JsonCheck(path, tuple(parts), comparison)


def _measure(measuring: Measuring, check: JsonCheck) -> Measurement:
    text = _text_of(measuring.inspect(check.path))
    if isinstance(text, Measurement):
        return text

    value = _pointed_at(text, check.pointer)
    if isinstance(value, Problem):
        return Measurement(
            Finding.FAILS,
            value.message,
            found=("no_value", *check.pointer),
            asked=one_line(check.comparison, 60),
            got=f"no value: {value.message}",
        )

    return _compared(check, value)


def _text_of(seen: Seen) -> str | Measurement:
    from core.model.file_work import NoFile, SeenFile, UnseenFile

    match seen:
        case UnseenFile(reason):
            return unmeasured(reason)
        case NoFile():
            return Measurement(
                Finding.FAILS,
                "the file does not exist",
                found=("not_there",),
                asked="a value in that file",
                got="no such file",
            )
        case SeenFile(text=None):
            return unmeasured("the file is too large to be read")
        case SeenFile(text=text):
            return text or ""
        case _:
            assert_never(seen)


def _compared(check: JsonCheck, value: Value) -> Measurement:
    from core.rules.checking.evaluating import is_true
    from core.rules.checking.expressions import Expression, read_expression, with_values
    from core.rules.checking.values import shown_value

    expression = read_expression(f"{MEASURED} {check.comparison}", {MEASURED}, "value")
    assert isinstance(expression, Expression)
    named: dict[str, Value] = {check.pointer[-1]: value} if check.pointer else {}
    found = shown_value(value)
    asked = one_line(check.comparison, 60)
    holds = is_true(expression, {MEASURED: value})
    if isinstance(holds, Problem):
        # The value was measured, and it is of a kind that cannot be what was asked for.
        words = f"{found}: {holds.message}"
        return Measurement(Finding.FAILS, words, named, (found,), asked, found)

    words = with_values(expression, {MEASURED: value})
    compared = Comparison(expression.text, dict.fromkeys(named, MEASURED))
    return Measurement(finding_of(holds), words, named, (found,), asked, found, compared=compared)


def _pointed_at(text: str, pointer: tuple[str, ...]) -> Value | Problem:
    """The value that a JSON pointer names."""
    from core.rules.checking.values import read_json

    value = read_json(text)
    for part in pointer:
        if isinstance(value, Problem):
            break

        value = _member(value, part)

    return value


def _member(value: Value, part: str) -> Value | Problem:
    if isinstance(value, dict) and part in value:
        return value[part]

    is_number = part.isascii() and part.isdigit() and len(part) < 9
    if isinstance(value, list) and is_number and int(part) < len(value):
        return value[int(part)]

    return Problem(f"it has no `{one_line(part, 40)}`", "")


JSON = MeasurableKind(
    value=JsonCheck,
    prefixes=("json",),
    claims=claims_nothing,
    read=_read,
    title=as_written,
    needs_judge=False,
    execution=None,
    watched_file=watches_nothing,
    names=lambda check: CheckNames(paths=(check.path,), sources=(check.path,)),
    has_values=True,
    measure=_measure,
)
