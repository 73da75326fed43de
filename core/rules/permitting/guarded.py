"""What the agent may not change by itself: how its own work is checked. Pure: two readings of the file are compared."""

from collections.abc import Iterator

from core.model.document import Document, Probe, Task
from core.model.item import Kind, item_key
from core.model.value import dataclass

GUARDED = ("checked", "required", "verify", "max_attempts")


@dataclass(frozen=True, slots=True)
class GuardedChange:
    """A change that waits for the person; the old line holds meanwhile."""

    key: str  # of the task, or `probe:NAME`
    what: str  # the field, `command` of a probe, or `removed`
    before: str
    after: str
    holds: Task | Probe  # as it was


def guarded_changes(before: Document, after: Document) -> tuple[GuardedChange, ...]:
    """Every change to a box, `required`, `verify`, `max_attempts` or a probe, and every task or probe that is gone.

    A line that was put before another one with the same id takes its place, so it counts as a change too.
    """
    return (*_tasks(before, after), *_probes(before, after))


def _tasks(before: Document, after: Document) -> Iterator[GuardedChange]:
    now = {task.id: task for task in reversed(after.tasks)}
    for old in before.tasks:
        key = item_key(Kind.TASK, old.id)
        new = now.get(old.id)
        if new is None:
            yield GuardedChange(key, "removed", old.description, "", old)
            continue
        for name in GUARDED:
            if getattr(old, name) != getattr(new, name):
                yield GuardedChange(key, name, _text(getattr(old, name)), _text(getattr(new, name)), old)


def _probes(before: Document, after: Document) -> Iterator[GuardedChange]:
    now = {probe.name: probe for probe in after.probes}
    for old in before.probes:
        new = now.get(old.name)
        if new is None:
            yield GuardedChange(f"probe:{old.name}", "removed", old.command, "", old)
        elif new.command != old.command:
            yield GuardedChange(f"probe:{old.name}", "command", old.command, new.command, old)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
