"""How far each task of the contract has come; heartbeat-progress.json shows it."""

from datetime import datetime
from enum import StrEnum

from core.model.value import dataclass


class TaskStatus(StrEnum):
    PENDING = "pending"
    VERIFIED = "verified"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class TaskProgress:
    task_id: str
    status: TaskStatus = TaskStatus.PENDING
    attempts: int = 0
    last_attempt_at: datetime | None = None
    last_result: str | None = None
    line: str = ""  # a mark of the task's line: an edited one starts anew; empty where nobody knows


@dataclass(frozen=True, slots=True)
class Progress:
    """All tasks after the last cycle, in the order of their ids."""

    last_cycle_at: datetime | None = None
    cycle_count: int = 0
    tasks: tuple[TaskProgress, ...] = ()
