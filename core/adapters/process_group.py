"""All that a command started, as far as its process group reaches: where the system offers no more than that.

A process that leaves the group (setsid) is out of reach; process_tree.py holds it too, on Linux.
"""

import os
import signal
from contextlib import suppress
from subprocess import Popen


class ProcessGroup:
    """The shell must lead a group of its own."""

    def __init__(self, shell: Popen[bytes]) -> None:
        self._shell = shell

    def anyone_left(self) -> bool:
        self._shell.poll()  # a dead shell that nobody has asked about still counts as a member
        try:
            os.killpg(self._shell.pid, 0)
        except (ProcessLookupError, PermissionError):  # macOS says the latter where only dead ones are left
            return False
        return True

    def ask_to_end(self) -> None:
        self._signal(signal.SIGTERM)
        self._signal(signal.SIGCONT)  # a stopped process hears TERM only when it goes on

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._shell.pid, number)
