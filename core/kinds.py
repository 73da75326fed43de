"""Reading and approving with every kind of action and check that there is.

The rules know no kind by name: they are given the tables. Here they get those of core/actions and
core/checks. Each function imports what it needs: `heartbeat check` approves nothing, `heartbeat
status` reads no file, and both should start fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from core.model.approval import Executable
    from core.model.check import Check
    from core.model.diagnostic import Problem
    from core.model.document import Document, Task
    from core.model.kinds import Kinds
    from core.model.settings import Settings
    from core.model.workspace import Workspace


def all_kinds() -> Kinds:
    from core.actions import ACTION_TYPES
    from core.checks import CHECK_KINDS
    from core.model.kinds import Kinds

    return Kinds(ACTION_TYPES, CHECK_KINDS)


def read_document(data: bytes) -> Document:
    """The document that the bytes contain."""
    from core.rules.reading import document

    return document.read_document(data, all_kinds())


def read_check(task: Task, probes: Collection[str]) -> Check | Problem:
    """How the task is checked; a Problem if its hint cannot be read."""
    from core.checks import CHECK_KINDS
    from core.rules.checking import hints

    return hints.read_check(task, probes, CHECK_KINDS)


def check_words(task: Task, probes: Collection[str]) -> str:
    """How the task is checked, as a phrase."""
    from core.checks import CHECK_KINDS
    from core.rules.checking import hints

    return hints.check_words(task, probes, CHECK_KINDS)


def executables_of(workspace: Workspace, settings: Settings) -> tuple[Executable, ...]:
    """Everything that executes, each with all that decides what it does."""
    from core.rules.approving import executables

    return executables.executables_of(workspace, settings, all_kinds())
