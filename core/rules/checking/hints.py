"""What a `verify:` hint asks for. Pure: the kinds of check come in as a table."""

from collections.abc import Collection
from typing import Any

from core.model.check import Check, CheckKind, CheckTable, Hint
from core.model.diagnostic import Problem
from core.model.document import Task

Kinds = CheckTable[CheckKind[Any]]


def read_check(task: Task, probes: Collection[str], kinds: Kinds) -> Check | Problem:
    """How the task is checked; a Problem if the hint looks like a check but cannot be read."""
    text = task.verify.strip()
    prefix, colon, rest = text.partition(":")
    kind = kinds.by_prefix.get(prefix.strip().lower()) if colon else None
    hint = Hint(text, rest.strip() if kind else text, probes, bool(task.run))
    kind = kind or kinds.claiming(hint)

    return kind.read(hint)


def check_words(task: Task, probes: Collection[str], kinds: Kinds) -> str:
    """How the task is checked, as a phrase."""
    check = read_check(task, probes, kinds)
    if isinstance(check, Problem):
        return "its check cannot be read"

    kind = kinds.of(check)
    if kind.needs_judge:
        return f"a judge decides “{kind.title(task.verify.strip())}”"

    return f"checked by {kind.title(task.verify)}"
