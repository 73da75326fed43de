"""Undoes what an action or a model did: its files, byte for byte, the lines in HEARTBEAT.md that
were written about it, and the error in the frontmatter that it left."""

from collections.abc import Sequence
from datetime import date, tzinfo

from core.engine.local_time import local_time
from core.engine.read import read_workspace
from core.engine.write_back import (
    RECENT,
    changes_of_header,
    own_lines,
    show_day,
    write_changes,
)
from core.model.change import (
    Change,
    RemoveCompleted,
    RemoveField,
    RemoveVerdict,
    SetCompleted,
    SetField,
)
from core.model.file_work import Undone, UndoRefused
from core.model.holder import Holder, Purpose
from core.model.item import ItemKind, identifier_of_key, item_key
from core.model.light_dataclass import replace
from core.model.occurrence import Occurrence, Outcome
from core.model.workspace import Workspace
from core.ports.world import World
from core.rules.reading.verdict_lines import verdict_words, word_of
from core.rules.timing.zones import zone_of
from core.rules.writing.completed_lines import clock_of, sameness

MOST_RUNS = 1000  # that are searched for those of the beat


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
        now = local_time(world, now, workspace)
        for action in done.lines:
            world.ledger.items.take_back(item_key(ItemKind.ACTION, action), done.beat)

        tasks = _tasks_of_batch(world, workspace, done)
        changes = [
            *_changes_of_actions(world, workspace, done, now.date()),
            *_changes_of_tasks(tasks, zone_of(workspace.document, world.clock.zone())),
        ]
        if not changes:
            return done

        keys = [task.item for task in tasks]
        changes += changes_of_header(world, workspace, done.beat, keys)
        _, after = write_changes(world, workspace, workspace.snapshot, changes)
        if done.lines:
            show_day(world, now)

        return done if after == workspace.snapshot else replace(done, file=workspace.file.name)


# -- actions ---------------------------------------------------------------------------------------


def _changes_of_actions(
    world: World, workspace: Workspace, done: Undone, today: date
) -> list[Change]:
    zone = zone_of(workspace.document, world.clock.zone())
    changes: list[Change] = []
    for action, lines in done.lines.items():
        changes.append(_completed_line(world, workspace, action, zone, today))
        for key, value in lines.items():
            changes.append(
                RemoveField(action, key) if value is None else SetField(action, key, value)
            )

    return changes


def _completed_line(
    world: World, workspace: Workspace, action: str, zone: tzinfo, today: date
) -> Change:
    """The line under `## Completed Today` as it was: the one of an earlier run of the day, or
    none."""
    own = own_lines(world, (action,), zone)
    earlier = _earlier_run(world, action, zone, today)
    is_there = any(
        done.id == action and sameness(done.words) in own for done in workspace.document.completed
    )
    if earlier is None or not is_there:
        return RemoveCompleted(action, own)

    return SetCompleted(action, earlier.result or "OK", clock_of(earlier, zone), own)


def _earlier_run(world: World, action: str, zone: tzinfo, today: date) -> Occurrence | None:
    """The last run of the day that completed and was not undone."""
    key = item_key(ItemKind.ACTION, action)
    runs = world.ledger.occurrences.history(item=key, outcome=Outcome.COMPLETED, limit=RECENT)
    return next(
        (
            run
            for run in runs
            if not run.is_undone and run.finished and run.finished.astimezone(zone).date() == today
        ),
        None,
    )


# -- tasks of a model ------------------------------------------------------------------------------


def _tasks_of_batch(world: World, workspace: Workspace, done: Undone) -> list[Occurrence]:
    """What the model that changed the files said and was judged on in that beat. One step holds
    what a whole batch changed, so all of its tasks are undone with it."""
    if not done.is_of_batch:
        return []

    by_command = {task.id for task in workspace.document.tasks if task.run}
    return [
        one
        for one in world.ledger.occurrences.history(limit=MOST_RUNS)
        if one.beat == done.beat
        and one.kind == ItemKind.TASK
        and identifier_of_key(one.item) not in by_command
    ]


def _changes_of_tasks(runs: Sequence[Occurrence], zone: tzinfo) -> list[Change]:
    """Without the lines with the verdicts of these runs; a line of another run stays."""
    return [
        RemoveVerdict(
            identifier_of_key(one.item),
            verdict_words(word, one.points, one.finished.astimezone(zone)),
        )
        for one in runs
        if one.finished and (word := word_of(one))
    ]
