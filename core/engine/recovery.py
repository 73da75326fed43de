"""What a crash left behind: whatever was started and not finished is `interrupted`, and nothing runs twice."""

from dataclasses import replace
from datetime import datetime, timedelta

from core.engine.asking import batch_at_work
from core.engine.world import World
from core.model.document import Action, ActionType, Priority
from core.model.item import Kind, identifier_of_key, item_key
from core.model.occurrence import Beat, Occurrence, Outcome, State
from core.model.progress import TaskProgress, TaskStatus
from core.model.value import dataclass
from core.model.workspace import Workspace
from core.rules.checking.progress import after_cycle, at_start, line_marks
from core.rules.planning import retry_after
from core.rules.writing.results import unexplained_running

BEATS_LOOKED_AT = 100  # so many may come while a batch is with the model, before its process dies
INTERRUPTED = "interrupted: Heartbeat ended while it ran, so nobody knows how far it came"

NEVER_SEEN_TO_END = "interrupted: the file said RUNNING, and nothing here knows how it ended"
BACKGROUND_STARTS_WITHIN = timedelta(seconds=30)


def take_stock(world: World, now: datetime) -> str:
    """After a damaged ledger was set aside: bring back what files still show; returns what to tell the person once."""
    aside = world.ledger.set_aside()
    if aside is None or not world.ledger.tell("ledger", str(aside), now):
        return ""
    saved = world.views.saved_progress()
    if saved:
        world.ledger.save_progress(saved)
    return f"The ledger was damaged. It is kept as {aside}, and a new one is in use."


@dataclass(frozen=True, slots=True)
class Recovery:
    """Beats that never ended, and what they had started. What they did may not stand in the files yet."""

    beats: tuple[Beat, ...]
    ended: tuple[Occurrence, ...]

    def __bool__(self) -> bool:
        return bool(self.beats or self.ended)


def recover(world: World, workspace: Workspace, now: datetime) -> Recovery:
    """End every open occurrence. It counts as an attempt; only a retry or the next slot makes it due again."""
    ended: list[Occurrence] = []
    actions = {action.id: action for action in reversed(workspace.document.actions)}
    at_work = batch_at_work(world)  # its process lives, and ends what it started itself
    recent = world.ledger.recent_beats(BEATS_LOOKED_AT)
    beats = tuple(beat for beat in recent if beat.finished is None and beat.number != at_work)
    for beat in beats:
        world.processes.end_left_by(beat.pid)
    for left in world.ledger.unfinished():
        action = actions.get(identifier_of_key(left.item)) if left.kind == Kind.ACTION else None
        if left.beat == at_work or world.background.is_running(left.item) or _is_starting(left, action, now):
            continue
        if left.state is State.CLAIMED:
            world.ledger.release(left)
            continue
        if action and action.type is ActionType.FILE:
            world.undo.tidy(left.beat, action.id)
        may_retry = action and left.attempts < action.retry
        retry_at = now + retry_after(action, left.attempts) if action and may_retry else None
        ended.append(world.ledger.finish(left, Outcome.INTERRUPTED, now, error=INTERRUPTED, retry_at=retry_at))
    ended += _never_seen_to_end(world, workspace, now)
    _note_interrupted(world, workspace, ended, now)
    return Recovery(beats, tuple(ended))


def _never_seen_to_end(world: World, workspace: Workspace, now: datetime) -> list[Occurrence]:
    """One-time actions that the file calls RUNNING though no run is recorded: interrupted, and the person decides."""
    ended: list[Occurrence] = []
    for action in unexplained_running(workspace.document, world.ledger.items()):
        found = Occurrence(item_key(Kind.ACTION, action.id), Kind.ACTION, now, beat=0, reason="the file said RUNNING")
        if action.schedule or not (claimed := world.ledger.claim(found, now)):
            continue
        started = world.ledger.start(claimed, now)
        ended.append(world.ledger.finish(started, Outcome.INTERRUPTED, now, error=NEVER_SEEN_TO_END))
    return ended


def _is_starting(left: Occurrence, action: Action | None, now: datetime) -> bool:
    """Whether its own process may still be on the way to where others see that it runs."""
    in_background = action is not None and action.priority is Priority.BG
    return in_background and left.started is not None and now - left.started < BACKGROUND_STARTS_WITHIN


def close_left(world: World, recovery: Recovery, now: datetime) -> None:
    """Last of all: until the files show what those beats did, the next one that crashes must find them open."""
    for beat in recovery.beats:
        world.ledger.close_beat(beat.number, now)


def _note_interrupted(world: World, workspace: Workspace, ended: list[Occurrence], now: datetime) -> None:
    """What a crash cut off counts as an attempt."""
    names = {identifier_of_key(one.item) for one in ended if one.kind == Kind.TASK}
    tasks = [task for task in workspace.document.tasks if task.id in names]
    if not tasks:
        return
    before, marks = world.ledger.progress(), line_marks(workspace.document)
    known = {one.task_id: one for one in before.tasks}
    after: dict[str, TaskProgress] = {}
    for task in tasks:
        start = at_start(task, marks[task.id], known.get(task.id))
        attempts = min(start.attempts + 1, task.max_attempts)
        after[task.id] = replace(
            start, status=TaskStatus.FAILED, attempts=attempts, last_attempt_at=now, last_result="interrupted"
        )
    world.ledger.save_progress(after_cycle(workspace.document.tasks, marks, before, after, now))
