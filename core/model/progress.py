"""The progress of each task of the contract, as heartbeat-progress.json shows it."""

from datetime import datetime
from enum import StrEnum

from core.model.light_dataclass import light_dataclass


class TaskStatus(StrEnum):
    PENDING = "pending"
    VERIFIED = "verified"
    FAILED = "failed"
    SKIPPED = "skipped"


@light_dataclass(frozen=True, slots=True)
class TaskProgress:
    task_id: str
    status: TaskStatus = TaskStatus.PENDING
    attempts: int = 0
    last_attempt_at: datetime | None = None
    last_result: str | None = None
    line: str = ""  # fingerprint of its line, if known: an edited task starts again


@light_dataclass(frozen=True, slots=True)
class Progress:
    """All tasks after the last cycle, in the order of their ids."""

    last_cycle_at: datetime | None = None
    cycle_count: int = 0
    tasks: tuple[TaskProgress, ...] = ()
