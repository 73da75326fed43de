"""heartbeat-progress.json as a model, and how it is read: only where the ledger was lost. The
writing, which every beat does, is in progress.py and needs none of this.

Law: any content gives a progress or a Problem. Keys that are not known are left alone: other
programs may keep theirs in the file.
"""

import json
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from core.model.diagnostic import Problem
from core.model.progress import Progress, TaskProgress, TaskStatus
from core.rules.printable import shown
from core.rules.reporting.progress import VERSION

HINT = "It is written again at the next beat; nothing else depends on it."


def _instant(text: object) -> datetime:
    if not isinstance(text, str):
        raise ValueError("it is not a text")

    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError("it has no offset")

    return instant


def _status(word: object) -> TaskStatus:
    return TaskStatus(str(word))


Instant = Annotated[
    datetime,
    BeforeValidator(_instant),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Count = Annotated[int, Field(ge=0)]
Status = Annotated[
    TaskStatus,
    BeforeValidator(_status),
    WithJsonSchema({"enum": [str(one) for one in TaskStatus]}),
]


class TaskEntry(BaseModel):
    model_config = ConfigDict(strict=True)

    taskId: str  # noqa: N815 - as it is written in the file
    status: Status
    attempts: Count
    lastAttemptAt: Instant | None  # noqa: N815 - as it is written in the file
    lastResult: str | None  # noqa: N815 - as it is written in the file


class ProgressFile(BaseModel):
    """The progress of every task after the last cycle: a view for people and other programs."""

    model_config = ConfigDict(strict=True)

    version: Literal[1]
    lastCycleAt: Instant | None  # noqa: N815 - as it is written in the file
    cycleCount: Count  # noqa: N815 - as it is written in the file
    tasks: dict[str, TaskEntry] = Field(description="By id.")


def read_progress(text: str) -> Progress | Problem:
    """The progress in such a file; a Problem if progress_text cannot have written it."""
    try:
        content = json.loads(text)
        found = ProgressFile.model_validate(content)
    except ValidationError as error:
        return _problem(error)
    except (ValueError, RecursionError):
        return Problem("heartbeat-progress.json is not JSON.", HINT)

    return Progress(
        found.lastCycleAt,
        found.cycleCount,
        tuple(
            TaskProgress(name, task.status, task.attempts, task.lastAttemptAt, task.lastResult)
            for name, task in sorted(found.tasks.items())
        ),
    )


def _problem(error: ValidationError) -> Problem:
    first = error.errors(include_url=False)[0]
    if first["loc"] == ("version",) and first["type"] == "literal_error":
        version = shown(str(first["input"]))
        return Problem(f"heartbeat-progress.json has version {version}, not {VERSION}.", HINT)

    place = ".".join(shown(str(key)) for key in first["loc"])
    where = f" at `{place}`" if place else ""
    return Problem(f"heartbeat-progress.json is not what Heartbeat writes{where}.", HINT)
