"""The exit code of a task's own command: which tasks it checks, and what it means."""

import pytest

from core.checks import CHECK_KINDS
from core.checks.exit_code import EXIT_CODE, ExitCodeCheck, by_exit_code
from core.checks.file import FileCheck
from core.checks.label import Label
from core.model.check import Finding, Measurement
from tests.unit.checks.written_check import FakeMeasuring, read, words

DEFAULT = "task_completed"  # what a task without a hint is read with


def test_a_task_with_a_command_and_without_a_hint_is_checked_by_it() -> None:
    assert read(DEFAULT, run="make") == ExitCodeCheck()


def test_a_task_without_a_command_is_not() -> None:
    assert read(DEFAULT) == Label(DEFAULT)


def test_a_hint_of_its_own_is_used_instead() -> None:
    assert read("file:a.md", run="make") == FileCheck("a.md")
    assert read("all is well", run="make") == Label("all is well")


def test_a_person_reads_that_it_is_the_exit_code() -> None:
    assert words(DEFAULT, run="make") == "checked by its exit code"
    assert not EXIT_CODE.needs_judge


def test_it_asks_for_no_further_approval_since_the_command_is_the_tasks_own() -> None:
    assert EXIT_CODE.execution is None


def test_it_passes_with_0() -> None:
    found = EXIT_CODE.measure(FakeMeasuring(exit_code=0), ExitCodeCheck())
    assert found == Measurement(
        Finding.PASSES, "exit code 0", {"exit_code": 0}, (), "exit code 0", "0"
    )


@pytest.mark.parametrize("code", [1, 3, 126, 127, 137])
def test_it_fails_with_any_other_code(code: int) -> None:
    found = EXIT_CODE.measure(FakeMeasuring(exit_code=code), ExitCodeCheck())
    measured = Measurement(
        Finding.FAILS, f"exit code {code}", {"exit_code": code}, (), "exit code 0", str(code)
    )
    assert found == measured


def test_a_command_that_did_not_end_by_itself_measures_nothing() -> None:
    found = EXIT_CODE.measure(FakeMeasuring(exit_code=None), ExitCodeCheck())
    assert found == Measurement(Finding.UNMEASURED, "its command did not end on its own")
    assert by_exit_code(None) == found


def test_it_runs_nothing_itself() -> None:
    measuring = FakeMeasuring(exit_code=0)
    check = ExitCodeCheck()
    CHECK_KINDS.of(check).measure(measuring, check)
    assert measuring.processes.started == []
