"""Beats that the person asks for: one now, undoing or retrying what one did, and the first beat of
a new workspace with its starter files."""

from collections.abc import Sequence

from core.engine import plan as engine_plan
from core.engine import undo as engine_undo
from core.engine.announce import first_words
from core.engine.approve import approve
from core.engine.beat import beat
from core.model.approval import ApprovedBy
from core.model.errors import HeartbeatError
from core.model.file_work import Undone, UndoRefused
from core.model.holder import Holder
from core.model.occurrence import BeatReason
from core.model.plan import BeatRequest, Decision, Planned
from core.model.report import BeatReport, TellProgress
from core.services import Services
from core.usecases.approving import review
from core.usecases.planning import plan
from core.usecases.workspaces import local_now


def run_beat(
    services: Services, items: Sequence[str], progress: TellProgress
) -> BeatReport | Holder:
    """Do one beat now; return the Holder where another one is at work."""
    done = beat(services, BeatRequest(BeatReason.PERSON, tuple(items)), progress)
    if not isinstance(done, Holder):
        services.wake_resident()

    return done


def undo(services: Services, which: str | None) -> Undone | UndoRefused | Holder:
    """Undo what the last action did, or that of a beat (a number) or of an item."""
    if which and which.isdigit():
        return engine_undo.undo(services, int(which), None)

    return engine_undo.undo(services, None, which)


def retry(services: Services, name: str) -> Planned:
    """Let an item that failed start again; return how it is planned now. HeartbeatError if it
    did not fail, or is ticked."""
    item = _planned(services, name)
    if not engine_plan.retry(services.ledger, item.id, local_now(services)):
        hint = f"To run it all the same: heartbeat run {item.id}"
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
    """The first beat of a new workspace; the always-on process announces its result."""
    done = beat(services, BeatRequest(BeatReason.STARTUP))
    if not isinstance(done, Holder):
        services.ledger.announcements.leave_message(first_words(done, services.root))
