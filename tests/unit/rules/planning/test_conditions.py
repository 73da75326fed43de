"""Conditions: what they may name, and what happens where they cannot be understood."""

import pytest

from core.kinds import read_document
from core.model.diagnostic import Problem
from core.model.document import Priority
from core.model.occurrence import Outcome
from core.rules.planning.conditions import Circumstances, holds
from tests.stage import MONDAY, action, actions

GIVEN = Circumstances(
    now=MONDAY,
    outcomes={"backup": Outcome.COMPLETED, "db-health": Outcome.FAILED},
    priorities=dict.fromkeys(("backup", "db-health", "report"), Priority.MEDIUM),
    results={"backup": "42"},
    file_exists=lambda name: False,
    last={"report": Outcome.COMPLETED},
)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('backup.status == "COMPLETED"', True),
        ('backup.status == "completed"', True),
        ("db-health.status == 'FAILED' and backup.result > 40", True),
        ('db-health.status != "FAILED"', False),
        ('report.status == "COMPLETED"', True),
        ("failures == 1", True),
        ("failures > 1 or hour < 9", True),
        ('weekday in ["sat", "sun"]', False),
        ('weekday == "mon" and hour == 8', True),
        ('matches(backup.result, "4?")', True),
    ],
)
def test_an_expression_is_evaluated_over_what_the_beat_knows(
    condition: str, expected: bool
) -> None:
    assert holds(condition, GIVEN) is expected


@pytest.mark.parametrize(
    ("condition", "fix"),
    [
        ("failures = 1", "=="),
        ("failures > 0 && hour > 9", "and"),
        ('bakcup.status == "COMPLETED"', "backup.status"),
        ("any_faild", "any_failed"),
        ("backup.status.upper() == 1", "Write"),
        ("", ""),
    ],
)
def test_what_cannot_be_understood_is_a_problem_with_the_fix(condition: str, fix: str) -> None:
    problem = holds(condition, GIVEN)
    assert isinstance(problem, Problem)
    assert fix in problem.hint


@pytest.mark.parametrize(
    "condition",
    [
        "whatever dude",
        "weekday:funday",
        "weekday:mo",
        "time_after:25:00",
        'backup.status = "COMPLETED"',
        'ghost.status == "COMPLETED"',
        "ANY_FAILED",
        "file_exists:",
    ],
)
def test_a_condition_that_cannot_be_understood_is_an_error_of_the_file(condition: str) -> None:
    document = read_document(
        actions(action("backup"), action("other", f"condition: {condition}")).encode()
    )
    assert [(one.code, one.line) for one in document.diagnostics] == [("HB318", 12)]
    assert document.diagnostics[0].hint
    assert document.actions[1].unclear


@pytest.mark.parametrize(
    "condition",
    [
        "any_failed",
        "file_exists:report.md",
        "time_after:09:00",
        "weekday:mon, Tues, friday",
        "backup.result > 5",  # whatever the result is
        "later.status == 'FAILED' and hour >= 9",
    ],
)
def test_a_valid_condition_gives_no_diagnostic(condition: str) -> None:
    blocks = (action("backup"), action("other", f"condition: {condition}"), action("later"))
    assert read_document(actions(*blocks).encode()).diagnostics == ()


def test_an_unknown_weekday_is_named_as_written() -> None:
    problem = holds("weekday:funday", GIVEN)
    assert isinstance(problem, Problem)
    assert problem.message == "`funday` is not a day of the week."
