"""Beats that the person asks for: one now, undoing or retrying what one did, and the first beat of
a new workspace with its starter files."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from core.engine import plan as engine_plan
from core.engine import undo as engine_undo
from core.engine.announce import first_words
from core.engine.approve import approve
from core.engine.beat import beat
from core.engine.running import beat_of, items_of
from core.model.approval import ApprovedBy
from core.model.errors import HeartbeatError
from core.model.file_work import Undone, UndoRefused
from core.model.holder import Holder, Purpose
from core.model.item import ItemKind, item_key
from core.model.occurrence import BeatReason
from core.model.plan import BeatRequest, Decision, Planned
from core.model.report import BeatReport, TellProgress
from core.services import Services
from core.usecases.approving import review
from core.usecases.planning import plan
from core.usecases.reading import read_workspace
from core.usecases.workspaces import local_now

# While a plan holds the lock: how often to try again, and how many seconds apart.
MOST_TRIES = 50
SECONDS_BETWEEN_TRIES = 0.1

Done = TypeVar("Done")


def run_beat(
    services: Services, items: Sequence[str], progress: TellProgress
) -> BeatReport | Holder:
    """Do one beat now; return the Holder where another one is at work, or where the model works
    and would be needed."""
    with_model = services.model_lock.holder()
    if with_model and (not items or _needs_model(services, items)):
        return with_model

    request = BeatRequest(BeatReason.PERSON, tuple(items))
    done = _after_any_plan(services, lambda: beat(services, request, progress))
    if not isinstance(done, Holder):
        services.wake_resident()

    return done


def _needs_model(services: Services, items: Sequence[str]) -> bool:
    """Whether any of them is for a model; a command of the person need not wait for one."""
    workspace = read_workspace(services)
    named = [one for one in plan(services, items=items).items if {one.id, one.key} & {*items}]
    by_command = {task.id for task in workspace.document.tasks if task.run}
    return any(
        one.kind is not ItemKind.ACTION and not (one.kind is ItemKind.TASK and one.id in by_command)
        for one in named
    )


def items_at_work(services: Services, holder: Holder) -> tuple[str, ...]:
    """The ids of what the beat of this process is doing."""
    return items_of(services, beat_of(services, holder))


def last_line(services: Services, name: str) -> str:
    """What the running item of this id has printed last; empty if there is nothing."""
    keys = (item_key(kind, name) for kind in (ItemKind.ACTION, ItemKind.TASK))
    return next(filter(None, map(services.last_lines.of, keys)), "")


def undo(services: Services, which: str | None) -> Undone | UndoRefused | Holder:
    """Undo what the last action did, or that of a beat (a number) or of an item; return the
    Holder where a beat is at work."""
    beat_number = int(which) if which and which.isdigit() else None
    item = which if beat_number is None else None

    return _after_any_plan(services, lambda: engine_undo.undo(services, beat_number, item))


def _after_any_plan(services: Services, work: Callable[[], Done | Holder]) -> Done | Holder:
    """Do the work, or return who holds the lock. A plan is waited for: one follows every save and
    takes only a moment."""
    for _ in range(MOST_TRIES):
        done = work()
        is_planning = isinstance(done, Holder) and done.purpose is Purpose.PLAN
        if not is_planning or services.cancelled.is_set():
            break

        time.sleep(SECONDS_BETWEEN_TRIES)

    return done


def retry(services: Services, name: str) -> Planned:
    """Let an item that failed start again; return how it is planned now. HeartbeatError if it
    did not fail, or is ticked."""
    item = _planned(services, name)
    if not engine_plan.retry(services.ledger, item.id, local_now(services)):
        hint = f"To run it anyway: heartbeat run {item.id}"
        raise HeartbeatError(f"{item.id} did not fail; {item.reason}.", hint)

    item = _planned(services, name)
    if item.decision is Decision.SKIP:
        raise HeartbeatError(
            f"{item.id} does not start again: {item.reason}.", "Change its line in the file."
        )

    services.wake_resident()
    return item


def _planned(services: Services, name: str) -> Planned:
    return next(one for one in plan(services).items if name in (one.id, one.key))


def make_workspace(services: Services) -> tuple[list[str], list[str]]:
    """Write the starter files that are not there yet, and approve what they execute. Return the
    names that were written, and those that were kept."""
    written, kept = services.write_starter_files()
    if written:
        reviewed, _ = review(services)
        ours = [one for one in reviewed if one.executable.file in written and one.waits]
        if ours:
            approve(services, ours, ApprovedBy.INIT, services.clock.now())

    return written, kept


def first_beat(services: Services) -> None:
    """The first beat of a new workspace; the resident announces its result."""
    done = beat(services, BeatRequest(BeatReason.STARTUP))
    if not isinstance(done, Holder):
        services.ledger.announcements.leave_message(first_words(done, services.root))
