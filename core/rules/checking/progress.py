"""The progress of each task at the start of a cycle, and after it. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import assert_never

from core.model.document import Document, Task
from core.model.light_dataclass import replace
from core.model.progress import Progress, TaskProgress, TaskStatus
from core.rules.fingerprint import fingerprint


def line_marks(document: Document) -> dict[str, str]:
    """Each task's id with a fingerprint of its line and details, which changes where the person
    edits them."""
    if not document.tasks:
        return {}

    lines = {line.number: line.text.strip() for line in document.lines}
    marks: dict[str, str] = {}
    for task in document.tasks:
        text = f"{lines[task.line]}\n{task.details}" if task.details else lines[task.line]
        marks[task.id] = fingerprint(text.encode(errors="replace"))

    return marks


def at_start(task: Task, mark: str, before: TaskProgress | None) -> TaskProgress:
    """The task at the start of a cycle."""
    new = TaskProgress(task.id, line=mark)
    if task.checked:
        return replace(new, status=TaskStatus.VERIFIED)
    if before is None or _was_edited(before, mark):
        return new

    kept = replace(before, line=mark)
    match before.status:
        case TaskStatus.FAILED if before.attempts >= task.max_attempts:
            return replace(kept, attempts=task.max_attempts)
        case TaskStatus.VERIFIED:
            return replace(kept, status=TaskStatus.PENDING, attempts=0)
        case TaskStatus.FAILED | TaskStatus.PENDING | TaskStatus.SKIPPED:
            return replace(
                kept, status=TaskStatus.PENDING, attempts=min(before.attempts, task.max_attempts)
            )
        case _:
            assert_never(before.status)


def is_exhausted(task: Task, mark: str, before: TaskProgress | None) -> bool:
    """Whether all its attempts are used up: it does not run, and costs nothing more."""
    return not task.checked and at_start(task, mark, before).status is TaskStatus.FAILED


def times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def exhausted_tasks(document: Document, progress: Progress) -> frozenset[str]:
    known = {one.task_id: one for one in progress.tasks}
    if not known:
        return frozenset()

    marks = line_marks(document)
    return frozenset(
        task.id for task in document.tasks if is_exhausted(task, marks[task.id], known.get(task.id))
    )


def after_cycle(
    tasks: Sequence[Task],
    marks: Mapping[str, str],
    before: Progress,
    ended: Mapping[str, TaskProgress],
    now: datetime,
    *,
    goes_on: bool = False,
) -> Progress:
    """All tasks of the file after a cycle. Those in `ended` are as they ended. The others are as
    at the start of a cycle or, with `goes_on`, as they are in `before`."""
    known = {one.task_id: one for one in before.tasks}
    after: list[TaskProgress] = []
    for task in tasks:
        progress = ended.get(task.id)
        if progress is None and goes_on:
            progress = known.get(task.id)

        after.append(progress or at_start(task, marks[task.id], known.get(task.id)))

    count = before.cycle_count + (not goes_on)
    return Progress(now, count, tuple(sorted(after, key=lambda one: one.task_id)))


def with_lines_kept(
    progress: Progress, before: Mapping[str, str], after: Mapping[str, str]
) -> Progress:
    """The progress after lines were changed, perhaps by the agent. Unlike an edit of the person,
    that does not start a task again."""
    tasks: list[TaskProgress] = []
    for one in progress.tasks:
        was_current = one.line == before.get(one.task_id)
        tasks.append(replace(one, line=after.get(one.task_id, one.line)) if was_current else one)

    return replace(progress, tasks=tuple(tasks))


def started_again(progress: Progress, task_id: str) -> Progress:
    """The progress with the task as new: the person wants it tried again, with all its
    attempts."""
    tasks = tuple(
        TaskProgress(task_id, line=one.line) if one.task_id == task_id else one
        for one in progress.tasks
    )
    return replace(progress, tasks=tasks)


def _was_edited(before: TaskProgress, mark: str) -> bool:
    return bool(before.line) and before.line != mark  # a progress rebuilt from its file has no mark
