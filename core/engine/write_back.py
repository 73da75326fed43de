"""Shows in HEARTBEAT.md what the ledger says: at most two writes a beat, and none where nothing changed."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import assert_never

from core.engine.world import World
from core.model.change import Change, SetCompleted
from core.model.document import Action, ActionStatus
from core.model.item import Kind, identifier_of_key, item_key
from core.model.occurrence import Occurrence, Outcome
from core.model.workspace import Workspace
from core.model.workspace_file import Failed, Postponed, Snapshot, Unchanged, Written
from core.rules.planning import zone_of
from core.rules.reading.document import read_document
from core.rules.writing.edits import changed_bytes
from core.rules.writing.results import (
    changes_after,
    header_changes,
    is_recurring,
    new_day_changes,
    running_changes,
    stale_actions,
)

RUNNING_AFTER = 2.0  # seconds that a beat lasts before the file shows it
RECENT = 50  # occurrences of an action among which its last run is looked for
ENDED = (Outcome.COMPLETED, Outcome.FAILED, Outcome.INTERRUPTED)


class RunningMark:
    """Once the beat has lasted 2 s, the file shows what is executing; a quick beat never touches it for that."""

    def __init__(self, world: World, workspace: Workspace) -> None:
        self._world = world
        self._workspace = workspace
        self._executing: set[str] = set()
        self._timer = threading.Timer(RUNNING_AFTER, self._show)
        self._timer.daemon = True
        self.snapshot = workspace.snapshot

    def __enter__(self) -> "RunningMark":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()

    @contextmanager
    def executing(self, identifier: str) -> Iterator[None]:
        self._executing.add(identifier)
        yield
        self._executing.discard(identifier)

    def _show(self) -> None:
        changes = running_changes(self._workspace.document, tuple(self._executing))
        _, self.snapshot = _write(self._world, self._workspace, self.snapshot, changes)


def write_back(
    world: World,
    workspace: Workspace,
    snapshot: Snapshot | None,
    ended: Sequence[Occurrence],
    now: datetime,
    next_wake: datetime | None,
    beat: int | None = None,
) -> str:
    """Write what came of the beat, or of those before; returns why it does not stand in the file yet, or nothing."""
    if world.settings.write_back == "off":
        return ""
    document = workspace.document
    zone = zone_of(document, world.clock.zone())
    actions = {action.id: action for action in reversed(document.actions)}
    shown = [one for one in ended if one.kind == Kind.ACTION and one.outcome in ENDED]
    changes = new_day_changes(document, _last_beat(world, beat), now, zone)
    for occurrence in [*_stale(world, workspace), *shown]:
        action = actions.get(identifier_of_key(occurrence.item))
        made = changes_after(occurrence, action, zone) if action else []
        assert occurrence.finished
        is_of_today = occurrence.finished.astimezone(zone).date() >= now.astimezone(zone).date()
        changes += [change for change in made if is_of_today or not isinstance(change, SetCompleted)]
    errors = [f"{identifier_of_key(one.item)}: {one.error}" for one in shown if one.outcome is not Outcome.COMPLETED]
    changes += header_changes(document, now, next_wake, errors)
    problem, _ = _write(world, workspace, snapshot, changes)
    return problem


def show_last_runs(world: World, workspace: Workspace, now: datetime, next_wake: datetime | None) -> str:
    """Where nothing runs: correct a status that says otherwise than the ledger. An old copy came back from an editor,
    the file could not be written, or the program was gone before it was."""
    actions = {item_key(Kind.ACTION, action.id): action for action in reversed(workspace.document.actions)}
    runs = [run for run in _stale(world, workspace) if _misleads(actions[run.item], run)]
    return write_back(world, workspace, workspace.snapshot, runs, now, next_wake) if runs else ""


def _misleads(action: Action, last_run: Occurrence) -> bool:
    if action.status is ActionStatus.PENDING:
        return not (is_recurring(action) and last_run.outcome is Outcome.COMPLETED)
    return action.status is ActionStatus.RUNNING


def _stale(world: World, workspace: Workspace) -> list[Occurrence]:
    """The last runs that the file does not show."""
    memory = world.ledger.items()
    runs: list[Occurrence] = []
    for action in stale_actions(workspace.document, memory):
        key = item_key(Kind.ACTION, action.id)
        past = world.ledger.history(item=key, limit=RECENT)
        # Not simply the newest: after a clock was set back, the last run is recorded before others.
        runs += [one for one in past if one.outcome in ENDED and one.finished == memory[key].last_finished][:1]
    return runs


def _last_beat(world: World, beat: int | None) -> datetime | None:
    """When the beat before this one was."""
    return next((one.started for one in world.ledger.recent_beats(2) if one.number != beat), None)


def _write(
    world: World, workspace: Workspace, snapshot: Snapshot | None, changes: Sequence[Change]
) -> tuple[str, Snapshot | None]:
    if snapshot is None or world.settings.write_back == "off":
        return "", snapshot
    written = world.files.write(
        snapshot, workspace.root, lambda data: changed_bytes(read_document(data), changes), world.clock.now()
    )
    match written:
        case Written(new):
            return "", new
        case Unchanged():
            return "", snapshot
        case Postponed(reason) | Failed(reason):
            return reason, snapshot
        case _:
            assert_never(written)
