"""Conditions that are expressions: what they may name, and what happens where they cannot be understood."""

import pytest

from core.model.diagnostic import Problem
from core.model.document import Priority
from core.model.occurrence import Outcome
from core.rules.conditions import Circumstances, holds
from core.rules.reading.document import read_document
from tests.stage import MONDAY, Stage, action, actions

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
def test_an_expression_is_evaluated_over_what_the_beat_knows(condition: str, expected: bool) -> None:
    assert holds(condition, GIVEN) is expected


@pytest.mark.parametrize(
    ("condition", "mend"),
    [
        ("failures = 1", "=="),
        ("failures > 0 && hour > 9", "and"),
        ('bakcup.status == "COMPLETED"', "backup.status"),
        ("any_faild", "any_failed"),
        ("backup.status.upper() == 1", "Write"),
        ("", ""),
    ],
)
def test_what_cannot_be_understood_is_a_problem_with_the_mend(condition: str, mend: str) -> None:
    problem = holds(condition, GIVEN)
    assert isinstance(problem, Problem)
    assert mend in problem.hint


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
    document = read_document(actions(action("backup"), action("other", f"condition: {condition}")).encode())
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
def test_a_condition_that_is_understood_is_nobodys_business(condition: str) -> None:
    blocks = (action("backup"), action("other", f"condition: {condition}"), action("later"))
    assert read_document(actions(*blocks).encode()).diagnostics == ()


def test_the_day_that_is_none_is_named_as_it_was_written() -> None:
    problem = holds("weekday:funday", GIVEN)
    assert isinstance(problem, Problem)
    assert problem.message == "`funday` is not a day of the week."


def test_an_action_whose_condition_is_an_expression_runs_skips_or_asks() -> None:
    stage = Stage(
        actions(
            action("backup"),
            action("when-good", 'condition: backup.status == "COMPLETED"'),
            action("when-bad", "condition: failures > 0"),
            action("unclear", "condition: failurs > 0"),
        )
    )
    report = stage.run()
    assert stage.ran == ["backup", "when-good"]
    outcomes = {item.id: item.outcome for item in report.items}
    assert outcomes["when-bad"] is Outcome.SKIPPED
    assert outcomes["unclear"] is Outcome.NEEDS_CLARIFICATION
