"""Tasks that the model added to HEARTBEAT.md: each waits for the person like what executes. Pure.

Law: a line that the model wrote is known by its hash. A line that the person has edited has
another hash, and is the person's.
"""

from collections.abc import Collection

from core.model.approval import Executable, ExecutableKind
from core.model.document import Document, Task
from core.model.item import ItemKind, item_key
from core.model.workspace import Workspace
from core.rules.fingerprint import fingerprint

REACH = ("is given to the model, which works on it with the permissions that you granted",)


def line_hash(document: Document, task: Task) -> str:
    return fingerprint(_line(document, task).encode())


def tasks_by_model(workspace: Workspace, hashes: Collection[str]) -> tuple[Executable, ...]:
    """The open tasks whose lines have one of these hashes."""
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
            fields=(("task", _line(document, task)),),
            reach=REACH,
            commands=(),
            needed_by=(item_key(ItemKind.TASK, task.id),),
        )
        for task in document.tasks
        if not task.checked and line_hash(document, task) in hashes
    )


def _line(document: Document, task: Task) -> str:
    return document.lines[task.line - 1].text.strip()
