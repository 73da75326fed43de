"""Ending the beat that is running, whoever started it.

Law: the beat is asked to end before anything else, and whatever state the ledger is in: the beat
may be what keeps it locked.
"""

from contextlib import ExitStack
from datetime import datetime

from core.engine.running import beat_of, beats_at_work, items_of, running_now
from core.model.errors import HeartbeatError
from core.model.holder import Holder
from core.model.light_dataclass import light_dataclass
from core.model.process import NotFound
from core.ports.processes import OtherProcess
from core.services import Services

# Seconds for a beat that was asked to end: its command gets 5 of them, and then it records how
# everything ended and writes it back.
GRACE = 12.0
KILL_TIMEOUT = 5.0


@light_dataclass(frozen=True, slots=True)
class EndedBeat:
    beat: int | None  # None if it had no number yet
    pid: int
    since: datetime | None
    items: tuple[str, ...]  # the ids of what it was doing
    was_killed: bool  # it did not end when it was asked to


def cancel(services: Services) -> tuple[EndedBeat, ...]:
    """End every beat of the workspace that is running, with all that it started. HeartbeatError
    where one belongs to another user."""
    with ExitStack() as held:
        found = [(one, _process_of(services, one, held)) for one in beats_at_work(services)]
        running = [(one, process) for one, process in found if process]
        ends = [_described(services, holder) for holder, _ in running]
        if not running:
            return ()

        for _, process in running:
            process.ask_to_end()

        until = services.clock.monotonic() + GRACE
        is_noted = _note(services)  # long before a beat has ended
        done = []
        for (_, process), end in zip(running, ends, strict=True):
            left = max(0.0, until - services.clock.monotonic())
            was_killed = not process.has_ended_within(left)
            if was_killed:
                _kill(services, process, end)

            done.append(EndedBeat(end.beat, end.pid, end.since, end.items, was_killed))

    if not is_noted:
        _note(services)  # what kept the ledger has ended
    services.wake_resident()
    return tuple(done)


def _note(services: Services) -> bool:
    """Let the resident know that it was the person: it must not take what it sees for a failure.
    False if the ledger cannot be written to: perhaps the beat itself keeps it busy."""
    try:
        services.ledger.requests.note_cancel(services.clock.now())
    except HeartbeatError:
        return False

    services.wake_resident()
    return True


def in_background(services: Services) -> tuple[str, ...]:
    """The ids of what runs without a beat."""
    running = running_now(services)
    return tuple(item.id for item in running.items) if running and not running.is_beat else ()


def _process_of(services: Services, holder: Holder, held: ExitStack) -> OtherProcess | None:
    """The process of a beat, held fast until `held` is closed; None if it has just ended."""

    def is_still_it() -> bool:
        return any(one.pid == holder.pid for one in beats_at_work(services))

    process = services.other_processes.find(holder.pid, is_still_it)
    if process is NotFound.GONE:
        return None
    if process is NotFound.ANOTHER_USERS:
        raise HeartbeatError(
            f"The running beat (pid {holder.pid}) belongs to another user, so it was not ended.",
            "That user can end it: heartbeat cancel",
        )

    assert not isinstance(process, NotFound)
    held.callback(process.close)
    return process


def _described(services: Services, holder: Holder) -> EndedBeat:
    try:
        number = beat_of(services, holder)
        items = items_of(services, number)
    except HeartbeatError:  # a beat is ended also if the ledger cannot say what it does
        number, items = None, ()

    return EndedBeat(number, holder.pid, holder.since, items, False)


def _kill(services: Services, process: OtherProcess, end: EndedBeat) -> None:
    """Kill it and what its commands left; the next beat records that as interrupted."""
    process.kill()
    if not process.has_ended_within(KILL_TIMEOUT):
        raise HeartbeatError(
            f"The running beat (pid {end.pid}) could not be killed.",
            "It is stuck in the system, perhaps because of a disk or a network folder.",
        )

    services.processes.end_left_by(end.pid)
