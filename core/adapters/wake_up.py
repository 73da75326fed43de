"""A wish from another thread, as a source of a loop; it stays until taken."""

import os
from contextlib import suppress


class WakeUp:
    """The `Waker` port."""

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
        taken, self._is_set = self._is_set, False
        return taken

    def fileno(self) -> int:
        return self._reading

    def wait_limit(self) -> float | None:
        return None

    def handle_ready(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._reading, 4096)
