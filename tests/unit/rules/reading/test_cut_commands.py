"""A pipe without its backslash: nothing of the half command runs, and the person is told."""

import pytest

from core.kinds import read_document
from core.model.diagnostic import Diagnostic
from core.model.document import Task

PROBES = "\n## Probes\n- mails: ls mail | wc -l\n"


def read(line: str, probes: str = PROBES) -> tuple[Task, list[Diagnostic]]:
    document = read_document(f"## Tasks\n{line}\n{probes}".encode())
    (task,) = document.tasks
    return task, [one for one in document.diagnostics if one.code != "HB208"]


@pytest.mark.parametrize(
    ("fields", "fix"),
    [
        ("run: ls | wc -l", r"`run: ls \| wc -l`"),
        ("run: make || true", r"`run: make \|\| true`"),
        ("run: cat x | grep y | required", r"`run: cat x \| grep y`"),
        ("run: cat x | sort | uniq | hourly", r"`run: cat x \| sort`"),
        ("run: ls | others > 0", r"`run: ls \| others > 0`"),
        ("run: make | at 18:00", r"`run: make \| at 18:00`"),
        ("run: `ls | wc -l` | required", r"`run: `ls \| wc -l``"),
        ("run: `ls | required` | hourly", r"`run: `ls \| required``"),
        ("cmd:ls | grep x", r"`cmd:ls \| grep x`"),
        ("cmd:ls | grep x | sort | required", r"`cmd:ls \| grep x`"),
        ("verify: cmd: ls | grep x", r"`verify: cmd: ls \| grep x`"),
        ("optional | run: ls | wc -l", r"`run: ls \| wc -l`"),
    ],
)
def test_a_command_that_a_pipe_cuts_is_an_error_and_does_not_run(fields: str, fix: str) -> None:
    for line in (f"- [ ] a | Count them | {fields}", f"- Count them | {fields}"):
        task, found = read(line)
        (cut,) = [one for one in found if one.code not in ("HB207", "HB402")]
        assert (cut.code, cut.severity) == ("HB223", "error")
        assert fix in cut.hint
        assert task.unclear
        assert task.unclear.code == "HB223"


@pytest.mark.parametrize(
    "fields",
    [
        "run: ls | required",
        "run: ls | hourly",
        "run: ls | timeout: 1m",
        "run: ls | file:a.txt",
        "run: ls | https://example.org",
        "run: ls | mails > 0",
        "run: ls | mails",
        "run: ls | verify: all is well",
        "run: ls | hourly | all is well",
        r"run: ls \| wc -l",
        r"cmd:ls \| wc -l | required",
        "run: echo `date` | hourly",
        "run: ls |",
        "file:a.txt | optional",
    ],
)
def test_a_field_or_a_check_after_a_command_is_what_it_is(fields: str) -> None:
    task, found = read(f"- [ ] a | Count them | {fields}")
    assert (task.unclear, found) == (None, [])


def test_a_second_check_after_a_check_by_command_is_told_and_not_used() -> None:
    task, (found,) = read("- [ ] a | b | cmd:make | mails > 0")
    assert (task.verify, task.unclear, found.code) == ("cmd:make", None, "HB204")


def test_without_the_probe_an_expression_is_the_rest_of_a_command() -> None:
    task, found = read("- [ ] a | b | run: ls | mails > 0", probes="")
    assert task.unclear
    assert [one.code for one in found] == ["HB223"]


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("- [ ] a | Fix the `x | y` in it | optional", 24),
        ("- [ ] Fix the `x | y` in it", 20),
        ("- [ ] a | Fix the `x || y` | optional", 25),
    ],
)
def test_a_pipe_in_a_code_span_is_told_and_its_end_is_no_check(line: str, column: int) -> None:
    task, (found,) = read(line)
    assert (found.code, found.severity, found.column) == ("HB224", "warning", column)
    assert task.verify == "task_completed"


def test_a_code_span_within_one_field_is_not_told() -> None:
    assert read("- [ ] a | Fix `x` and `y` | run: echo `date`")[1] == []
    assert read("- [ ] a | It's 5` long | run: true")[1] == []


def test_what_is_nearly_a_field_is_told_how_it_is_written() -> None:
    document = read_document(b"## Tasks\n- [ ] room | Look | run: df | every 2 hours\n")
    assert document.tasks[0].unclear
    (found,) = [one for one in document.diagnostics if one.code == "HB223"]
    assert found.hint.startswith("Write `every:2h`.")
    assert found.hint.endswith("A pipe inside a command is written `\\|`.")
