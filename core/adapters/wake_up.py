"""A wish from another thread or a signal handler, as a source of a loop and as something that a wait can include."""

import os
import socket


class WakeUp:
    """Set once or many times; stays set until taken."""

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._is_set = False

    def set(self) -> None:
        self._is_set = True
        try:
            self._writer.send(b"!")
        except BlockingIOError:
            pass  # it is full of wake-ups already

    def is_set(self) -> bool:
        return self._is_set

    def take(self) -> bool:
        """Whether it was set; it is not any more."""
        taken, self._is_set = self._is_set, False
        return taken

    def fileno(self) -> int:
        return self._reader.fileno()

    def wait_limit(self) -> float | None:
        return None

    def handle_ready(self) -> None:
        """Empty the socket; the wish itself stays until taken."""
        try:
            while os.read(self._reader.fileno(), 4096):
                pass
        except BlockingIOError:
            pass
