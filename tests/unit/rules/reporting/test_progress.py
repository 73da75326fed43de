"""The progress file as text."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from core.model.diagnostic import Problem
from core.model.progress import Progress, TaskProgress, TaskStatus
from core.rules.reporting.progress import progress_text
from core.rules.reporting.progress_file import ProgressFile, read_progress

NOON = datetime(2026, 11, 16, 11, 0, tzinfo=UTC)


def test_progress_has_the_pinned_shape() -> None:
    progress = Progress(
        NOON, 3, (TaskProgress("weather", TaskStatus.FAILED, 2, NOON, "no answer"),)
    )
    assert json.loads(progress_text(progress)) == {
        "version": 1,
        "lastCycleAt": "2026-11-16T11:00:00+00:00",
        "cycleCount": 3,
        "tasks": {
            "weather": {
                "taskId": "weather",
                "status": "failed",
                "attempts": 2,
                "lastAttemptAt": "2026-11-16T11:00:00+00:00",
                "lastResult": "no answer",
            }
        },
    }


instants = st.none() | st.datetimes(timezones=st.just(UTC))
tasks = st.builds(
    TaskProgress,
    st.text(),
    st.sampled_from(TaskStatus),
    st.integers(0, 100),
    instants,
    st.none() | st.text(),
)


progresses = st.builds(
    lambda last, count, tasks: Progress(
        last, count, tuple(sorted(tasks, key=lambda task: task.task_id))
    ),
    instants,
    st.integers(0),
    st.lists(tasks, unique_by=lambda task: task.task_id),
)

SCHEMA = Draft202012Validator(ProgressFile.model_json_schema())


@given(progresses)
def test_progress_comes_back_as_it_was_written(progress: Progress) -> None:
    assert read_progress(progress_text(progress)) == progress
    assert SCHEMA.is_valid(json.loads(progress_text(progress)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"version": 2, "tasks": {}}',
        '{"version": 1, "lastCycleAt": "yesterday", "cycleCount": 0, "tasks": {}}',
        '{"version": 1, "lastCycleAt": "2026-11-16T09:00:00", "cycleCount": 0, "tasks": {}}',
        '{"version": 1, "lastCycleAt": null, "cycleCount": -1, "tasks": {}}',
        '{"version": 1, "lastCycleAt": null, "cycleCount": 0, "tasks": {"a": {"status": "done"}}}',
        '{"version": 1, "lastCycleAt": null, "cycleCount": 0, "tasks": []}',
        "[" * 100_000,
    ],
)
def test_a_foreign_progress_file_is_a_problem_not_a_crash(text: str) -> None:
    assert isinstance(read_progress(text), Problem)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON"),
        ('{"version": 2, "lastCycleAt": null, "cycleCount": 0, "tasks": {}}', "has version 2"),
        (
            '{"version": 1, "lastCycleAt": null, "cycleCount": 0, "tasks": {"a": {"status": "done"}}}',
            "at `tasks.a.taskId`",
        ),
    ],
)
def test_the_problem_says_what_it_is(text: str, words: str) -> None:
    found = read_progress(text)
    assert isinstance(found, Problem)
    assert words in found.message
