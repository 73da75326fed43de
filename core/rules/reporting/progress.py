"""Progress as heartbeat-progress.json and back; the file is a view, read only where the ledger
was lost."""

import json
from datetime import datetime
from typing import Any

from core.model.diagnostic import Problem
from core.model.progress import Progress, TaskProgress, TaskStatus

VERSION = 1
HINT = "It is written again at the next beat; nothing else depends on it."


def progress_text(progress: Progress) -> str:
    tasks = {
        task.task_id: {
            "taskId": task.task_id,
            "status": task.status,
            "attempts": task.attempts,
            "lastAttemptAt": task.last_attempt_at and task.last_attempt_at.isoformat(),
            "lastResult": task.last_result,
        }
        for task in progress.tasks
    }
    view = {
        "version": VERSION,
        "lastCycleAt": progress.last_cycle_at and progress.last_cycle_at.isoformat(),
        "cycleCount": progress.cycle_count,
        "tasks": tasks,
    }
    return json.dumps(view, indent=2, ensure_ascii=False) + "\n"


def read_progress(text: str) -> Progress | Problem:
    """The progress in such a file; a Problem if progress_text cannot have written it."""
    try:
        view = json.loads(text)
        if view["version"] != VERSION:
            return Problem(
                f"heartbeat-progress.json has version {view['version']}, not {VERSION}.", HINT
            )

        tasks = (read_task(task_id, task) for task_id, task in sorted(view["tasks"].items()))
        return Progress(read_instant(view["lastCycleAt"]), count(view["cycleCount"]), tuple(tasks))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Problem("heartbeat-progress.json is not what Heartbeat writes.", HINT)


def read_task(task_id: str, task: dict[str, Any]) -> TaskProgress:
    last_result = task["lastResult"]
    if last_result is not None and not isinstance(last_result, str):
        raise TypeError

    attempts = count(task["attempts"])
    attempted = read_instant(task["lastAttemptAt"])
    return TaskProgress(task_id, TaskStatus(task["status"]), attempts, attempted, last_result)


def count(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise TypeError
    return number


def read_instant(text: Any) -> datetime | None:
    if text is None:
        return None

    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError

    return instant
