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
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import Popen
from typing import NamedTuple

MARK = "HEARTBEAT_COMMAND"  # the variable that tells the orphans of one running command from another's
PR_SET_CHILD_SUBREAPER = 36
MOST_LOOKS = 10


class Process(NamedTuple):
    pid: int
    parent: int
    group: int
    dead: bool  # waits to be reaped


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
        """Stop them all first: one that forks faster than it is found would never be caught up with."""
        stopped: set[int] = set()
        for _ in range(MOST_LOOKS):
            living = self._living()
            new = [process for process in living if process.pid not in stopped]
            if not new:
                break
            self._signal(new, signal.SIGSTOP)
            stopped.update(process.pid for process in new)
        self._signal(living, signal.SIGKILL)

    def _living(self) -> list[Process]:
        """Those still there; the dead among the adopted are reaped on the way."""
        self._shell.poll()
        if not has_children():  # as after nearly every command: a look through /proc is saved
            return []
        everyone = list(processes())
        roots = [process for process in everyone if self._is_root(process)]
        for process in roots:
            if process.dead and process.pid != self._shell.pid:
                with suppress(ChildProcessError):
                    os.waitpid(process.pid, os.WNOHANG)
        return [process for process in with_descendants(roots, everyone) if not process.dead]

    def _is_root(self, process: Process) -> bool:
        return process.parent == os.getpid() and (
            process.pid == self._shell.pid or self._orphanage.belongs(process.pid, self._mark)
        )

    def _signal(self, to: Iterable[Process], number: signal.Signals) -> None:
        """The group as one, so that none of it slips through while it forks; the others one by one."""
        group = self._shell.pid
        to = list(to)
        with suppress(ProcessLookupError, PermissionError):
            if any(process.group == group for process in to):
                os.killpg(group, number)
        for process in to:
            if process.group != group:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process.pid, number)


class Orphanage:
    """Which of this process's children came from which running command; shared by all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
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
                self._others = frozenset(own_children())
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
    """From now on this process is the parent of every orphan below it. False: the system cannot do that."""
    import ctypes  # only where a command runs

    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 and Path("/proc/self/stat").exists()


def has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def own_children() -> list[int]:
    if not has_children():
        return []
    return [process.pid for process in processes() if process.parent == os.getpid()]


def processes() -> Iterator[Process]:
    """Every process of this system, as it was when its turn came."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            with open(folder / "stat", "rb") as file:
                state, parent, group = file.read().rpartition(b")")[2].split()[:3]  # before it: a name, of any letters
        except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            continue
        yield Process(int(folder.name), int(parent), int(group), state in b"ZX")


def with_descendants(roots: Iterable[Process], everyone: Iterable[Process]) -> Iterator[Process]:
    children = defaultdict(list)
    for process in everyone:
        children[process.parent].append(process)
    waiting = list(roots)
    while waiting:
        process = waiting.pop()
        yield process
        waiting += children[process.pid]


def mark_of(pid: int) -> str:
    with suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        name = MARK.encode() + b"="
        for entry in file.read().split(b"\0"):
            if entry.startswith(name):
                return os.fsdecode(entry.removeprefix(name))
    return ""
