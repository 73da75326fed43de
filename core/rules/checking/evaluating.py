"""What an expression comes to with its values. Every step is bounded, nothing is raised, nothing else is reached."""

import ast
from collections.abc import Mapping

from core.model.check import Value
from core.model.diagnostic import Problem
from core.rules.checking.expressions import CONSTANTS, Expression
from core.rules.checking.globs import matches
from core.rules.checking.values import LONGEST_TEXT, MOST_DIGITS, kind_of, same, shown_value
from core.rules.reading.findings import shown

MOST_STEPS = 40_000  # characters that `matches` may look at in one evaluation


class _CannotTellError(Exception):
    """Ends an evaluation; never leaves this file."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.problem = Problem(message, hint)


def evaluate(expression: Expression, values: Mapping[str, Value]) -> Value | Problem:
    """What it comes to; a Problem where the values do not fit together. Raises nothing."""
    try:
        return _Evaluation(expression, values).of(expression.tree)
    except _CannotTellError as ending:
        return ending.problem
    except (RecursionError, ArithmeticError):
        return Problem(f"`{shown(expression.text)}` cannot be computed.", "Split it into simpler parts.")


def is_true(expression: Expression, values: Mapping[str, Value]) -> bool | Problem:
    """Whether it holds. A text, a list or nothing is neither true nor false."""
    found = evaluate(expression, values)
    try:
        return found if isinstance(found, Problem) else _truth(found)
    except _CannotTellError as ending:
        return ending.problem


def _truth(value: Value) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value != 0
    raise _CannotTellError(f"It is {kind_of(value)}, which is neither true nor false.", "Compare it with something.")


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
            case ast.BoolOp(op=ast.And(), values=parts):
                return all(_truth(self.of(part)) for part in parts)
            case ast.BoolOp(values=parts):
                return any(_truth(self.of(part)) for part in parts)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return not _truth(self.of(inner))
            case ast.UnaryOp(op=sign, operand=inner):
                number = _number(self.of(inner))
                return -number if isinstance(sign, ast.USub) else number
            case ast.BinOp(left=left, op=operator, right=right):
                return _calculated(self.of(left), operator, self.of(right))
            case ast.Compare(left=left, ops=operators, comparators=others):
                return self._compared(left, operators, others)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._called(name, [self.of(one) for one in arguments])
        raise _CannotTellError("Something in it cannot stand in a check.")

    def _named(self, name: str) -> Value:
        if name in self.values:
            value = self.values[name]
            if isinstance(value, str) and len(value) > LONGEST_TEXT:
                raise _CannotTellError(f"`{name}` is too long.")
            return value
        if name.lower() in CONSTANTS:
            return CONSTANTS[name.lower()]
        raise _CannotTellError(f"`{name}` was not measured.")

    def _compared(self, left: ast.expr, operators: list[ast.cmpop], others: list[ast.expr]) -> bool:
        first = self.of(left)
        for operator, other in zip(operators, others, strict=True):
            second = self.of(other)
            if not _holds(first, operator, second):
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
                    raise _CannotTellError("There is too much text to look through.")
                return matches(text, pattern)
        words = ", ".join(kind_of(one) for one in given) or "nothing"
        raise _CannotTellError(f"`{name}` does not take {words}.", _USE[name])


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
    raise _CannotTellError(
        f"It is {kind_of(value)}, and no number.", "Compare it instead, or let the probe print a number."
    )


def _calculated(left: Value, operator: ast.operator, right: Value) -> Value:
    if isinstance(left, str) and isinstance(right, str) and isinstance(operator, ast.Add):
        if len(left) + len(right) > LONGEST_TEXT:
            raise _CannotTellError("The text gets too long.")
        return left + right
    one, other = _number(left), _number(right)
    if isinstance(operator, ast.Div | ast.Mod) and other == 0:
        raise _CannotTellError("It divides by 0.", "See that the value below the line is not 0.")
    match operator:
        case ast.Add():
            result = one + other
        case ast.Sub():
            result = one - other
        case ast.Mult():
            result = one * other
        case ast.Div():
            result = one / other
        case _:
            result = one % other
    if not abs(result) < 10**MOST_DIGITS:
        raise _CannotTellError("The number gets too large.")
    return result


def _holds(left: Value, operator: ast.cmpop, right: Value) -> bool:
    match operator:
        case ast.Eq():
            return same(left, right)
        case ast.NotEq():
            return not same(left, right)
        case ast.In():
            return _is_in(left, right)
        case ast.NotIn():
            return not _is_in(left, right)
    if isinstance(left, str) and isinstance(right, str):
        return _is_ordered((left > right) - (left < right), operator)
    difference = _number(left) - _number(right)
    return _is_ordered(difference, operator)


def _is_ordered(difference: int | float, operator: ast.cmpop) -> bool:
    match operator:
        case ast.Lt():
            return difference < 0
        case ast.LtE():
            return difference <= 0
        case ast.Gt():
            return difference > 0
        case _:
            return difference >= 0


def _is_in(part: Value, whole: Value) -> bool:
    match whole:
        case str():
            return (part if isinstance(part, str) else shown_value(part)) in whole
        case list():
            return any(same(part, one) for one in whole)
        case dict():
            return isinstance(part, str) and part in whole
    raise _CannotTellError(f"It is {kind_of(whole)}, and holds nothing.", "Look into a text, a list or a table.")
