"""The `condition` of an action: the words, which are a table, and expressions over what the beat
knows."""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from core.model.check import Value
from core.model.diagnostic import Problem
from core.model.document import ActionStatus, Priority
from core.model.light_dataclass import field, light_dataclass
from core.model.occurrence import FAILURES, Outcome
from core.model.schedule import DAY_NAMES
from core.rules.printable import shown
from core.rules.reading.findings import did_you_mean
from core.rules.timing.times import read_time

if TYPE_CHECKING:
    from core.rules.checking.expressions import Expression

BEAT_NAMES = ("weekday", "hour", "failures")  # what an expression may name besides the actions
WHOLE_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
STATUS_OF = {
    Outcome.COMPLETED: "COMPLETED",
    Outcome.FAILED: "FAILED",
    Outcome.INTERRUPTED: "FAILED",
    Outcome.SKIPPED: "SKIPPED",
    Outcome.NEEDS_CLARIFICATION: "NEEDS_CLARIFICATION",
}  # every other outcome waits: PENDING


@light_dataclass(frozen=True, slots=True)
class Circumstances:
    """What a condition may ask for."""

    now: datetime  # in the workspace's zone
    outcomes: Mapping[str, Outcome]  # of this beat's actions so far
    priorities: Mapping[str, Priority]
    results: Mapping[str, str]
    file_exists: Callable[[str], bool]
    # How the actions that are not in this beat ended before.
    last: Mapping[str, Outcome] = field(default_factory=dict)


def asks_for_outcomes(condition: str | None) -> bool:
    """Whether the condition means something only after the other actions have run."""
    if condition is None:
        return False

    word = _word_of(condition)
    if word and word.asks_for_outcomes:
        return True

    return ".status" in condition or ".result" in condition or "failures" in condition


def asks_for_failures(condition: str | None) -> bool:
    """Whether the condition is about actions that failed."""
    if condition is None:
        return False

    word = _word_of(condition)
    return bool(word and word.asks_for_failures) or "failures" in condition


def names_with(actions: Iterable[str]) -> frozenset[str]:
    """What an expression may name where there are actions of these ids."""
    names = set(BEAT_NAMES)
    for action in actions:
        names |= {f"{action}.status", f"{action}.result"}

    return frozenset(names)


def problem_with(condition: str, names: Collection[str]) -> Problem | None:
    """What is wrong with it as it is written; only a beat can say whether it is true."""
    if word := _word_of(condition):
        return word.problem_with(_value_of(condition))

    if condition.strip().isidentifier():
        fix = did_you_mean(condition.strip(), [one.written for one in WORDS.values()])
        return Problem(f"`{shown(condition)}` is not a condition.", fix)

    expression = _expression(condition, names)
    return expression if isinstance(expression, Problem) else None


def holds(condition: str, given: Circumstances) -> bool | Problem:
    """Whether it is true; a Problem if it cannot be understood."""
    if word := _word_of(condition):
        return word.holds(_value_of(condition), given)

    # imported here: few conditions are expressions, and these modules are large
    from core.rules.checking.evaluating import is_true

    values = _values(given)
    if problem := problem_with(condition, values):
        return problem

    expression = _expression(condition, values)
    return expression if isinstance(expression, Problem) else is_true(expression, values)


# -- words -----------------------------------------------------------------------------------------


@light_dataclass(frozen=True, slots=True)
class ConditionWord:
    name: str
    takes_value: bool  # after a colon; without one it is not this word
    asks_for_outcomes: bool  # it means something only after the other actions have run
    asks_for_failures: bool
    problem_with: Callable[[str], Problem | None]  # with the value
    holds: Callable[[str, Circumstances], bool | Problem]

    @property
    def written(self) -> str:
        return f"{self.name}:" if self.takes_value else self.name


def _word_of(condition: str) -> ConditionWord | None:
    """The word that the condition is; None if it is an expression, or cannot be understood."""
    word = WORDS.get(condition)
    if word and not word.takes_value:
        return word

    name, _, value = condition.partition(":")
    word = WORDS.get(name.strip())
    return word if word and word.takes_value and value.strip() else None


def _value_of(condition: str) -> str:
    return condition.partition(":")[2].strip()


def _no_problem(_: str) -> None:
    return None


def _time_problem(value: str) -> Problem | None:
    time = read_time(value)
    return time if isinstance(time, Problem) else None


def _days_problem(value: str) -> Problem | None:
    days = _days(value)
    return days if isinstance(days, Problem) else None


def _has_failure(_: str, given: Circumstances) -> bool:
    return any(outcome in FAILURES for outcome in given.outcomes.values())


def _has_critical_failure(_: str, given: Circumstances) -> bool:
    return any(
        outcome in FAILURES and given.priorities.get(name) is Priority.CRITICAL
        for name, outcome in given.outcomes.items()
    )


def _are_all_completed(_: str, given: Circumstances) -> bool:
    outcomes = given.outcomes.values()
    return bool(outcomes) and all(one is Outcome.COMPLETED for one in outcomes)


def _is_there(value: str, given: Circumstances) -> bool:
    return given.file_exists(value)


def _is_after(value: str, given: Circumstances) -> bool | Problem:
    time = read_time(value)
    return time if isinstance(time, Problem) else given.now.time() >= time


def _is_on(value: str, given: Circumstances) -> bool | Problem:
    days = _days(value)
    return days if isinstance(days, Problem) else given.now.weekday() in days


# In the order in which a person is shown them.
WORDS = {
    word.name: word
    for word in (
        ConditionWord(
            name="any_failed",
            takes_value=False,
            asks_for_outcomes=True,
            asks_for_failures=True,
            problem_with=_no_problem,
            holds=_has_failure,
        ),
        ConditionWord(
            name="all_completed",
            takes_value=False,
            asks_for_outcomes=True,
            asks_for_failures=False,
            problem_with=_no_problem,
            holds=_are_all_completed,
        ),
        ConditionWord(
            name="any_critical_failed",
            takes_value=False,
            asks_for_outcomes=True,
            asks_for_failures=True,
            problem_with=_no_problem,
            holds=_has_critical_failure,
        ),
        ConditionWord(
            name="file_exists",
            takes_value=True,
            asks_for_outcomes=False,
            asks_for_failures=False,
            problem_with=_no_problem,
            holds=_is_there,
        ),
        ConditionWord(
            name="time_after",
            takes_value=True,
            asks_for_outcomes=False,
            asks_for_failures=False,
            problem_with=_time_problem,
            holds=_is_after,
        ),
        ConditionWord(
            name="weekday",
            takes_value=True,
            asks_for_outcomes=False,
            asks_for_failures=False,
            problem_with=_days_problem,
            holds=_is_on,
        ),
    )
}


# -- expressions -----------------------------------------------------------------------------------


def _expression(condition: str, names: Collection[str]) -> "Expression | Problem":
    from core.rules.checking.expressions import read_expression

    return read_expression(_with_statuses(condition), names, "name that a condition knows")


def _values(given: Circumstances) -> dict[str, Value]:
    """What an expression may name: `<id>.status` and `<id>.result` of every action, the weekday,
    the hour and the number of failures."""
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
    """The condition with quoted statuses in capitals: "completed" is COMPLETED, however it is
    written."""
    for status in ActionStatus:
        for mark in "\"'":
            condition = condition.replace(f"{mark}{status.lower()}{mark}", f"{mark}{status}{mark}")

    return condition


def _days(value: str) -> frozenset[int] | Problem:
    """Days as `date.weekday()` counts them; `mon`, `tues` and `friday` are all days."""
    found: set[int] = set()
    for word in value.split(","):
        day = word.strip().lower()
        meant = [index for index, name in enumerate(WHOLE_DAY_NAMES) if name.startswith(day)]
        if len(day) < 3 or not meant:
            return Problem(
                f"`{shown(word.strip())}` is not a day of the week.",
                f"Days are {', '.join(DAY_NAMES)}.",
            )

        found.update(meant)

    return frozenset(found)
