"""`cmd:COMMAND`: how it is read, what an approval of it covers, and what its ending means."""

from datetime import timedelta

import pytest

from core.checks.command import COMMAND, CommandCheck, not_measured
from core.model.approval import Candidate, ReviewState
from core.model.check import Finding, Measurement
from core.model.diagnostic import Problem
from core.model.process import Ending, How
from tests.unit.checks.written_check import (
    FakeMeasuring,
    executables,
    measure,
    problem,
    read,
    reported,
    state_after_change,
    words,
)

MINUTE = timedelta(minutes=1)


# -- how it is read --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "line"),
    [
        ("cmd:make test", "make test"),
        ("cmd:  make test ", "make test"),
        ("CMD: make", "make"),
        ('cmd:test "$(wc -l < a.md)" -gt 3', 'test "$(wc -l < a.md)" -gt 3'),
        ("cmd:curl http://localhost:80", "curl http://localhost:80"),
    ],
)
def test_all_after_the_prefix_is_the_command(hint: str, line: str) -> None:
    assert read(hint) == CommandCheck(line)
    assert reported(hint) == []


@pytest.mark.parametrize("hint", ["cmd:", "cmd:  "])
def test_without_a_command_it_cannot_be_read(hint: str) -> None:
    assert problem(hint) == ("`cmd:` has no command.", "Write `cmd:test -e report.md`.")
    assert reported(hint) == [("HB212", "The check cannot be read: `cmd:` has no command.")]


def test_a_person_reads_it_as_it_is_written() -> None:
    assert words("cmd:make test") == "checked by cmd:make test"
    assert not COMMAND.needs_judge


def test_a_command_whose_line_only_looks_like_one_is_not_claimed() -> None:
    assert not isinstance(read("make test"), CommandCheck)


# -- what an approval covers -----------------------------------------------------------------------


def test_its_command_needs_an_approval() -> None:
    (one,) = executables("cmd:sh look.sh")
    assert one.key == "check:a"
    assert [line.strip() for line in one.commands] == ["sh look.sh"]
    assert Candidate("look.sh", True) in one.candidates


def test_a_person_is_told_that_it_runs_as_they_do() -> None:
    (one,) = executables("cmd:sh look.sh")
    (sentence,) = one.reach
    assert sentence == (
        "starts in the workspace, runs as you, outside the sandbox: it reaches your files and the "
        "network"
    )


def test_it_waits_again_when_its_command_or_script_has_changed() -> None:
    assert state_after_change("cmd:sh look.sh", "cmd:sh look.sh") is ReviewState.APPROVED
    assert state_after_change("cmd:sh look.sh", "cmd:sh look.sh -v") is ReviewState.CHANGED
    assert (
        state_after_change("cmd:sh look.sh", "cmd:sh look.sh", "exit 1", "exit 0")
        is ReviewState.SCRIPT_CHANGED
    )


# -- how it is measured ----------------------------------------------------------------------------


def test_it_runs_its_command_in_the_workspace_for_at_most_a_minute() -> None:
    measuring = FakeMeasuring()
    measure(measuring, "cmd:make test")
    assert [(one.line, one.timeout) for one in measuring.processes.started] == [
        ("make test", MINUTE)
    ]


def test_it_passes_with_exit_code_0() -> None:
    assert measure(FakeMeasuring(), "cmd:look") == Measurement(
        Finding.PASSES, "exit code 0", {"exit_code": 0}
    )


@pytest.mark.parametrize("code", [1, 2, 125, 128, 255])
def test_it_fails_with_another_exit_code(code: int) -> None:
    measuring = FakeMeasuring()
    measuring.processes.endings["look"] = code
    assert measure(measuring, "cmd:look") == Measurement(
        Finding.FAILS, f"exit code {code}", {"exit_code": code}
    )


@pytest.mark.parametrize(
    ("ending", "printed", "why"),
    [
        (127, "sh: 1: look: not found", "sh: 1: look: not found"),
        (126, "sh: 1: look: Permission denied", "sh: 1: look: Permission denied"),
        (127, "", "there is no such command"),
        (How.CANCELLED, "half", "it was stopped before it finished"),
        (How.COULD_NOT_START, "No shell was found.", "No shell was found."),
        (How.COULD_NOT_START, "", "it could not be started"),
        (How.TIMED_OUT, "half", "it took longer than 1 min"),
    ],
)
def test_a_command_that_did_not_decide_it_measures_nothing(
    ending: int | How, printed: str, why: str
) -> None:
    measuring = FakeMeasuring()
    measuring.processes.endings["look"] = ending
    measuring.processes.prints["look"] = printed
    assert measure(measuring, "cmd:look") == Measurement(Finding.UNMEASURED, why)


def test_the_limit_that_was_over_is_named() -> None:
    ending = Ending(How.TIMED_OUT, None, "", timedelta(seconds=10))
    found = not_measured(ending, timedelta(seconds=10))
    assert found == Problem("it took longer than 10 s", "")


def test_what_a_command_printed_is_told_as_one_short_line() -> None:
    ending = Ending(How.EXITED, 127, "first\n# \x1b[31m" + "x" * 200, timedelta())
    found = not_measured(ending, MINUTE)
    assert found
    assert found.message.startswith("\\# ")
    assert "\x1b" not in found.message
    assert len(found.message) == 80


@pytest.mark.parametrize("code", [0, 1, 125])
def test_a_command_that_ended_by_itself_measured_something(code: int) -> None:
    assert not_measured(Ending(How.EXITED, code, "", timedelta()), MINUTE) is None
