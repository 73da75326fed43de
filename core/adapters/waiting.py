"""Waits for sources and for a moment of the wall clock, without waking in between.

On Linux a timer of the wall clock fires at its moment also after the machine slept, and tells when the clock was set.
Elsewhere the wait is cut into pieces of 30 s, which notice both soon enough.
"""

import ctypes
import errno
import os
import select
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from core.ports import Clock, Source

LONGEST_PIECE = timedelta(seconds=30)
CLOCK_STEP = 2.0  # seconds by which wall clock and steady clock may drift apart in one piece
NEVER = datetime(2200, 1, 1, tzinfo=UTC)


class TimerWaiting:
    """Linux: no wake-up but for a reason."""

    _CLOCK_REALTIME, _ABSOLUTE, _CANCEL_ON_SET = 0, 1, 2

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._timer: int = self._libc.timerfd_create(self._CLOCK_REALTIME, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._timer < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")

    def wait(self, sources: Sequence[Source], until: datetime | None) -> bool:
        self._set(until or NEVER)
        by_number = {source.fileno(): source for source in sources if source.fileno() >= 0}
        limits = [limit for source in sources if (limit := source.wait_limit()) is not None]
        ready, _, _ = select.select([*by_number, self._timer], [], [], min(limits, default=None))
        clock_was_set = self._timer in ready and self._was_cancelled()
        for source in sources:
            if source.fileno() in ready or source.wait_limit() == 0:
                source.handle_ready()
        return clock_was_set

    def close(self) -> None:
        os.close(self._timer)

    def _set(self, moment: datetime) -> None:
        seconds = max(moment.timestamp(), 1e-9)  # zero would switch the timer off
        value = (ctypes.c_long * 4)(0, 0, int(seconds), max(1, int(seconds % 1 * 1e9)))
        if self._libc.timerfd_settime(self._timer, self._ABSOLUTE | self._CANCEL_ON_SET, value, None) < 0:
            error = ctypes.get_errno()
            if error != errno.ECANCELED:  # the clock was set just now: the next read says so
                raise OSError(error, "timerfd_settime")

    def _was_cancelled(self) -> bool:
        try:
            os.read(self._timer, 8)
        except OSError as error:
            return error.errno == errno.ECANCELED
        return False


class PieceWaiting:
    """Everywhere else: short waits, and a look at the two clocks after each."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def wait(self, sources: Sequence[Source], until: datetime | None) -> bool:
        wall, steady = self._clock.now(), self._clock.monotonic()
        rest = min(max((until or NEVER) - wall, timedelta()), LONGEST_PIECE).total_seconds()
        by_number = {source.fileno(): source for source in sources if source.fileno() >= 0}
        limits = [limit for source in sources if (limit := source.wait_limit()) is not None]
        ready = select.select([*by_number], [], [], min([rest, *limits]))[0] if by_number else []
        for source in sources:
            if source.fileno() in ready or source.wait_limit() == 0:
                source.handle_ready()
        passed = (self._clock.now() - wall).total_seconds() - (self._clock.monotonic() - steady)
        return abs(passed) > CLOCK_STEP

    def close(self) -> None:
        pass


def waiting(clock: Clock) -> TimerWaiting | PieceWaiting:
    return TimerWaiting(clock) if sys.platform == "linux" else PieceWaiting(clock)
