"""Signals as a source of the loop: the system's wish to end (SIGTERM, SIGINT), and a command's hint to look again."""

import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

END = (signal.SIGTERM, signal.SIGINT)
LOOK = getattr(signal, "SIGUSR1", None)  # Windows has none: there the next look comes within 30 s


class Signals:
    """A signal only wakes the loop up; `on_end` is called in the loop, never in the middle of something."""

    def __init__(self, on_end: Callable[[], None]) -> None:
        self._on_end = on_end
        self._inside, self._outside = socket.socketpair()
        self._inside.setblocking(False)
        self._outside.setblocking(False)
        signal.set_wakeup_fd(self._outside.fileno(), warn_on_full_buffer=False)
        for number in (*END, *([LOOK] if LOOK else [])):
            signal.signal(number, _do_nothing)

    def fileno(self) -> int:
        return self._inside.fileno()

    def wait_limit(self) -> float | None:
        return None

    def handle_ready(self) -> None:
        with suppress(BlockingIOError):
            if any(number in END for number in os.read(self._inside.fileno(), 64)):
                self._on_end()


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """The byte in the socket is all that is needed."""


def wake(pid: int) -> None:
    """Let the always-on process with this number look at the ledger again."""
    if LOOK and pid > 0:
        with suppress(OSError):
            os.kill(pid, LOOK)
