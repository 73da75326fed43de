"""The system's wish that the process ends (SIGTERM, SIGINT), as a source of the loop."""

import os
import signal
import socket
from collections.abc import Callable
from types import FrameType


class EndSignals:
    """Calls `on_signal` in the loop, not in the middle of something: a signal only wakes the loop up."""

    def __init__(self, on_signal: Callable[[], None]) -> None:
        self._on_signal = on_signal
        self._inside, self._outside = socket.socketpair()
        self._inside.setblocking(False)
        self._outside.setblocking(False)
        signal.set_wakeup_fd(self._outside.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ignore)

    def fileno(self) -> int:
        return self._inside.fileno()

    def wait_limit(self) -> float | None:
        return None

    def handle_ready(self) -> None:
        numbers = os.read(self._inside.fileno(), 64)
        if any(number in (signal.SIGTERM, signal.SIGINT) for number in numbers):
            self._on_signal()

    @staticmethod
    def _ignore(_number: int, _frame: FrameType | None) -> None:
        """The byte in the socket is all that is needed."""
