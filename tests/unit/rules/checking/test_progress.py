"""Progress (docs/spec.md): where a task is at the start of a cycle."""

from datetime import UTC, datetime

import pytest

from core.kinds import read_document
from core.model.progress import Progress, TaskProgress, TaskStatus
from core.rules.checking.progress import (
    after_cycle,
    at_start,
    exhausted_tasks,
    line_marks,
    started_again,
)

NOW = datetime(2026, 11, 16, 8, tzinfo=UTC)
FAILED, PENDING = TaskStatus.FAILED, TaskStatus.PENDING
VERIFIED, SKIPPED = TaskStatus.VERIFIED, TaskStatus.SKIPPED


def at_start_of_cycle(
    line: str, status: TaskStatus | None = None, attempts: int = 0
) -> tuple[TaskStatus, int]:
    document = read_document(f"## Tasks\n{line}\n".encode())
    (task,) = document.tasks
    mark = line_marks(document)[task.id]
    before = TaskProgress(task.id, status, attempts, line=mark) if status else None
    found = at_start(task, mark, before)
    return found.status, found.attempts


@pytest.mark.parametrize(
    ("line", "status", "attempts", "expected"),
    [
        ("- [x] a | b", None, 0, (VERIFIED, 0)),
        ("- [x] a | b", FAILED, 3, (VERIFIED, 0)),
        ("- [x] a | b", FAILED, 1, (VERIFIED, 0)),
        ("- [ ] a | b", FAILED, 3, (FAILED, 3)),
        ("- [ ] a | b", FAILED, 9, (FAILED, 3)),
        ("- [ ] a | b", FAILED, 2, (PENDING, 2)),
        ("- [ ] a | b | max_attempts: 5", FAILED, 3, (PENDING, 3)),
        ("- [ ] a | b", VERIFIED, 0, (PENDING, 0)),
        ("- [ ] a | b", SKIPPED, 1, (PENDING, 1)),
        ("- [ ] a | b", PENDING, 2, (PENDING, 2)),
        ("- [ ] a | b", None, 0, (PENDING, 0)),
    ],
)
def test_the_table_of_the_contract(
    line: str, status: TaskStatus | None, attempts: int, expected: tuple[TaskStatus, int]
) -> None:
    assert at_start_of_cycle(line, status, attempts) == expected


def test_an_exhausted_task_starts_again_when_its_details_are_edited() -> None:
    before, after, none = (
        read_document(f"## Tasks\n- [ ] a | b\n{details}".encode())
        for details in ("  From Ann.\n", "  From Bob.\n", "")
    )
    progress = Progress(NOW, 3, (TaskProgress("a", FAILED, 3, line=line_marks(before)["a"]),))
    assert exhausted_tasks(before, progress) == {"a"}
    assert exhausted_tasks(after, progress) == frozenset()
    assert exhausted_tasks(none, progress) == frozenset()


def test_an_exhausted_task_starts_again_when_its_line_is_edited_or_the_person_says_so() -> None:
    document = read_document(b"## Tasks\n- [ ] a | b\n- [ ] c | d\n")
    marks = line_marks(document)
    progress = Progress(NOW, 3, (TaskProgress("a", FAILED, 3, line=marks["a"]),))
    assert exhausted_tasks(document, progress) == {"a"}
    assert exhausted_tasks(document, started_again(progress, "a")) == frozenset()
    moved = read_document(b"# Title\n\n## Tasks\n- [ ] c | other\n- [ ] a | b\n")
    assert exhausted_tasks(moved, progress) == {"a"}
    assert (
        exhausted_tasks(read_document(b"## Tasks\n- [ ] a | b, again\n"), progress) == frozenset()
    )


def test_a_progress_without_marks_counts_as_it_is() -> None:
    document = read_document(b"## Tasks\n- [ ] a | b\n")
    assert exhausted_tasks(document, Progress(NOW, 1, (TaskProgress("a", FAILED, 3),))) == {"a"}


def test_a_cycle_keeps_what_the_file_has_and_forgets_what_it_no_longer_has() -> None:
    document = read_document(b"## Tasks\n- [ ] b | x\n- [x] a | y\n")
    marks = line_marks(document)
    before = Progress(
        NOW, 3, (TaskProgress("gone", FAILED, 1), TaskProgress("b", FAILED, 1, line=marks["b"]))
    )
    ended = {"b": TaskProgress("b", VERIFIED, 0, NOW, "done", marks["b"])}
    after = after_cycle(document.tasks, marks, before, ended, NOW)
    assert (after.cycle_count, after.last_cycle_at) == (4, NOW)
    assert [(one.task_id, one.status) for one in after.tasks] == [("a", VERIFIED), ("b", VERIFIED)]
