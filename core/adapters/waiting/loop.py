"""Waits for sources and for an instant of the wall clock, without waking in between.

On Linux a timer of the wall clock fires at its instant also after the machine slept, and reports
when the clock was set. Elsewhere the wait is cut into pieces of 30 s, which notice both soon
enough.
"""

import ctypes
import errno
import os
import select
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from core.ports.waiting import Clock, Source

LONGEST_PIECE = timedelta(seconds=30)
CLOCK_STEP = 2.0  # seconds by which wall clock and steady clock may drift apart in one piece
NEVER = datetime(2200, 1, 1, tzinfo=UTC)


class TimerWaiting:
    """Linux: it never wakes up without a reason."""

    _CLOCK_REALTIME = 0
    _ABSOLUTE = 1
    _CANCEL_ON_SET = 2

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._timer: int = self._libc.timerfd_create(
            self._CLOCK_REALTIME, os.O_NONBLOCK | os.O_CLOEXEC
        )
        if self._timer < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")

    def wait(self, sources: Sequence[Source], until: datetime | None) -> bool:
        self._set(until or NEVER)
        waited_for = [*_descriptors(sources), self._timer]
        ready, _, _ = select.select(waited_for, [], [], min(_limits(sources), default=None))
        clock_was_set = self._timer in ready and self._was_cancelled()

        _handle(sources, ready)
        return clock_was_set

    def close(self) -> None:
        os.close(self._timer)

    def _set(self, instant: datetime) -> None:
        seconds = max(instant.timestamp(), 1e-9)  # zero would switch the timer off
        value = (ctypes.c_long * 4)(0, 0, int(seconds), max(1, int(seconds % 1 * 1e9)))
        flags = self._ABSOLUTE | self._CANCEL_ON_SET
        if self._libc.timerfd_settime(self._timer, flags, value, None) < 0:
            error = ctypes.get_errno()
            if error != errno.ECANCELED:  # the clock was set just now: the next read reports it
                raise OSError(error, "timerfd_settime")

    def _was_cancelled(self) -> bool:
        try:
            os.read(self._timer, 8)
        except OSError as error:
            return error.errno == errno.ECANCELED

        return False


class PieceWaiting:
    """Everywhere else: short waits, and the two clocks are compared after each."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def wait(self, sources: Sequence[Source], until: datetime | None) -> bool:
        wall = self._clock.now()
        steady = self._clock.monotonic()
        rest = min(max((until or NEVER) - wall, timedelta()), LONGEST_PIECE).total_seconds()
        ready = _wait_for(_descriptors(sources), min([rest, *_limits(sources)]))

        _handle(sources, ready)
        wall_passed = (self._clock.now() - wall).total_seconds()
        steady_passed = self._clock.monotonic() - steady

        return abs(wall_passed - steady_passed) > CLOCK_STEP

    def close(self) -> None:
        pass


def _wait_for(descriptors: Sequence[int], seconds: float) -> list[int]:
    """Return those that are readable, after this time at the latest."""
    if not descriptors:
        time.sleep(seconds)  # Windows refuses a select() for nothing
        return []

    ready, _, _ = select.select(descriptors, [], [], seconds)
    return ready


def _descriptors(sources: Sequence[Source]) -> list[int]:
    return [source.fileno() for source in sources if source.fileno() >= 0]


def _limits(sources: Sequence[Source]) -> list[float]:
    return [limit for source in sources if (limit := source.wait_limit()) is not None]


def _handle(sources: Sequence[Source], ready: Sequence[int]) -> None:
    for source in sources:
        if source.fileno() in ready or source.wait_limit() == 0:
            source.handle_ready()


def waiting(clock: Clock) -> TimerWaiting | PieceWaiting:
    return TimerWaiting(clock) if sys.platform == "linux" else PieceWaiting(clock)


class WakeUp:
    """The `Waker` port: another thread's request to wake up, as a source of the loop. It is kept
    until it is taken."""

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        self._is_set = False

    def set(self) -> None:
        self._is_set = True
        with suppress(BlockingIOError):  # full of wake-ups already
            os.write(self._writing, b"!")

    def take(self) -> bool:
        taken = self._is_set
        self._is_set = False
        return taken

    def fileno(self) -> int:
        return self._reading

    def wait_limit(self) -> float | None:
        return None

    def handle_ready(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._reading, 4096)
