"""What the agent may not change by itself: which work there is, when it is done and how it is checked. Pure: two
readings of the file are compared."""

from collections.abc import Iterator, Sequence

from core.model.document import Action, Document, Task
from core.model.item import Kind, item_key
from core.model.value import dataclass

OF_TASKS = ("checked", "required", "verify", "max_attempts", "description", "schedule", "unclear")
OF_ACTIONS = ("status", "schedule", "condition", "depends_on", "retry", "retry_delay", "timeout", "unclear")
OF_FRONTMATTER = ("active", "timezone", "format")
ADDED, REMOVED = "added", "removed"


@dataclass(frozen=True, slots=True)
class GuardedChange:
    """A change that only the person makes."""

    key: str  # of the task or action, `probe:NAME`, or `frontmatter`
    what: str  # the field, `command` of a probe, `added` or `removed`
    before: str
    after: str

    def __str__(self) -> str:
        if self.what == ADDED:
            return f"the new {self.key} (heartbeat_add makes a prompt instead)"
        return f"the line of {self.key}" if self.what == REMOVED else f"`{self.what}` of {self.key}"


def guarded_changes(before: Document, after: Document) -> tuple[GuardedChange, ...]:
    """Every change to a guarded field or a probe, every task, action or probe that is gone, and every new task: a new
    action waits for its approval, while a new task would earn points at once.

    A line that was put before another one with the same id takes its place, so it counts as a change too.
    """
    return (
        *_frontmatter(before, after),
        *_items(Kind.TASK, OF_TASKS, before.tasks, after.tasks),
        *_new_tasks(before, after),
        *_items(Kind.ACTION, OF_ACTIONS, before.actions, after.actions),
        *_probes(before, after),
    )


def _frontmatter(before: Document, after: Document) -> Iterator[GuardedChange]:
    for name in OF_FRONTMATTER:
        values = [one.frontmatter.values.get(name) for one in (before, after)]
        old, new = (_text(entry.value) if entry else "" for entry in values)
        if old != new:
            yield GuardedChange("frontmatter", name, old, new)
    if before.held != after.held:
        yield GuardedChange("frontmatter", "form", before.held, after.held)


def _items(
    kind: Kind, names: Sequence[str], before: Sequence[Task | Action], after: Sequence[Task | Action]
) -> Iterator[GuardedChange]:
    then, now = ({one.id: one for one in reversed(items)} for items in (before, after))  # the first of an id holds
    for old in reversed(then.values()):
        key, new = item_key(kind, old.id), now.get(old.id)
        if new is None:
            yield GuardedChange(key, REMOVED, _text(old.id), "")
            continue
        for name in names:
            if getattr(old, name) != getattr(new, name):
                yield GuardedChange(key, name, _text(getattr(old, name)), _text(getattr(new, name)))


def _new_tasks(before: Document, after: Document) -> Iterator[GuardedChange]:
    known = {task.id for task in before.tasks}
    return (GuardedChange(item_key(Kind.TASK, one.id), ADDED, "", one.id) for one in after.tasks if one.id not in known)


def _probes(before: Document, after: Document) -> Iterator[GuardedChange]:
    now = {probe.name: probe for probe in after.probes}
    for old in before.probes:
        new = now.get(old.name)
        if new is None:
            yield GuardedChange(f"probe:{old.name}", REMOVED, old.command, "")
        elif new.command != old.command:
            yield GuardedChange(f"probe:{old.name}", "command", old.command, new.command)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
