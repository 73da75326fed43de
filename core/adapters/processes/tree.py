"""Finds all that a command started, on Linux: this process adopts what leaves the command's group
or parent.

Nothing escapes by setsid, a double fork or a new group: the new parent of an orphan is its nearest
living ancestor that adopts orphans, which is this process. Only what another service starts on
request (systemd-run, at) and what runs as another user (sudo) is out of reach.

`end_left_by` ends what the commands of a killed process of ours left running, and nothing else. It
reads the variables of processes in /proc: once its parent is gone, there is no other way to
recognize a command.
"""

import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

# The variable that distinguishes the orphans of one running command from those of another.
MARK = "HEARTBEAT_COMMAND"
PR_SET_CHILD_SUBREAPER = 36
MOST_ROUNDS = 10
CHECK_INTERVAL = 0.05  # seconds between two checks


class ProcessTree:
    """One command: its shell, which leads a group of its own, and all that it started."""

    def __init__(self, shell: Popen[bytes], mark: str, adopted: "AdoptedProcesses") -> None:
        self._shell = shell
        self._mark = mark
        self._adopted = adopted

    def anyone_left(self) -> bool:
        return bool(self._living())

    def ask_to_end(self) -> None:
        living = self._living()
        self._signal(living, signal.SIGTERM)
        self._signal(living, signal.SIGCONT)  # a stopped process gets TERM only when it goes on

    def kill(self) -> None:
        """Stop them all first: otherwise some could fork faster than we find them."""
        stopped: set[int] = set()
        for _ in range(MOST_ROUNDS):
            new = set(self._living()) - stopped
            if not new:
                break

            self._signal(new, signal.SIGSTOP)
            stopped |= new

        self._signal(self._living(), signal.SIGKILL)

    def _living(self) -> list[int]:
        self._shell.poll()
        while has_children():  # rarely true after a command that ended by itself
            candidates = [pid for pid in children_of(os.getpid()) if self._is_ours(pid)]
            found = [pid for pid in candidates if not self._is_reaped(pid)]
            if found or not candidates:
                for pid in found:  # the list grows while we go through it
                    found += children_of(pid)

                return found

            # All of them have just died. What they left has now become our child: search again.
        return []

    def _is_ours(self, pid: int) -> bool:
        return pid == self._shell.pid or self._adopted.belongs(pid, self._mark)

    def _is_reaped(self, pid: int) -> bool:
        """Reap this child if it is dead, and return whether it was; only its parent can reap it."""
        if pid == self._shell.pid:
            return self._shell.poll() is not None

        with suppress(ChildProcessError):
            return os.waitpid(pid, os.WNOHANG) != (0, 0)

        return True

    def _signal(self, pids: Collection[int], number: signal.Signals) -> None:
        """Signal the group as one, so that nothing is missed while it forks, and the others one by
        one."""
        group = self._shell.pid
        outside = [pid for pid in pids if group_of(pid) != group]
        if len(outside) < len(pids):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)

        for pid in outside:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)


class AdoptedProcesses:
    """Which of this process's children came from which running command or tool server; shared by
    all threads."""

    def __init__(self) -> None:
        # Reentrant: a signal handler may interrupt its own thread while that holds the lock.
        self._lock = threading.RLock()
        self._adopting: bool | None = None  # not tried yet
        self._running: set[str] = set()  # the marks of commands
        self._servers: set[str] = set()  # the marks of tool servers
        # Children that do not come from a command: those from before the first command.
        self._others: frozenset[int] = frozenset()
        self._numbers = itertools.count(1)

    def open(self) -> str:
        """Return a new command's mark: the value that MARK must have in its environment. Empty:
        this system cannot adopt orphans, and a command is known only by its group."""
        with self._lock:
            if not self._running and self._adopts():
                self._others = frozenset(children_of(os.getpid()) if has_children() else ())

            return self._new_mark(self._running)

    def open_server(self) -> str:
        """The same for a tool server, which runs while commands come and go."""
        with self._lock:
            return self._new_mark(self._servers)

    def close(self, mark: str) -> None:
        with self._lock:
            self._running.discard(mark)
            self._servers.discard(mark)

    def _adopts(self) -> bool:
        if self._adopting is None:
            self._adopting = sys.platform == "linux" and adopt_orphans()

        return self._adopting

    def _new_mark(self, marks: set[str]) -> str:
        if not self._adopts():
            return ""

        mark = f"{os.getpid()}-{next(self._numbers)}"
        marks.add(mark)
        return mark

    def belongs(self, pid: int, mark: str) -> bool:
        """Whether this child of ours belongs to that command or server.

        A child that deleted its environment belongs to the only running command. While several run
        it belongs to none of them, so the last one that ends will end it. It never belongs to a
        server: those run beside other children of ours."""
        if pid in self._others and mark not in self._servers:
            return False

        marked = mark_of(pid)
        with self._lock:
            if marked in self._running or marked in self._servers:
                return marked == mark

            return self._running == {mark}


def adopt_orphans() -> bool:
    """Make this process the parent of every orphan below it. Return False if the system cannot do
    that, or cannot list our children (a kernel without CONFIG_PROC_CHILDREN)."""
    if not Path("/proc/thread-self/children").exists():
        return False

    import ctypes  # imported here: only needed if a command runs

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
    """The children of a process, with dead ones that were not reaped. Of ours none is missing: only
    we reap them."""
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


def end_left_by(owner: int, grace: float, hunt: float, monotonic: Callable[[], float]) -> None:
    """End what commands of the dead process `owner` left running: ask, wait, kill."""
    for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, hunt)):
        until = monotonic() + seconds
        for pid in left_by(owner):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

        while left_by(owner) and monotonic() < until:
            time.sleep(CHECK_INTERVAL)


def left_by(owner: int) -> list[int]:
    """The processes that the commands of a dead process left. None if its number is in use again:
    the process that has it now may use the same marks."""
    if _is_running(owner):
        return []

    marked = (pid for pid in _all_processes() if mark_of(pid).startswith(f"{owner}-"))
    return [pid for pid in marked if pid != os.getpid()]


def _is_running(pid: int) -> bool:
    """Whether the process runs. A dead one that was not reaped does not; on some systems the first
    process never reaps."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def _all_processes() -> list[int]:
    try:
        return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    except FileNotFoundError:
        return []
