"""What the agent may not change: which work there is, when it is done and how it is checked.
Pure: it compares two readings of the file."""

from collections.abc import Collection, Iterator, Sequence

from core.model.document import Action, Document, Task
from core.model.item import ItemKind, item_key
from core.model.light_dataclass import light_dataclass
from core.rules.reading.frontmatter import KEYS
from core.rules.reading.verdict_lines import is_verdict_line

# Every field is guarded except these. The line moves with the lines above it, an id that changes is
# an item that is gone, and what executes waits for approval once it is changed.
FREE_IN_TASKS = ("id", "line", "run")
FREE_IN_ACTIONS = ("id", "line", "fields", "name", "priority", "type", "params", "sandbox")
ADDED = "added"
REMOVED = "removed"
VERDICT = "verdict"  # the program's own line below a task


@light_dataclass(frozen=True, slots=True)
class GuardedChange:
    """A change that only the person makes."""

    key: str  # of the task or action, `probe:NAME`, or `frontmatter`
    what: str  # the field, `command` of a probe, `verdict`, `added` or `removed`
    before: str
    after: str

    def __str__(self) -> str:
        if self.what == ADDED:
            return f"the new {self.key} (heartbeat_add makes a prompt instead)"
        if self.what == REMOVED:
            return f"the line of {self.key}"

        return f"`{self.what}` of {self.key}"


def guarded_changes(before: Document, after: Document) -> tuple[GuardedChange, ...]:
    """Every change of a guarded field, a verdict or a probe, every task, action or probe that is
    gone, and every new task. A new action is not listed, because it waits for approval; a new task
    would earn points at once.

    Of two lines with the same id the first one counts, so a line that is put before another one
    counts as a change too.
    """
    return (
        *_frontmatter(before, after),
        *_items(ItemKind.TASK, FREE_IN_TASKS, before.tasks, after.tasks),
        *_new_tasks(before, after),
        *_verdicts(before, after),
        *_items(ItemKind.ACTION, FREE_IN_ACTIONS, before.actions, after.actions),
        *_probes(before, after),
    )


def _frontmatter(before: Document, after: Document) -> Iterator[GuardedChange]:
    for name in (name for name, key in KEYS.items() if not key.model_may_change):
        old = _written(before, name)
        new = _written(after, name)
        if old != new:
            yield GuardedChange("frontmatter", name, old, new)

    if before.held != after.held:
        yield GuardedChange("frontmatter", "form", str(before.held or ""), str(after.held or ""))


def _written(document: Document, name: str) -> str:
    entry = document.frontmatter.values.get(name)
    return _text(entry.value) if entry else ""


def _items(
    kind: ItemKind,
    free: Collection[str],
    before: Sequence[Task | Action],
    after: Sequence[Task | Action],
) -> Iterator[GuardedChange]:
    # Reversed, because the first line with an id counts.
    then = {one.id: one for one in reversed(before)}
    now = {one.id: one for one in reversed(after)}
    for old in reversed(then.values()):
        key = item_key(kind, old.id)
        new = now.get(old.id)
        if new is None:
            yield GuardedChange(key, REMOVED, _text(old.id), "")
            continue

        for name in old.__match_args__:
            if name not in free and getattr(old, name) != getattr(new, name):
                yield GuardedChange(key, name, _text(getattr(old, name)), _text(getattr(new, name)))


def _new_tasks(before: Document, after: Document) -> Iterator[GuardedChange]:
    known = {task.id for task in before.tasks}
    return (
        GuardedChange(item_key(ItemKind.TASK, one.id), ADDED, "", one.id)
        for one in after.tasks
        if one.id not in known
    )


def _verdicts(before: Document, after: Document) -> Iterator[GuardedChange]:
    """Every line about a verdict that is new, gone or another one."""
    then = {task.id: _verdict(before, task) for task in before.tasks}
    for task in after.tasks:
        old = then.get(task.id, "")
        new = _verdict(after, task)
        if old != new:
            yield GuardedChange(item_key(ItemKind.TASK, task.id), VERDICT, old, new)


def _verdict(document: Document, task: Task) -> str:
    below = document.lines[task.line].text if task.line < len(document.lines) else ""
    return below.strip() if is_verdict_line(below) else ""


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
