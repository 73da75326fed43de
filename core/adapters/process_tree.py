"""All that a command started, on Linux: whoever leaves its group or its parent is adopted by this process and found.

Nobody gets away by setsid, a double fork or a new group: an orphan's new parent is its nearest living ancestor that
adopts, and that is this process. Out of reach are only what another service starts on request (systemd-run, at) and
what runs as somebody else (sudo).
"""

import itertools
import os
import signal
import sys
import threading
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

MARK = "HEARTBEAT_COMMAND"  # the variable that tells the orphans of one running command from another's
PR_SET_CHILD_SUBREAPER = 36
MOST_LOOKS = 10


class ProcessTree:
    """One command: its shell, which leads a group of its own, and all that came of it."""

    def __init__(self, shell: Popen[bytes], mark: str, orphanage: "Orphanage") -> None:
        self._shell = shell
        self._mark = mark
        self._orphanage = orphanage

    def anyone_left(self) -> bool:
        return bool(self._living())

    def ask_to_end(self) -> None:
        living = self._living()
        self._signal(living, signal.SIGTERM)
        self._signal(living, signal.SIGCONT)  # a stopped process hears TERM only when it goes on

    def kill(self) -> None:
        """Stop them all first: those that fork faster than they are found would never be caught up with."""
        stopped: set[int] = set()
        for _ in range(MOST_LOOKS):
            new = set(self._living()) - stopped
            if not new:
                break
            self._signal(new, signal.SIGSTOP)
            stopped |= new
        self._signal(self._living(), signal.SIGKILL)

    def _living(self) -> list[int]:
        self._shell.poll()
        while has_children():  # seldom, after a command that ended by itself
            candidates = [pid for pid in children_of(os.getpid()) if self._is_ours(pid)]
            found = [pid for pid in candidates if not self._is_reaped(pid)]
            if found or not candidates:
                for pid in found:  # grows on the way
                    found += children_of(pid)
                return found
            # All of them died just now: what they left is ours from this moment on, so look again.
        return []

    def _is_ours(self, pid: int) -> bool:
        return pid == self._shell.pid or self._orphanage.belongs(pid, self._mark)

    def _is_reaped(self, pid: int) -> bool:
        """Whether this child of our process is dead; nobody else would reap what a command left."""
        if pid == self._shell.pid:
            return self._shell.poll() is not None
        with suppress(ChildProcessError):
            return os.waitpid(pid, os.WNOHANG) != (0, 0)
        return True

    def _signal(self, pids: Collection[int], number: signal.Signals) -> None:
        """To its group as one, so that none of it slips through while it forks; to the others one by one."""
        group = self._shell.pid
        outside = [pid for pid in pids if group_of(pid) != group]
        if len(outside) < len(pids):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        for pid in outside:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)


class Orphanage:
    """Which of this process's children came from which running command; shared by all threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal handler may ask in the middle of a question of its own thread
        self._adopting: bool | None = None  # not tried yet
        self._running: set[str] = set()
        self._others: frozenset[int] = frozenset()  # children that no command left: those from before the first
        self._numbers = itertools.count(1)

    def open(self) -> str:
        """A new command's mark: the value that MARK must have in its environment. Empty: this system has no way to
        adopt orphans, and its group is all that can be known of a command."""
        with self._lock:
            if self._adopting is None:
                self._adopting = sys.platform == "linux" and adopt_orphans()
            if not self._adopting:
                return ""
            if not self._running:
                self._others = frozenset(children_of(os.getpid()) if has_children() else ())
            mark = f"{os.getpid()}-{next(self._numbers)}"
            self._running.add(mark)
            return mark

    def close(self, mark: str) -> None:
        with self._lock:
            self._running.discard(mark)

    def belongs(self, pid: int, mark: str) -> bool:
        """Whether this child of ours is that command's. One that wiped its environment is the only running
        command's; where there are several, the last of them to end answers for it."""
        if pid in self._others:
            return False
        marked = mark_of(pid)
        with self._lock:
            return marked == mark if marked in self._running else self._running == {mark}


def adopt_orphans() -> bool:
    """From now on this process is the parent of every orphan below it. False: the system cannot do that, or cannot
    tell us our children (a kernel without CONFIG_PROC_CHILDREN)."""
    if not Path("/proc/thread-self/children").exists():
        return False
    import ctypes  # only where a command runs

    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return bool(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def children_of(pid: int) -> list[int]:
    """Its children, the unreaped dead too. None of ours is missing: only we reap them."""
    children: list[int] = []
    with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            children += map(int, (thread / "children").read_bytes().split())
    return children


def group_of(pid: int) -> int | None:
    with suppress(ProcessLookupError):
        return os.getpgid(pid)
    return None


def mark_of(pid: int) -> str:
    name = os.fsencode(MARK) + b"="
    with suppress(OSError):
        for entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            if entry.startswith(name):
                return os.fsdecode(entry.removeprefix(name))
    return ""
