"""The `condition` of an action: the named forms, and expressions over what the beat knows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from core.model.diagnostic import Problem
from core.model.document import Priority
from core.model.occurrence import Outcome
from core.model.schedule import DAY_NAMES
from core.rules.reading.findings import did_you_mean, shown
from core.rules.timing.expressions import read_time

ABOUT_OUTCOMES = ("any_failed", "all_completed", "any_critical_failed")
WITH_VALUE = ("file_exists:", "time_after:", "weekday:")
FAILURES = (Outcome.FAILED, Outcome.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a condition may ask for."""

    now: datetime  # in the workspace's zone
    outcomes: Mapping[str, Outcome]  # of this beat's actions so far
    priorities: Mapping[str, Priority]
    results: Mapping[str, str]
    file_exists: Callable[[str], bool]


def asks_for_outcomes(condition: str | None) -> bool:
    """Whether the condition means something only after the other actions have run."""
    if condition is None:
        return False
    return condition in ABOUT_OUTCOMES or ".status" in condition or ".result" in condition or "failures" in condition


def asks_for_failures(condition: str | None) -> bool:
    return condition in ("any_failed", "any_critical_failed") or (condition is not None and "failures" in condition)


def holds(condition: str, given: Circumstances) -> bool | Problem:
    """Whether it is true; a Problem where it cannot be understood."""
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
    return Problem(f"`{shown(condition)}` is not a condition.", did_you_mean(name, [*ABOUT_OUTCOMES, *WITH_VALUE]))


def _is_weekday(value: str, now: datetime) -> bool | Problem:
    days = [day.strip().lower()[:3] for day in value.split(",")]
    unknown = [day for day in days if day not in DAY_NAMES]
    if unknown:
        return Problem(f"`{shown(unknown[0])}` is not a day of the week.", f"Days are {', '.join(DAY_NAMES)}.")
    return DAY_NAMES[now.weekday()] in days
