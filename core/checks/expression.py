"""An expression over the probes of the file, such as `unread == 0`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.checks.measurable import (
    MeasurableKind,
    Measuring,
    finding_of,
    names_nothing,
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
)
from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COMPARING = ("<", ">", "=", "&&", "||")
SIMPLE = ("<", ">", "==", "!=", "in ", "not in ")
WORDS = frozenset(
    {
        *("and", "or", "not", "in"),
        *("true", "false", "null", "none"),
        *("len", "min", "max", "contains", "matches"),
    }
)


@light_dataclass(frozen=True, slots=True)
class ExpressionCheck(Check):
    text: str
    probes: tuple[str, ...]

    def measured_probes(self) -> tuple[str, ...]:
        return self.probes


def _claims(hint: Hint) -> bool:
    """Whether it compares something, or names nothing but probes; other words are a label."""
    if hint.text.isidentifier():  # most hints are one word
        return hint.text in hint.probes

    outside = "".join(_outside_quotes(hint.text))
    if any(mark in outside for mark in COMPARING):
        return True

    spaced = "".join(one if one.isalnum() or one == "_" else " " for one in outside)
    names = [word for word in spaced.split() if word.isidentifier() and word.lower() not in WORDS]
    return bool(names) and all(name in hint.probes for name in names)


def _outside_quotes(text: str) -> Iterator[str]:
    quote = ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        else:
            yield character


def _read(hint: Hint) -> ExpressionCheck | Problem:
    if hint.text.isidentifier():
        return ExpressionCheck(hint.text, (hint.text,))

    from core.rules.checking.expressions import read_expression  # 5 ms that most files can save

    found = read_expression(hint.text, hint.probes)
    return found if isinstance(found, Problem) else ExpressionCheck(found.text, found.names)


def _measure(measuring: Measuring, check: ExpressionCheck) -> Measurement:
    from core.rules.checking.evaluating import is_true
    from core.rules.checking.expressions import Expression, read_expression, with_values

    values: dict[str, Value] = {}
    for name in check.probes:
        value = measuring.probe(name)
        if isinstance(value, Problem):
            return Measurement(Finding.UNMEASURED, f"{name}: {value.message}", values)

        values[name] = value

    expression = read_expression(check.text, check.probes)
    assert isinstance(expression, Expression)
    holds = is_true(expression, values)
    shown = with_values(expression, values)
    if isinstance(holds, Problem):
        return Measurement(Finding.UNMEASURED, f"{shown}: {holds.message}", values)

    return Measurement(
        finding_of(holds),
        shown,
        values,
        asked=_asked(check),
        got=_got(values),
        compared=Comparison(check.text, {name: name for name in check.probes}),
    )


def _asked(check: ExpressionCheck) -> str:
    """`> 0` of `mails > 0`, where the rest is one name; otherwise all of it."""
    text = check.text.strip()
    rest = text.removeprefix(check.probes[0]).strip() if check.probes else ""
    is_simple = len(check.probes) == 1 and rest.startswith(SIMPLE) and not _has_more(rest)

    return rest if is_simple else f"`{text}`"


def _has_more(rest: str) -> bool:
    """Whether there is more than one comparison."""
    return any(word in ("and", "or", "if") for word in rest.lower().split())


def _got(values: Mapping[str, Value]) -> str:
    from core.rules.checking.values import shown_value

    if len(values) == 1:
        return shown_value(next(iter(values.values())))

    return ", ".join(f"{name} = {shown_value(value)}" for name, value in values.items())


EXPRESSION = MeasurableKind(
    value=ExpressionCheck,
    prefixes=(),
    claims=_claims,
    read=_read,
    title=as_written,
    needs_judge=False,
    execution=None,  # its probes are approved by themselves
    watched_file=watches_nothing,
    names=names_nothing,  # its probes do, and they are known by the file
    has_values=True,
    measure=_measure,
)
