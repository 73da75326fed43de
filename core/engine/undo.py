"""Undoes what an action did: its files, byte for byte, its lines in HEARTBEAT.md, and the error in
the frontmatter that it left."""

from core.engine.local_time import local_time
from core.engine.read import read_workspace
from core.engine.write_back import changes_of_header, own_lines, show_day, write_changes
from core.model.change import Change, RemoveCompleted, RemoveField, SetField
from core.model.file_work import Undone, UndoRefused
from core.model.holder import Holder, Purpose
from core.model.item import ItemKind, item_key
from core.ports.world import World
from core.rules.timing.zones import zone_of


def undo(world: World, beat: int | None, item: str | None) -> Undone | UndoRefused | Holder:
    """Undo the last action that displaced something, or that of a beat or an item. It does not
    run again by itself."""
    now = world.clock.now()
    held = world.lock.acquire(Purpose.UNDO, now)
    if isinstance(held, Holder):
        return held

    with held:
        done = world.undo.undo(beat, item)
        if isinstance(done, UndoRefused):
            return done

        workspace = read_workspace(world)
        zone = zone_of(workspace.document, world.clock.zone())
        changes: list[Change] = []
        for action, lines in done.lines.items():
            world.ledger.items.take_back(item_key(ItemKind.ACTION, action), done.beat)
            changes.append(RemoveCompleted(action, own_lines(world, (action,), zone)))
            for key, value in lines.items():
                changes.append(
                    RemoveField(action, key) if value is None else SetField(action, key, value)
                )

        if changes:
            changes += changes_of_header(world, workspace, done.beat)
            write_changes(world, workspace, workspace.snapshot, changes)
            show_day(world, local_time(world, now, workspace))

        return done
