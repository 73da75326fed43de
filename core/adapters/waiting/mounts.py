"""Tells that something was mounted or unmounted: folders do not report it.

Law: it runs only while it is wanted, and sleeps until the kernel has news. Only Linux can tell.
"""

import os
import select
from collections.abc import Callable
from contextlib import ExitStack
from threading import Thread

MOUNTS = "/proc/self/mountinfo"


class MountChanges:
    """Calls `tell` in a thread of its own, for every change between `start` and `stop`."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._thread: Thread | None = None
        self._ending = ExitStack()

    def start(self) -> None:
        """Changes after this call are told. Calling it again does no harm."""
        if self._thread:
            return

        try:
            mounts = os.open(MOUNTS, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return

        told_to_end, tells_to_end = os.pipe()
        self._thread = Thread(target=self._run, args=(mounts, told_to_end), daemon=True)
        self._thread.start()
        self._ending.callback(self._thread.join)
        self._ending.callback(os.close, tells_to_end)

    def stop(self) -> None:
        self._ending.close()
        self._thread = None

    def _run(self, mounts: int, told_to_end: int) -> None:
        changes = select.poll()
        changes.register(mounts, select.POLLPRI)
        changes.register(told_to_end, 0)  # its other end is closed

        try:
            while told_to_end not in dict(changes.poll()):
                self._tell()
        finally:
            os.close(mounts)
            os.close(told_to_end)
