"""Recovers what a crash left: what was started and not finished is `interrupted`, and nothing
runs twice."""

from datetime import datetime, timedelta

from core.engine.batch.model import batch_at_work
from core.model.document import Action, Priority
from core.model.item import ItemKind, identifier_of_key, item_key
from core.model.light_dataclass import light_dataclass, replace
from core.model.occurrence import Beat, Occurrence, Outcome, State
from core.model.progress import TaskProgress, TaskStatus
from core.model.report import Notice, NoticeKind
from core.model.trouble import TroubleKey, TroubleKind
from core.model.workspace import Workspace
from core.ports.world import World
from core.rules.checking.progress import after_cycle, at_start, line_marks
from core.rules.planning.attempts import retry_after
from core.rules.writing.results import unexplained_running

# How many beats are searched for ones without an end: as many as may run during one batch.
RECENT_BEATS = 100
SET_ASIDE = TroubleKey(TroubleKind.LEDGER)
INTERRUPTED = "interrupted: Heartbeat ended while it ran, so it is not known how far it got"

NEVER_SEEN_TO_END = "interrupted: the file said RUNNING, but no record says how it ended"
BACKGROUND_STARTS_WITHIN = timedelta(seconds=30)


def restore_lost_ledger(world: World, now: datetime) -> tuple[Notice, ...]:
    """After a damaged ledger was set aside, bring back what the files still show. Return what to
    announce, once."""
    aside = world.ledger.set_aside()
    if aside is None or not world.ledger.announcements.announce(SET_ASIDE, (str(aside),), now):
        return ()

    saved = world.views.saved_progress()
    if saved:
        world.ledger.tasks.save(saved)

    words = f"The ledger was damaged. It is kept as {aside}, and a new one is in use."
    return (Notice(NoticeKind.LEDGER, "Heartbeat", words),)


@light_dataclass(frozen=True, slots=True)
class Recovery:
    """Beats that never ended, and what they had started. The files may not show yet what they
    did."""

    beats: tuple[Beat, ...]
    ended: tuple[Occurrence, ...]

    def __bool__(self) -> bool:
        return bool(self.beats or self.ended)


def recover(world: World, workspace: Workspace, now: datetime) -> Recovery:
    """End every open occurrence. It counts as an attempt; only a retry or the next slot makes it
    due again."""
    ended: list[Occurrence] = []
    actions = {action.id: action for action in reversed(workspace.document.actions)}
    at_work = batch_at_work(world)  # its process lives, and ends what it started itself
    recent = world.ledger.beats.recent(RECENT_BEATS)
    beats = tuple(beat for beat in recent if beat.finished is None and beat.number != at_work)

    for beat in beats:
        world.processes.end_left_by(beat.pid)

    for left in world.ledger.occurrences.unfinished():
        action = actions.get(identifier_of_key(left.item)) if left.kind == ItemKind.ACTION else None
        if (
            left.beat == at_work
            or world.background.is_running(left.item)
            or _is_starting(left, action, now)
        ):
            continue

        if left.state is State.CLAIMED:
            world.ledger.occurrences.release(left)
            continue

        world.last_lines.forget(left.item)
        if action and action.type and action.type.displaces_files:
            world.undo.tidy(left.beat, action.id)

        may_retry = action and left.attempts < action.retry
        retry_at = now + retry_after(action, left.attempts) if action and may_retry else None
        ended.append(
            world.ledger.occurrences.finish(
                left,
                Outcome.INTERRUPTED,
                now,
                error=INTERRUPTED,
                cause=("ended_while_it_ran",),
                retry_at=retry_at,
            )
        )

    ended += _never_seen_to_end(world, workspace, now)
    _note_interrupted(world, workspace, ended, now)
    return Recovery(beats, tuple(ended))


def _never_seen_to_end(world: World, workspace: Workspace, now: datetime) -> list[Occurrence]:
    """One-time actions that the file calls RUNNING though no run is recorded: interrupted, and
    the person decides."""
    ended: list[Occurrence] = []
    for action in unexplained_running(workspace.document, world.ledger.items.all()):
        found = Occurrence(
            item_key(ItemKind.ACTION, action.id),
            ItemKind.ACTION,
            now,
            beat=0,
            why="the file said RUNNING",
        )
        if action.schedule or not (claimed := world.ledger.occurrences.claim(found, now)):
            continue

        started = world.ledger.occurrences.start(claimed, now)
        ended.append(
            world.ledger.occurrences.finish(
                started,
                Outcome.INTERRUPTED,
                now,
                error=NEVER_SEEN_TO_END,
                cause=("never_seen_to_end",),
            )
        )

    return ended


def _is_starting(left: Occurrence, action: Action | None, now: datetime) -> bool:
    """Whether its own process may still be starting, so that it does not show as running yet."""
    in_background = action is not None and action.priority is Priority.BG
    return (
        in_background and left.started is not None and now - left.started < BACKGROUND_STARTS_WITHIN
    )


def close_left(world: World, recovery: Recovery, now: datetime) -> None:
    """End those beats, last of all: until the files show what they did, a beat after another
    crash must find them open."""
    for beat in recovery.beats:
        world.ledger.beats.close(beat.number, now)


def _note_interrupted(
    world: World, workspace: Workspace, ended: list[Occurrence], now: datetime
) -> None:
    """Count what a crash cut off as an attempt."""
    names = {identifier_of_key(one.item) for one in ended if one.kind == ItemKind.TASK}
    tasks = [task for task in workspace.document.tasks if task.id in names]
    if not tasks:
        return

    before = world.ledger.tasks.progress()
    marks = line_marks(workspace.document)
    known = {one.task_id: one for one in before.tasks}
    after: dict[str, TaskProgress] = {}

    for task in tasks:
        start = at_start(task, marks[task.id], known.get(task.id))
        attempts = min(start.attempts + 1, task.max_attempts)
        after[task.id] = replace(
            start,
            status=TaskStatus.FAILED,
            attempts=attempts,
            last_attempt_at=now,
            last_result="interrupted",
        )

    world.ledger.tasks.save(after_cycle(workspace.document.tasks, marks, before, after, now))
