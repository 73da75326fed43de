"""Progress as heartbeat-progress.json; the file is a view. Reading it is in progress_file.py."""

import json

from core.model.progress import Progress

VERSION = 1


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
