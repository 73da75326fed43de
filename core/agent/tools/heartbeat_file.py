"""Changes that the model makes to HEARTBEAT.md. Law: a model does not decide what its work is or
how it is checked, and what executes waits for the person.

core/rules/approving/guarded.py says what that is: which tasks there are, what they say, when an
item is due, how it is checked. Such a change is refused here, and the file stays as it was. A new
action or task is written, but it runs only after the person has approved it. A tool server writes
files by itself: what it changed of the above is restored right after its call, and where that is
not possible, the changed tasks wait for the person.
"""

from collections.abc import Callable, Collection
from contextlib import closing

from core.agent.taint import refuse_new_addresses
from core.agent.tool import ToolRefusedError
from core.agent.tool_world import ToolWorld
from core.kinds import executables_of, read_document
from core.model.document import ActionStatus, Document
from core.model.holder import Holder, Purpose
from core.model.item import ItemKind, item_key
from core.model.workspace import Workspace
from core.model.workspace_file import Failed, Postponed, Snapshot
from core.rules.approving.guarded import ADDED, VERDICT, GuardedChange, guarded_changes
from core.rules.approving.model_tasks import task_hash
from core.rules.reading.verdict_lines import verdict_words, word_of
from core.rules.timing.zones import zone_of

RECENT = 20  # runs of a task among which the verdict of a line is looked for
GUARDED_CHANGE = "It changed what only the person may change in HEARTBEAT.md"


def change_heartbeat_file(world: ToolWorld, change: Callable[[bytes], bytes]) -> str:
    """Write the changed file under the workspace's lock, merged with what the person saves in the
    meantime."""
    held = world.lock.acquire(Purpose.EDIT, world.clock.now())
    if isinstance(held, Holder):
        raise ToolRefusedError("Another beat is writing HEARTBEAT.md; try again later.")

    with held:
        before = world.workspace()
        if before.snapshot is None:
            raise ToolRefusedError("There is no HEARTBEAT.md; only the person can create it.")

        return _write(world, before, before.snapshot, change(before.snapshot.data))


def put_back(world: ToolWorld, before: Workspace) -> str | None:
    """Restore the file if a call has changed what is guarded. Return a sentence that says so, or
    None if there was nothing to restore. The changed version is among the backups."""
    after = world.workspace()
    changes = guarded_changes(before.document, after.document)
    if before.snapshot is None or all(_is_by_a_beat(world, before, change) for change in changes):
        return None

    why = _restore(world, before.snapshot, after.snapshot)
    if why is None:
        return f"{GUARDED_CHANGE}, so the file was put back."

    _remember(world, before.document, after.document, {change.key for change in changes})
    waits = "What it did to tasks waits for the person."
    return f"{GUARDED_CHANGE}, and the file could not be put back: {why} {waits}"


def _restore(world: ToolWorld, before: Snapshot, after: Snapshot | None) -> str | None:
    """Write the file as it was; return why that was not possible."""
    if after is None:
        return "it is gone or cannot be read."

    held = world.lock.acquire(Purpose.EDIT, world.clock.now())
    if isinstance(held, Holder):
        return "another beat is at work."

    with held:
        now = world.clock.now()
        written = world.files.write(after, world.root, lambda _: before.data, now)

    return written.reason if isinstance(written, Postponed | Failed) else None


def _is_by_a_beat(world: ToolWorld, before: Workspace, change: GuardedChange) -> bool:
    """Whether another beat can have made this change. It may write statuses during the call, and
    restoring the old status would run the action twice. No beat turns completed into pending. It
    writes the verdicts that are in the ledger."""
    if change.what == VERDICT:
        return _is_recorded(world, before, change)

    return change.what == "status" and (change.before, change.after) != (
        ActionStatus.COMPLETED,
        ActionStatus.PENDING,
    )


def _is_recorded(world: ToolWorld, before: Workspace, change: GuardedChange) -> bool:
    """Whether the line below a task shows a verdict that the task got."""
    zone = zone_of(before.document, world.clock.zone())
    with closing(world.open_ledger()) as ledger:
        runs = ledger.occurrences.history(item=change.key, limit=RECENT)

    recorded = (
        verdict_words(word, one.points, one.finished.astimezone(zone))
        for one in runs
        if one.finished and (word := word_of(one))
    )
    return change.after in recorded


def _write(world: ToolWorld, before: Workspace, base: Snapshot, wanted: bytes) -> str:
    after = read_document(wanted)
    if after.refused:
        raise ToolRefusedError("HEARTBEAT.md could not be read any more after this change.")

    guarded = guarded_changes(before.document, after)
    # A new section of tasks would end a plain file, which is the person's work for the model.
    may_add = not before.document.is_plain_item
    if changes := [change for change in guarded if change.what != ADDED or not may_add]:
        what = ", ".join(str(change) for change in changes[:3])
        raise ToolRefusedError(f"Only the person may change {what}; ask for it in your report.")

    refuse_new_addresses(world, _text_for_the_model(before.document), _text_for_the_model(after))

    added = {change.key for change in guarded}
    if added:
        _refuse_copies(before.document, after, added)
        _remember(world, before.document, after, added)

    world.heartbeat_undo_folder.keep(base.path.resolve())
    written = world.files.write(base, world.root, lambda _: wanted, world.clock.now())
    if isinstance(written, Postponed | Failed):
        raise ToolRefusedError(f"{written.reason} Nothing was changed.")

    world.heartbeat_undo_folder.changed(base.path.resolve())
    tasks = f" The person has to approve it first: {', '.join(sorted(added))}." if added else ""
    return f"Wrote {base.path.name}.{_waiting(world, before)}{tasks}"


def _refuse_copies(before: Document, after: Document, added: Collection[str]) -> None:
    """Refuse a task that says the same as one that is there: that one would wait too, because
    nothing tells the two apart."""
    there = {task_hash(task): item_key(ItemKind.TASK, task.id) for task in before.tasks}
    for task in after.tasks:
        same = there.get(task_hash(task))
        if same and item_key(ItemKind.TASK, task.id) in added:
            raise ToolRefusedError(f"HEARTBEAT.md already has a task with these words: {same}.")


def _remember(world: ToolWorld, before: Document, after: Document, added: Collection[str]) -> None:
    """Keep which tasks are the model's, before they are in the file. Tasks that are no longer
    there are forgotten."""
    still = {task_hash(task) for task in before.tasks}
    new = {task_hash(task) for task in after.tasks if item_key(ItemKind.TASK, task.id) in added}
    with closing(world.open_ledger()) as ledger:
        known = ledger.approvals.model_tasks()
        ledger.approvals.save_model_tasks((known & still) | new)


def _text_for_the_model(document: Document) -> str:
    """What later beats send to the model from the file, besides the tasks."""
    return f"{document.context}\n{document.review or ''}"


def _waiting(world: ToolWorld, before: Workspace) -> str:
    """A sentence about the actions that now wait for approval; empty if there are none."""
    known = {one.key: one.fields for one in executables_of(before, world.settings)}
    now = executables_of(world.workspace(), world.settings)
    new = [one.key for one in now if known.get(one.key) != one.fields]

    return f" Before they run, the person has to approve: {', '.join(new)}." if new else ""
