"""Tasks that the model added to HEARTBEAT.md: each waits for the person like what executes. Pure.

Law: a task that the model wrote is known by the hash of what it says, with its details. The hash
covers all that the model may not change (guarded.py) and nothing that it may: neither other
spaces nor a command that comes and goes make its task look like the person's. What the person has
changed has another hash, and is the person's.
"""

import json
from collections.abc import Collection

from core.model.approval import Executable, ExecutableKind
from core.model.document import Document, Task
from core.model.item import ItemKind, item_key
from core.model.workspace import Workspace
from core.rules.fingerprint import fingerprint

# Not the id, which follows from other lines where two are equal, nor `unclear`, which follows from
# these. A field more or less changes every hash, and would free all that waits.
HASHED = (
    "description",
    "required",
    "verify",
    "max_attempts",
    "checked",
    "schedule",
    "timeout",
    "details",
)
REACH = ("is given to the model, which works on it with the permissions that you granted",)


def task_hash(task: Task) -> str:
    says = [str(getattr(task, name)) for name in HASHED]
    return fingerprint(json.dumps(says).encode())


def tasks_by_model(workspace: Workspace, hashes: Collection[str]) -> tuple[Executable, ...]:
    """The open tasks that have one of these hashes."""
    if not hashes:
        return ()

    document = workspace.document
    return tuple(
        Executable(
            key=item_key(ItemKind.TASK, task.id),
            kind=ExecutableKind.TASK,
            title=task.description,
            file=workspace.file.name,
            line=task.line,
            fields=_fields(document, task),
            reach=REACH,
            commands=(),
            needed_by=(item_key(ItemKind.TASK, task.id),),
        )
        for task in document.tasks
        if not task.checked and task_hash(task) in hashes
    )


def _fields(document: Document, task: Task) -> tuple[tuple[str, str], ...]:
    """Everything that the model would be given with it, line by line as the person reads it."""
    line = document.lines[task.line - 1].text.strip()
    details = task.details.split("\n") if task.details else []
    return (("task", line), *(("details", one) for one in details))
