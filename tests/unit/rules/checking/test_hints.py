"""How each `verify:` hint is read."""

from datetime import timedelta

import pytest

from core.checks.command import CommandCheck
from core.checks.exit_code import ExitCodeCheck
from core.checks.expression import ExpressionCheck
from core.checks.file import FileCheck
from core.checks.http import HttpCheck
from core.checks.json_value import JsonCheck
from core.checks.label import Label
from core.kinds import check_words, read_check
from core.model.check import Check
from core.model.diagnostic import Problem
from core.model.document import Task

PROBES = ("mails", "errors")
DAY = timedelta(days=1)


def task(hint: str, run: str | None = None) -> Task:
    return Task("a", "b", True, hint, 3, False, None, run, 1)


@pytest.mark.parametrize(
    ("hint", "check"),
    [
        ("cmd:test -e report.md", CommandCheck("test -e report.md")),
        ("CMD: make test", CommandCheck("make test")),
        ("file:report.md", FileCheck("report.md")),
        ("file:report.md fresh<1d", FileCheck("report.md", fresh=DAY)),
        ("file:report.md fresh < 1d size > 10", FileCheck("report.md", fresh=DAY, larger_than=10)),
        (
            'file:a.md contains "two words" contains "x<y"',
            FileCheck("a.md", contains=("two words", "x<y")),
        ),
        ("file:a.md contains word changed", FileCheck("a.md", contains=("word",), changed=True)),
        ('file:"my report.md" changed', FileCheck("my report.md", changed=True)),
        ("http:https://example.org/?a=b", HttpCheck("https://example.org/?a=b")),
        ("http:http://localhost:8080/ status=204", HttpCheck("http://localhost:8080/", status=204)),
        (
            'https://example.org contains "fine"',
            HttpCheck("https://example.org", contains=("fine",)),
        ),
        ("json:r.json#/count > 3", JsonCheck("r.json", ("count",), "> 3")),
        ('json:r.json#/a~1b/0 == "ok"', JsonCheck("r.json", ("a/b", "0"), '== "ok"')),
        ("json:r.json# == null", JsonCheck("r.json", (), "== null")),
        ("json:r.json#/n in [1, 2]", JsonCheck("r.json", ("n",), "in [1, 2]")),
        (
            "mails > 0 and errors == 0",
            ExpressionCheck("mails > 0 and errors == 0", ("mails", "errors")),
        ),
        ("mails", ExpressionCheck("mails", ("mails",))),
        ("not errors", ExpressionCheck("not errors", ("errors",))),
        ("len(mails)", ExpressionCheck("len(mails)", ("mails",))),
        ("task_completed", Label("task_completed")),
        ("weather_sent", Label("weather_sent")),
        ("the weather was sent", Label("the weather was sent")),
        ("mails were read", Label("mails were read")),
        ("note: all is well", Label("note: all is well")),
    ],
)
def test_a_hint_is_read_in_the_order_of_the_table(hint: str, check: Check) -> None:
    assert read_check(task(hint), PROBES) == check


@pytest.mark.parametrize(
    ("hint", "fix"),
    [
        ("cmd:", "cmd:test"),
        ("file:", "file:report.md"),
        ("file:a.md fresh<soon", "30s"),
        ("file:a.md fresh<1 day", "1d"),
        ("file:a.md size>big", "size>N"),
        ("file:a.md conatins x", "contains"),
        ("file:a.md contains", "contains"),
        ("http:example.org", "https://"),
        ("http:https://x status=fine", "status=N"),
        ("http:https://x size>3", "status=N"),
        ("json:r.json", "json:report.json#/count"),
        ("json:r.json#count == 1", "json:report.json#/count"),
        ("json:r.json#/count", "json:report.json#/count"),
        ("json:r.json#/count = 3", "=="),
        ("json:r.json#/state == up", '"up"'),
        ("mails = 0", "=="),
        ("mials > 0", "mails"),
        ("mails > 0 && errors", "and"),
        ("file:../c", "`../c` is outside the workspace"),
        ("file:a/../../c", "outside the workspace"),
        ("file:~/c fresh<1d", "outside the workspace"),
        ("json:../a.json#/count > 0", "outside the workspace"),
    ],
)
def test_a_check_that_cannot_be_read_says_what_to_write(hint: str, fix: str) -> None:
    found = read_check(task(hint), PROBES)
    assert isinstance(found, Problem)
    assert fix in found.message + found.hint


def test_a_task_done_by_a_command_is_checked_by_its_exit_code_unless_it_says_more() -> None:
    assert read_check(task("task_completed", "make"), PROBES) == ExitCodeCheck()
    assert read_check(task("file:a.md", "make"), PROBES) == FileCheck("a.md")
    assert read_check(task("task_completed"), PROBES) == Label("task_completed")


def test_check_says_how_a_hint_was_read() -> None:
    assert check_words(task("task_completed", "make"), PROBES) == "checked by its exit code"
    assert check_words(task("mails > 0"), PROBES) == "checked by mails > 0"
    assert check_words(task("weather_sent"), PROBES) == "a judge decides “weather_sent”"
    assert check_words(task("mails = 0"), PROBES) == "its check cannot be read"
