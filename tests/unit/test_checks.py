"""The table of the kinds of check: in which order a hint is tried, and what each kind executes."""

import pytest

from core.checks import CHECK_KINDS
from core.checks.command import COMMAND
from core.checks.exit_code import EXIT_CODE
from core.checks.expression import EXPRESSION
from core.checks.file import FILE
from core.checks.http import HTTP
from core.checks.json_value import JSON
from core.checks.label import LABEL
from core.checks.measurable import MeasurableKind
from core.model.check import Check
from tests.unit.checks.written_check import read


@pytest.mark.parametrize(
    ("hint", "run", "kind"),
    [
        ("cmd:test 3 > 2", "", COMMAND),
        ("file:a.md size>3", "", FILE),
        ("http:https://x/?a=b", "", HTTP),
        ("https://x/?a=b", "", HTTP),
        ("json:a.json#/a == 1", "", JSON),
        ("mails > 0", "", EXPRESSION),
        ("mails > 0", "make", EXPRESSION),
        ("mails were read", "", LABEL),
        ("task_completed", "", LABEL),
        ("task_completed", "make", EXIT_CODE),
    ],
)
def test_a_prefix_comes_before_an_expression_and_a_label_comes_last(
    hint: str, run: str, kind: MeasurableKind[Check]
) -> None:
    check = read(hint, ["mails"], run)
    assert isinstance(check, Check)
    assert CHECK_KINDS.of(check) is kind


def test_a_probe_called_like_the_missing_hint_does_not_replace_the_exit_code() -> None:
    check = read("task_completed", ["task_completed"], "make")
    assert isinstance(check, Check)
    assert CHECK_KINDS.of(check) is EXIT_CODE


def test_only_commands_and_requests_need_an_approval() -> None:
    assert [one.value for one in CHECK_KINDS if one.execution] == [COMMAND.value, HTTP.value]


def test_only_a_label_needs_a_judge() -> None:
    assert [one.value for one in CHECK_KINDS if one.needs_judge] == [LABEL.value]


def test_a_word_before_a_colon_that_is_no_prefix_is_not_one() -> None:
    assert sorted(CHECK_KINDS.by_prefix) == ["cmd", "file", "http", "https", "json"]
