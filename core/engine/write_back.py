"""Shows in HEARTBEAT.md what the ledger says: at most two writes per beat, and none if nothing
changed."""

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, tzinfo
from functools import cache
from typing import assert_never

from core.engine.approve import changed_since_approved
from core.kinds import read_document
from core.model.change import Change, ClearCompleted, SetCompleted, SetField, SetVerdict
from core.model.diagnostic import Problem
from core.model.document import Action, ActionStatus
from core.model.errors import HeartbeatError
from core.model.item import ItemKind, identifier_of_key, item_key
from core.model.light_dataclass import replace
from core.model.occurrence import FAILURES, Occurrence, Outcome, Verdict
from core.model.report import ItemReport
from core.model.trouble import TroubleKey, TroubleKind
from core.model.workspace import Workspace
from core.model.workspace_file import Failed, Postponed, Snapshot, Unchanged, Written
from core.ports.world import World
from core.rules.reading.verdict_lines import word_of
from core.rules.timing.zones import zone_of
from core.rules.writing.completed_lines import written_lines
from core.rules.writing.edits import changed_bytes
from core.rules.writing.results import (
    changes_after,
    header_after_undo,
    header_changes,
    is_new_day,
    is_recurring,
    lines_before,
    running_changes,
    stale_actions,
    unclear_changes,
    unexplained_running,
)

UNSHOWN = TroubleKey(TroubleKind.VIEWS)
# How many occurrences are searched for an action's last run, and for those of the last beat.
RECENT = 50
RUNNING_AFTER = 2.0  # seconds that a beat lasts before the file shows it
ENDED = (Outcome.COMPLETED, *FAILURES)
SHOWN = (*ENDED, Outcome.SKIPPED, Outcome.NEEDS_CLARIFICATION)


class RunningMark:
    """Once the beat has lasted 2 s, the file shows what is executing; a quick beat never touches
    it for that."""

    def __init__(self, world: World, workspace: Workspace) -> None:
        self._world = world
        self._workspace = workspace
        self._executing: set[str] = set()
        self._timer = threading.Timer(RUNNING_AFTER, self._show)
        self._timer.daemon = True
        self.snapshot = workspace.snapshot
        self.has_shown = False  # one of the two writes of a beat is made

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
        self.has_shown = True
        changes = running_changes(self._workspace.document, tuple(self._executing))
        _, self.snapshot = write_changes(self._world, self._workspace, self.snapshot, changes)


def show_before_batch(
    world: World,
    workspace: Workspace,
    mark: RunningMark,
    ended: Sequence[Occurrence],
    now: datetime,
) -> bool:
    """Write the results of the actions, and that the beat is still running, before the batch
    starts. Return whether that was written. `now` is when the beat began, as in `write_back`."""
    if mark.has_shown or world.settings.write_back == "off":
        return False

    changes = [
        *_action_changes(world, workspace, _last_runs(world, ended), now),
        *running_changes(workspace.document, ()),
    ]

    problem, mark.snapshot = write_changes(world, workspace, mark.snapshot, changes)
    return problem is None


def write_back(
    world: World,
    workspace: Workspace,
    snapshot: Snapshot | None,
    ended: Sequence[Occurrence],
    now: datetime,
    next_wake: datetime | None,
    *,
    is_shown: bool = False,
    waiting: Sequence[ItemReport] = (),
) -> Problem | None:
    """Write the results of this beat and of earlier ones; return why they are not in the file yet.

    `is_shown`: the results of its actions were written before its batch, and other beats may
    have run since.
    """
    if world.settings.write_back == "off":
        return None

    shown = [] if is_shown else _last_runs(world, ended)
    changes = _action_changes(world, workspace, shown, now, may_be_new_day=not is_shown)
    changes += unclear_changes(workspace.document, waiting)
    changes += _verdict_changes(world, workspace, ended)
    changes += header_changes(workspace.document, now, next_wake, _errors(ended))
    problem, _ = write_changes(world, workspace, snapshot, changes)

    return problem


def _verdict_changes(
    world: World, workspace: Workspace, ended: Sequence[Occurrence]
) -> list[Change]:
    """The lines under tasks, where the person wants them. Where a run found nothing out, the last
    one stays."""
    if world.settings.write_back != "verdicts":
        return []

    zone = zone_of(workspace.document, world.clock.zone())
    return [
        SetVerdict(identifier_of_key(one.item), word, one.points, one.finished.astimezone(zone))
        for one in ended
        if one.kind == ItemKind.TASK and one.finished and (word := word_of(one))
    ]


def _action_changes(
    world: World,
    workspace: Workspace,
    shown: Sequence[Occurrence],
    now: datetime,
    *,
    may_be_new_day: bool = True,
) -> list[Change]:
    """The lines of actions: of these runs, and of those that the file does not show yet."""
    document = workspace.document
    zone = zone_of(document, world.clock.zone())
    actions = {action.id: action for action in reversed(document.actions)}
    changes: list[Change] = []
    if may_be_new_day and document.completed and is_new_day(_last_beat(world, now), now, zone):
        changes.append(
            ClearCompleted(own_lines(world, (one.id for one in document.completed), zone))
        )

    changes += [
        SetField(one.id, "status", ActionStatus.PENDING)
        for one in _waiting_for_slot(world, workspace)
    ]

    unseen = [*_stale(world, workspace), *shown]

    for occurrence in unseen:
        action = actions.get(identifier_of_key(occurrence.item))
        made = changes_after(occurrence, action, zone) if action else []
        day = (occurrence.finished or now).astimezone(zone).date()
        is_of_today = day >= now.astimezone(zone).date()
        for change in made:
            if not isinstance(change, SetCompleted):
                changes.append(change)
            elif is_of_today:
                changes.append(replace(change, own=own_lines(world, (change.id,), zone)))

    for occurrence in unseen:
        action = actions.get(identifier_of_key(occurrence.item))
        if action and action.type and action.type.displaces_files:
            world.undo.keep_lines(
                occurrence.beat, action.id, lines_before(action, occurrence.outcome)
            )

    return changes


def own_lines(world: World, identifiers: Iterable[str], zone: tzinfo) -> frozenset[str]:
    """What tells the lines that the program wrote under `## Completed Today` from the person's. If
    the ledger has lost a run, its line stays."""
    own: frozenset[str] = frozenset()
    for identifier in set(identifiers):
        key = item_key(ItemKind.ACTION, identifier)
        runs = world.ledger.occurrences.history(item=key, outcome=Outcome.COMPLETED, limit=RECENT)
        own |= written_lines(identifier, runs, zone)

    return own


def _last_runs(world: World, ended: Sequence[Occurrence]) -> list[Occurrence]:
    """The runs that are still the last of their action: another beat may have run it again
    during our batch."""
    runs = [one for one in ended if one.kind == ItemKind.ACTION and one.outcome in SHOWN]
    known = world.ledger.items.all() if runs else {}
    slots = {item: one.last_slot for item, one in known.items()}

    return [one for one in runs if (slots.get(one.item) or one.slot) <= one.slot]


def show_day(world: World, now: datetime) -> Problem | None:
    """Bring the files of the day up to date; return why that was not possible. The next beat
    tries again."""
    try:
        world.views.show(world.ledger, now)
    except HeartbeatError as error:
        world.ledger.announcements.announce(UNSHOWN, error.cause, now)
        return Problem(error.message, error.hint)

    world.ledger.announcements.settle(UNSHOWN)
    return None


def write_overdue_changes(
    world: World,
    workspace: Workspace,
    now: datetime,
    next_wake: datetime | None,
    waiting: Sequence[ItemReport] = (),
) -> Problem | None:
    """In a beat with nothing to do: write what an earlier one could not write, and mark what is
    not understood. Return why that is still not possible."""
    unshown = show_day(world, now) if world.ledger.announcements.settle(UNSHOWN) else None
    actions = {
        item_key(ItemKind.ACTION, action.id): action
        for action in reversed(workspace.document.actions)
    }
    is_behind = any(
        _differs_from_ledger(actions[run.item], run) for run in _stale(world, workspace)
    )
    unclear = unclear_changes(workspace.document, waiting)
    if world.settings.write_back == "off" or not (
        is_behind or unclear or _waiting_for_slot(world, workspace)
    ):
        return unshown

    errors = _errors(_last_beat_occurrences(world))
    is_counted = bool(errors) and workspace.document.frontmatter.text("last_error") == errors[-1]
    changes = [*_action_changes(world, workspace, (), now), *unclear]
    changes += header_changes(workspace.document, now, next_wake, errors, is_counted=is_counted)
    problem, _ = write_changes(world, workspace, workspace.snapshot, changes)

    return problem or unshown


def changes_of_header(
    world: World, workspace: Workspace, undone_beat: int, undone: Collection[str] = ()
) -> list[Change]:
    """The frontmatter without the errors of runs that were undone, and of these items. It shows
    the last beat's."""
    last = [one for one in _last_beat_occurrences(world) if one.beat == undone_beat]
    if world.settings.write_back == "off" or not _errors(last):
        return []

    return header_after_undo(
        workspace.document,
        _errors([one for one in last if not one.is_undone and one.item not in undone]),
    )


def _differs_from_ledger(action: Action, last_run: Occurrence) -> bool:
    """Whether the status differs from the ledger: an old copy of the file is back, or it could not
    be written. Lines of a result that the person removed stay removed until the next run."""
    if action.status is ActionStatus.PENDING:
        return not (is_recurring(action) and last_run.outcome is Outcome.COMPLETED)
    return action.status is ActionStatus.RUNNING


def _waiting_for_slot(world: World, workspace: Workspace) -> list[Action]:
    """Scheduled actions that the file calls RUNNING although they never ran here: they run at
    their next slot."""
    return [
        one
        for one in unexplained_running(workspace.document, world.ledger.items.all())
        if one.schedule
    ]


def _last_beat_occurrences(world: World) -> list[Occurrence]:
    """The occurrences of the last beat that did something, oldest first."""
    numbers = [beat.number for beat in world.ledger.beats.recent(1)]
    return [
        one
        for one in reversed(world.ledger.occurrences.history(limit=RECENT))
        if one.beat in numbers
    ]


def _errors(ended: Sequence[Occurrence]) -> list[str]:
    return [
        f"{identifier_of_key(one.item)}: {trouble}"
        for one in ended
        if (trouble := _trouble(one)) is not None
    ]


def _trouble(one: Occurrence) -> str | None:
    """What went wrong with it, in words for the frontmatter; None if nothing did."""
    if one.outcome in FAILURES:
        return one.error or "failed"
    return "not verified" if one.verdict is Verdict.NOT_VERIFIED else None


def _stale(world: World, workspace: Workspace) -> list[Occurrence]:
    """The last runs that the file does not show. A run of an action before it was changed is not
    shown with the new action."""
    known = world.ledger.items.all()
    stale = stale_actions(workspace.document, known)
    changed = changed_since_approved(world, workspace) if stale else frozenset()
    runs: list[Occurrence] = []

    for action in stale:
        key = item_key(ItemKind.ACTION, action.id)
        finished = known[key].last_finished
        if finished is None or key in changed:
            continue

        past = world.ledger.occurrences.history(item=key, limit=RECENT)
        # Not simply the newest: after a clock was set back, the last run is recorded before others.
        runs += [one for one in past if one.outcome in ENDED and one.finished == finished][:1]

    return runs


def _last_beat(world: World, now: datetime) -> datetime | None:
    """When the beat before this one was, or before this plan."""
    return next((beat.started for beat in world.ledger.beats.recent(2) if beat.started < now), None)


def write_changes(
    world: World, workspace: Workspace, snapshot: Snapshot | None, changes: Sequence[Change]
) -> tuple[Problem | None, Snapshot | None]:
    """Write the changes; return why they are not in the file, and what the file is now."""
    if snapshot is None or world.settings.write_back == "off":
        return None, snapshot

    # The lines of `## Completed Today` go into what is left after a new day has cleared the old
    # ones, and after the person's own save: a line that they add at the same place does not keep
    # ours out.
    completed = [one for one in changes if isinstance(one, SetCompleted)]
    others = [one for one in changes if not isinstance(one, SetCompleted)]
    known = workspace.snapshot.data if workspace.snapshot else None

    def change(data: bytes) -> bytes:
        # To read the document again costs the most of a write.
        document = workspace.document if data == known else read_document(data)
        return changed_bytes(document, others)

    @cache  # asked for what would be written, and again for what is in the file by then
    def add(data: bytes) -> bytes:
        return changed_bytes(read_document(data), completed) if completed else data

    written = world.files.write(snapshot, workspace.root, change, world.clock.now(), add)
    match written:
        case Written(new):
            return None, new
        case Unchanged():
            return None, snapshot
        case Postponed(reason) | Failed(reason):
            return Problem(reason, ""), snapshot
        case _:
            assert_never(written)
