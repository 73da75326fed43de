"""Takes back what an action did: its files, byte for byte, and its lines in HEARTBEAT.md."""

from core.engine.reading import read_workspace
from core.engine.world import World
from core.engine.write_back import write_changes
from core.model.change import Change, RemoveCompleted, RemoveField, SetField
from core.model.holder import Holder
from core.model.item import Kind, item_key
from core.model.undo import Undone, UndoRefused


def undo(world: World, beat: int | None, item: str | None) -> Undone | UndoRefused | Holder:
    """Undo the last action that displaced something, or that of a beat or an item. It does not run again by itself."""
    now = world.clock.now()
    held = world.lock.acquire("undo", now)
    if isinstance(held, Holder):
        return held
    with held:
        done = world.undo.undo(beat, item)
        if isinstance(done, UndoRefused):
            return done
        changes: list[Change] = []
        for action, lines in done.lines.items():
            world.ledger.take_back(item_key(Kind.ACTION, action))
            changes.append(RemoveCompleted(action))
            for key, value in lines.items():
                changes.append(RemoveField(action, key) if value is None else SetField(action, key, value))
        workspace = read_workspace(world.files, world.root, world.settings.heartbeat_file)
        if changes:
            write_changes(world, workspace, workspace.snapshot, changes)
        return done
