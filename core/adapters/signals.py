"""Signals as a source of the loop: the system's wish to end (SIGTERM, SIGINT), and a command's hint to look again."""

import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

END = (signal.SIGTERM, signal.SIGINT)
LOOK = getattr(signal, "SIGUSR1", None)  # Windows has none: there the next look comes within 30 s
_ALL = END if LOOK is None else (*END, LOOK)


def hold_back() -> None:
    """Until there are `Signals`, whoever sends one waits: by default each of them would end this process."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, _ALL)


class Signals:
    """A signal only wakes the loop up; the callbacks are called in the loop, never in the middle of something."""

    def __init__(self, on_end: Callable[[], None], on_look: Callable[[], None]) -> None:
        self._on_end = on_end
        self._on_look = on_look
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
            if LOOK and LOOK in numbers:
                self._on_look()


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """The byte in the socket is all that is needed."""


def ask_to_end(pid: int) -> None:
    """Ask a process of ours that somebody else started; on Windows that would end it without a last word."""
    if hasattr(signal, "pthread_sigmask") and pid > 0:
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)


def wake(pid: int) -> None:
    """Let the always-on process with this number look at the ledger again."""
    if LOOK and pid > 0:
        with suppress(OSError):
            os.kill(pid, LOOK)


def end(pid: int) -> None:
    """Ask a beat of ours to end."""
    if pid > 0:
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)
