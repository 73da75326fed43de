"""What an expression evaluates to with its values. Every step is bounded; nothing is raised."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import assert_never

from core.model.check import Value
from core.model.diagnostic import Problem
from core.rules.checking.expressions import CONSTANTS, Expression
from core.rules.checking.globs import matches
from core.rules.checking.values import LONGEST_TEXT, MOST_DIGITS, kind_of, same, shown_value
from core.rules.printable import shown

MOST_STEPS = 40_000  # characters that `matches` may search in one evaluation

CALCULATIONS: Mapping[type[ast.operator], Callable[[float, float], int | float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
ORDERINGS: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class _CannotEvaluateError(Exception):
    """Ends an evaluation; never leaves this file."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.problem = Problem(message, hint)


def evaluate(expression: Expression, values: Mapping[str, Value]) -> Value | Problem:
    """The value of the expression; a Problem if the values do not fit together."""
    try:
        return _Evaluation(expression, values).of(expression.tree)
    except _CannotEvaluateError as ending:
        return ending.problem
    except (RecursionError, ArithmeticError):
        return Problem(
            f"`{shown(expression.text)}` cannot be computed.", "Split it into simpler parts."
        )


def is_true(expression: Expression, values: Mapping[str, Value]) -> bool | Problem:
    """Whether the expression is true. A text, a list or nothing is neither true nor false."""
    found = evaluate(expression, values)
    try:
        return found if isinstance(found, Problem) else _truth(found)
    except _CannotEvaluateError as ending:
        return ending.problem


def _truth(value: Value) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value != 0

    raise _CannotEvaluateError(
        f"It is {kind_of(value)}, which is neither true nor false.", "Compare it with something."
    )


class _Evaluation:
    def __init__(self, expression: Expression, values: Mapping[str, Value]) -> None:
        self.expression = expression
        self.values = values
        self.steps = MOST_STEPS

    def of(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=value):
                assert value is None or isinstance(value, bool | int | float | str)
                return value
            case ast.Name(id=name):
                return self._named(self.expression.aliases.get(name, name))
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return [self.of(part) for part in parts]
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._called(name, [self.of(one) for one in arguments])
            case _:
                return self._operation(node)

    def _operation(self, node: ast.expr) -> Value:
        match node:
            case ast.BoolOp(op=ast.And(), values=parts):
                return all(_truth(self.of(part)) for part in parts)
            case ast.BoolOp(op=ast.Or(), values=parts):
                return any(_truth(self.of(part)) for part in parts)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return not _truth(self.of(inner))
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -_number(self.of(inner))
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return _number(self.of(inner))
            case ast.BinOp(left=left, op=operation, right=right):
                return _calculated(self.of(left), operation, self.of(right))
            case ast.Compare(left=left, ops=comparisons, comparators=others):
                return self._compared(left, comparisons, others)
            case _:  # reading refuses every other node
                raise _CannotEvaluateError("Something in it cannot be used in a check.")

    def _named(self, name: str) -> Value:
        if name in self.values:
            value = self.values[name]
            if isinstance(value, str) and len(value) > LONGEST_TEXT:
                raise _CannotEvaluateError(f"`{name}` is too long.")

            return value

        if name.lower() in CONSTANTS:
            return CONSTANTS[name.lower()]

        raise _CannotEvaluateError(f"`{name}` was not measured.")

    def _compared(
        self, left: ast.expr, comparisons: list[ast.cmpop], others: list[ast.expr]
    ) -> bool:
        first = self.of(left)
        for comparison, other in zip(comparisons, others, strict=True):
            second = self.of(other)
            if not _holds(first, comparison, second):
                return False

            first = second

        return True

    def _called(self, name: str, given: list[Value]) -> Value:
        match name, given:
            case "len", [str() | list() | dict() as whole]:
                return len(whole)
            case "min" | "max", [_, *_]:
                several = given[0] if len(given) == 1 and isinstance(given[0], list) else given
                numbers = [_number(one) for one in several]
                if numbers:
                    return min(numbers) if name == "min" else max(numbers)
            case "contains", [whole, part]:
                return _is_in(part, whole)
            case "matches", [str() | int() | float() as text, str() as pattern]:
                text = text if isinstance(text, str) else shown_value(text)
                self.steps -= len(text)
                if self.steps < 0:
                    raise _CannotEvaluateError("There is too much text to search.")

                return matches(text, pattern)

        words = ", ".join(kind_of(one) for one in given) or "nothing"
        raise _CannotEvaluateError(f"`{name}` does not take {words}.", _USE[name])


_USE = {
    "len": "Write `len(x)` with a text, a list or a table.",
    "min": "Write `min(a, b)` with numbers, or with one list of them.",
    "max": "Write `max(a, b)` with numbers, or with one list of them.",
    "contains": "Write `contains(whole, part)`.",
    "matches": 'Write `matches(text, "*pattern?")`.',
}


def _number(value: Value) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value

    raise _CannotEvaluateError(
        f"It is {kind_of(value)}, not a number.",
        "Compare it instead, or let the probe print a number.",
    )


def _calculated(left: Value, operation: ast.operator, right: Value) -> Value:
    if isinstance(left, str) and isinstance(right, str) and isinstance(operation, ast.Add):
        return _joined(left, right)

    first = _number(left)
    second = _number(right)
    if isinstance(operation, ast.Div | ast.Mod) and second == 0:
        raise _CannotEvaluateError("It divides by 0.", "Make sure that the divisor is not 0.")

    result = CALCULATIONS[type(operation)](first, second)
    if not abs(result) < 10**MOST_DIGITS:
        raise _CannotEvaluateError("The number gets too large.")

    return result


def _joined(left: str, right: str) -> str:
    if len(left) + len(right) > LONGEST_TEXT:
        raise _CannotEvaluateError("The text gets too long.")

    return left + right


def _holds(left: Value, comparison: ast.cmpop, right: Value) -> bool:
    match comparison:
        case ast.Eq():
            return same(left, right)
        case ast.NotEq():
            return not same(left, right)
        case ast.In():
            return _is_in(left, right)
        case ast.NotIn():
            return not _is_in(left, right)
        case _:
            return ORDERINGS[type(comparison)](_difference(left, right), 0)


def _difference(left: Value, right: Value) -> int | float:
    """Below 0 if the left one comes first, above 0 if the right one does."""
    if isinstance(left, str) and isinstance(right, str):
        return (left > right) - (left < right)

    return _number(left) - _number(right)


def _is_in(part: Value, whole: Value) -> bool:
    match whole:
        case str():
            return (part if isinstance(part, str) else shown_value(part)) in whole
        case list():
            return any(same(part, one) for one in whole)
        case dict():
            return isinstance(part, str) and part in whole
        case None | bool() | int() | float():
            raise _CannotEvaluateError(
                f"It is {kind_of(whole)}, which contains nothing.",
                "Use a text, a list or a table.",
            )
        case _:
            assert_never(whole)
