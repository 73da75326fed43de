"""HEARTBEAT.md as the model changes it. Law: nobody decides on his own work or its check, and what executes waits.

Which tasks there are, when an item is due, how it is checked (core/rules/permitting/guarded.py): such a change is
refused here, where it is made, and the file stays as it was. A new action is written; the approval of the person is
asked before it ever runs. A tool server writes on its own account: what it changed of that is put back right after.
"""

from collections.abc import Callable

from core.agent.built_in import RefusedError
from core.agent.ground import Ground
from core.agent.outside import refuse_new_addresses
from core.model.document import ActionStatus, Document
from core.model.holder import Holder
from core.model.workspace import Workspace
from core.model.workspace_file import Failed, Postponed, Snapshot
from core.rules.permitting.executables import executables_of
from core.rules.permitting.guarded import GuardedChange, guarded_changes
from core.rules.reading.document import read_document


def change_heartbeat_file(ground: Ground, change: Callable[[bytes], bytes]) -> str:
    """Write it, under the workspace's lock, merged with what the person saves meanwhile."""
    held = ground.lock.acquire("edit", ground.clock.now())
    if isinstance(held, Holder):
        raise RefusedError("Another beat is writing HEARTBEAT.md; try again later.")
    with held:
        before = ground.workspace()
        if before.snapshot is None:
            raise RefusedError("There is no HEARTBEAT.md; only the person makes one.")
        return _write(ground, before, before.snapshot, change(before.snapshot.data))


def put_back(ground: Ground, before: Workspace) -> str:
    """After a call that could have written the file: where it changed what is guarded, the file is as before, and this
    says so. The other version is among those that are kept."""
    after = ground.workspace()
    changes = guarded_changes(before.document, after.document)
    if before.snapshot is None or all(_is_of_a_beat(one) for one in changes):
        return ""
    held = ground.lock.acquire("edit", ground.clock.now())
    if after.snapshot is None or isinstance(held, Holder):
        return "It changed what only the person changes in HEARTBEAT.md, and this could not be put back."
    with held:
        old = before.snapshot.data
        written = ground.files.write(after.snapshot, ground.root, lambda _: old, ground.clock.now())
    if isinstance(written, Postponed | Failed):
        return (
            f"It changed what only the person changes in HEARTBEAT.md, and it could not be put back: {written.reason}"
        )
    return "It changed what only the person changes in HEARTBEAT.md, so the file was put back."


def _is_of_a_beat(change: GuardedChange) -> bool:
    """Another beat may write statuses during the call, and a status put back would run its action twice. No beat makes
    what is completed pending."""
    return change.what == "status" and (change.before, change.after) != (ActionStatus.COMPLETED, ActionStatus.PENDING)


def _write(ground: Ground, before: Workspace, base: Snapshot, wanted: bytes) -> str:
    after = read_document(wanted)
    if after.refused:
        raise RefusedError("HEARTBEAT.md could not be read any more after this change.")
    if guarded := guarded_changes(before.document, after):
        what = ", ".join(str(one) for one in guarded[:3])
        raise RefusedError(f"Only the person changes {what}; say in your report what you wish.")
    refuse_new_addresses(ground, _words(before.document), _words(after))
    ground.heartbeat_undo.keep(base.path.resolve())
    written = ground.files.write(base, ground.root, lambda _: wanted, ground.clock.now())
    if isinstance(written, Postponed | Failed):
        raise RefusedError(f"{written.reason} Nothing was changed.")
    ground.heartbeat_undo.changed(base.path.resolve())
    return f"Wrote {base.path.name}.{_waiting(ground, before)}"


def _words(document: Document) -> str:
    """What a later beat tells the model of it, beside the tasks."""
    return f"{document.context}\n{document.review or ''}"


def _waiting(ground: Ground, before: Workspace) -> str:
    known = {one.key: one.fields for one in executables_of(before, ground.settings)}
    new = [one.key for one in executables_of(ground.workspace(), ground.settings) if known.get(one.key) != one.fields]
    return f" Before they run, the person has to approve: {', '.join(new)}." if new else ""
