"""The `condition` of an action: the named forms, and expressions over what the beat knows."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING

from core.model.check import Value
from core.model.diagnostic import Problem
from core.model.document import ActionStatus, Priority
from core.model.occurrence import Outcome
from core.model.schedule import DAY_NAMES
from core.model.value import dataclass
from core.rules.reading.findings import did_you_mean, shown
from core.rules.timing.expressions import read_time

if TYPE_CHECKING:
    from core.rules.checking.expressions import Expression

ABOUT_OUTCOMES = ("any_failed", "all_completed", "any_critical_failed")
WITH_VALUE = ("file_exists:", "time_after:", "weekday:")
FAILURES = (Outcome.FAILED, Outcome.INTERRUPTED)
STATUS_OF = {
    Outcome.COMPLETED: "COMPLETED",
    Outcome.FAILED: "FAILED",
    Outcome.INTERRUPTED: "FAILED",
    Outcome.SKIPPED: "SKIPPED",
    Outcome.NEEDS_CLARIFICATION: "NEEDS_CLARIFICATION",
}  # whatever else waits is PENDING


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a condition may ask for."""

    now: datetime  # in the workspace's zone
    outcomes: Mapping[str, Outcome]  # of this beat's actions so far
    priorities: Mapping[str, Priority]
    results: Mapping[str, str]
    file_exists: Callable[[str], bool]
    last: Mapping[str, Outcome] = field(default_factory=dict)  # how those that are not in this beat ended before


def asks_for_outcomes(condition: str | None) -> bool:
    """Whether the condition means something only after the other actions have run."""
    if condition is None:
        return False
    return condition in ABOUT_OUTCOMES or ".status" in condition or ".result" in condition or "failures" in condition


def asks_for_failures(condition: str | None) -> bool:
    return condition in ("any_failed", "any_critical_failed") or (condition is not None and "failures" in condition)


def holds(condition: str, given: Circumstances) -> bool | Problem:
    """Whether it is true; a Problem where it cannot be understood."""
    named = _holds_by_name(condition, given)
    if named is not None:
        return named
    from core.rules.checking.evaluating import is_true  # here: few conditions are expressions, and these are large

    expression = _expression(condition, given)
    return expression if isinstance(expression, Problem) else is_true(expression, _values(given))


def condition_problem(condition: str, actions: Collection[str], now: datetime) -> Problem | None:
    """Why it cannot be understood, whatever comes; `actions` are the ids that it may name."""
    given = Circumstances(now, {}, dict.fromkeys(actions, Priority.MEDIUM), {}, lambda _: False)
    named = _holds_by_name(condition, given)
    found = _expression(condition, given) if named is None else named
    return found if isinstance(found, Problem) else None


def _expression(condition: str, given: Circumstances) -> "Expression | Problem":
    from core.rules.checking.expressions import read_expression

    return read_expression(_with_statuses(condition), _values(given), "name that a condition knows")


def _holds_by_name(condition: str, given: Circumstances) -> bool | Problem | None:
    """A condition that is one of the named forms; None: it is an expression."""
    failed = [name for name, outcome in given.outcomes.items() if outcome in FAILURES]
    match condition:
        case "any_failed":
            return bool(failed)
        case "all_completed":
            return bool(given.outcomes) and all(one is Outcome.COMPLETED for one in given.outcomes.values())
        case "any_critical_failed":
            return any(given.priorities.get(name) is Priority.CRITICAL for name in failed)
    name, _, value = condition.partition(":")
    value = value.strip()
    match name.strip():
        case "file_exists" if value:
            return given.file_exists(value)
        case "time_after" if value:
            time = read_time(value)
            return time if isinstance(time, Problem) else given.now.time() >= time
        case "weekday" if value:
            return _is_weekday(value, given.now)
    if condition.strip().isidentifier():
        return Problem(f"`{shown(condition)}` is not a condition.", did_you_mean(name, [*ABOUT_OUTCOMES, *WITH_VALUE]))
    return None


def _values(given: Circumstances) -> dict[str, Value]:
    """What an expression may name: `<id>.status` and `<id>.result` of every action, and the moment."""
    from core.rules.checking.values import read_value

    values: dict[str, Value] = {
        "weekday": DAY_NAMES[given.now.weekday()],
        "hour": given.now.hour,
        "failures": sum(outcome in FAILURES for outcome in given.outcomes.values()),
    }
    for name in given.priorities:
        outcome = given.outcomes.get(name) or given.last.get(name)
        values[f"{name}.status"] = STATUS_OF.get(outcome, "PENDING") if outcome else "PENDING"
        result = read_value(given.results.get(name, ""))
        values[f"{name}.result"] = "" if isinstance(result, Problem) else result
    return values


def _with_statuses(condition: str) -> str:
    """The condition with quoted statuses in capitals: "completed" is COMPLETED, however it is written."""
    for status in ActionStatus:
        for mark in "\"'":
            condition = condition.replace(f"{mark}{status.lower()}{mark}", f"{mark}{status}{mark}")
    return condition


def _is_weekday(value: str, now: datetime) -> bool | Problem:
    days = [day.strip().lower()[:3] for day in value.split(",")]
    unknown = [day for day in days if day not in DAY_NAMES]
    if unknown:
        return Problem(f"`{shown(unknown[0])}` is not a day of the week.", f"Days are {', '.join(DAY_NAMES)}.")
    return DAY_NAMES[now.weekday()] in days
