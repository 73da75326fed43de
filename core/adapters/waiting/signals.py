"""Signals as a source of the loop: a request to end (SIGTERM, SIGINT), or to read the ledger again
(SIGUSR1)."""

import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

END = (signal.SIGTERM, signal.SIGINT)
# Windows has no such signal: there the loop wakes up every 30 s.
WAKE = getattr(signal, "SIGUSR1", None)
_ALL = END if WAKE is None else (*END, WAKE)


def hold_back() -> None:
    """Hold signals back until `Signals` handles them: by default each of them would end this
    process."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, _ALL)


class Signals:
    """A signal only wakes the loop; the loop makes the calls, so they never interrupt other
    work."""

    def __init__(self, on_end: Callable[[], None], on_wake: Callable[[], None]) -> None:
        self._on_end = on_end
        self._on_wake = on_wake
        self._inside, self._outside = socket.socketpair()
        self._inside.setblocking(False)
        self._outside.setblocking(False)
        signal.set_wakeup_fd(self._outside.fileno(), warn_on_full_buffer=False)

        for number in _ALL:
            signal.signal(number, _do_nothing)

        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ALL)

    def fileno(self) -> int:
        return self._inside.fileno()

    def wait_limit(self) -> float | None:
        return None

    def handle_ready(self) -> None:
        with suppress(BlockingIOError):
            numbers = self._inside.recv(64)
            if any(number in END for number in numbers):
                self._on_end()
            if WAKE and WAKE in numbers:
                self._on_wake()


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """Python has written the signal's number into the socket, which is all that is needed."""


def wake(pid: int) -> None:
    """Ask the resident with this number to read the ledger again."""
    if WAKE and pid > 0:
        with suppress(OSError):
            os.kill(pid, WAKE)


def end(pid: int) -> None:
    """Ask a beat of ours to end; on Windows it ends at once."""
    if pid > 0:
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)
