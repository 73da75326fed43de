"""Ends processes of ours that this one did not start. Law: no signal ever reaches a process that is
not ours.

On Linux a descriptor holds the process fast before it is asked who it is: whatever happens to the
number afterwards, the signal goes to that process or to none.
"""

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from core.adapters.processes.children import open_pidfd
from core.model.process import NotFound

PAUSE = 0.05  # seconds between two checks, where the system cannot tell of an end


class SystemOtherProcesses:
    """The `OtherProcesses` port."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic

    def find(self, pid: int, is_still_it: Callable[[], bool]) -> "SystemOtherProcess | NotFound":
        if pid <= 0:
            return NotFound.GONE

        process = SystemOtherProcess(pid, open_pidfd(pid), is_still_it, self._monotonic)
        if is_still_it() and not process.has_ended_within(0):
            if is_ours(pid):
                return process

            process.close()
            return NotFound.ANOTHER_USERS

        process.close()
        return NotFound.GONE


class SystemOtherProcess:
    def __init__(
        self,
        pid: int,
        descriptor: int | None,
        is_still_it: Callable[[], bool],
        monotonic: Callable[[], float],
    ) -> None:
        self._pid = pid
        self._descriptor = descriptor  # readable once it has ended
        self._is_still_it = is_still_it
        self._monotonic = monotonic

    def ask_to_end(self) -> None:
        self._send(signal.SIGTERM)
        if hasattr(signal, "SIGCONT"):
            self._send(signal.SIGCONT)  # a stopped process gets TERM only when it goes on

    def kill(self) -> None:
        self._send(getattr(signal, "SIGKILL", signal.SIGTERM))

    def has_ended_within(self, seconds: float) -> bool:
        if self._descriptor is not None:
            return bool(select.select([self._descriptor], [], [], seconds)[0])

        until = self._monotonic() + seconds
        while self._is_still_it():
            if self._monotonic() >= until:
                return False

            time.sleep(PAUSE)

        return True

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _send(self, number: int) -> None:
        with suppress(ProcessLookupError):
            if self._descriptor is not None:
                signal.pidfd_send_signal(self._descriptor, number)
            elif self._is_still_it():
                os.kill(self._pid, number)


def is_ours(pid: int) -> bool:
    """Whether the process runs as this user. Also for root: what a beat of another user leaves
    behind belongs to that user."""
    if not hasattr(os, "getuid"):
        return True

    try:
        return Path(f"/proc/{pid}").stat().st_uid == os.getuid()
    except OSError:  # a system without /proc
        return _may_signal(pid)


def _may_signal(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return False
    except ProcessLookupError:  # it has just ended
        return True

    return True
