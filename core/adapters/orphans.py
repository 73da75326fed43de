"""Ends what the commands of a killed process of ours left running. Law: nothing that another process answers for.

Only where /proc tells the variables of a process; elsewhere a command cannot be told from others once its parent is
gone.
"""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from core.adapters.process_tree import mark_of

NAP = 0.05  # seconds between two looks


def end_left_by(owner: int, grace: float, hunt: float, monotonic: Callable[[], float]) -> None:
    """Ask, wait, kill."""
    for number, patience in ((signal.SIGTERM, grace), (signal.SIGKILL, hunt)):
        until = monotonic() + patience
        for pid in left_by(owner):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        while left_by(owner) and monotonic() < until:
            time.sleep(NAP)


def left_by(owner: int) -> list[int]:
    """Their numbers. Where the owner's number is in use it is somebody else's, who may have the same marks."""
    if _lives(owner):
        return []
    marked = (pid for pid in _everyone() if mark_of(pid).startswith(f"{owner}-"))
    return [pid for pid in marked if pid != os.getpid()]


def _lives(pid: int) -> bool:
    """A dead process that nobody has reaped lives no more; some systems' first process never reaps."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def _everyone() -> list[int]:
    try:
        return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    except FileNotFoundError:
        return []
