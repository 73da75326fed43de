"""The `condition` of an action: the named forms, and expressions over what the beat knows."""

from collections.abc import Callable, Collection, Iterable, Mapping
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
MOMENT = ("weekday", "hour", "failures")  # what an expression may name beside the actions
WHOLE_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
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


def names_beside(actions: Iterable[str]) -> frozenset[str]:
    """What an expression may name beside actions of these ids."""
    return frozenset((*MOMENT, *(f"{one}{part}" for one in actions for part in (".status", ".result"))))


def problem_with(condition: str, names: Collection[str]) -> Problem | None:
    """What is wrong with it as it is written; whether it is true shows only in a beat."""
    name, value = _parts(condition)
    problem: object = None
    match name:
        case _ if condition in ABOUT_OUTCOMES:
            return None
        case "file_exists" if value:
            return None
        case "time_after" if value:
            problem = read_time(value)
        case "weekday" if value:
            problem = _days(value)
        case _ if condition.strip().isidentifier():
            mend = did_you_mean(name, [*ABOUT_OUTCOMES, *WITH_VALUE])
            return Problem(f"`{shown(condition)}` is not a condition.", mend)
        case _:
            problem = _expression(condition, names)
    return problem if isinstance(problem, Problem) else None


def holds(condition: str, given: Circumstances) -> bool | Problem:
    """Whether it is true; a Problem where it cannot be understood."""
    failed = [name for name, outcome in given.outcomes.items() if outcome in FAILURES]
    name, value = _parts(condition)
    match condition:
        case "any_failed":
            return bool(failed)
        case "all_completed":
            return bool(given.outcomes) and all(one is Outcome.COMPLETED for one in given.outcomes.values())
        case "any_critical_failed":
            return any(given.priorities.get(one) is Priority.CRITICAL for one in failed)
    match name:
        case "file_exists" if value:
            return given.file_exists(value)
        case "time_after" if value:
            time = read_time(value)
            return time if isinstance(time, Problem) else given.now.time() >= time
        case "weekday" if value:
            days = _days(value)
            return days if isinstance(days, Problem) else given.now.weekday() in days
    from core.rules.checking.evaluating import is_true  # here: few conditions are expressions, and these are large

    values = _values(given)
    if problem := problem_with(condition, values):
        return problem
    expression = _expression(condition, values)
    return expression if isinstance(expression, Problem) else is_true(expression, values)


def _parts(condition: str) -> tuple[str, str]:
    """The name of a form such as `weekday:mon`, and what follows it."""
    name, _, value = condition.partition(":")
    return name.strip(), value.strip()


def _expression(condition: str, names: Collection[str]) -> "Expression | Problem":
    from core.rules.checking.expressions import read_expression

    return read_expression(_with_statuses(condition), names, "name that a condition knows")


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


def _days(value: str) -> frozenset[int] | Problem:
    """Days as `date.weekday()` counts them; `mon`, `tues` and `friday` are all days."""
    found: set[int] = set()
    for word in value.split(","):
        day = word.strip().lower()
        meant = [index for index, name in enumerate(WHOLE_DAY_NAMES) if len(day) >= 3 and name.startswith(day)]
        if not meant:
            return Problem(f"`{shown(word.strip())}` is not a day of the week.", f"Days are {', '.join(DAY_NAMES)}.")
        found.update(meant)
    return frozenset(found)
