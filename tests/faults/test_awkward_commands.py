"""Commands that will not end, be quiet or be caught: each ends in time, nothing survives, and the next one runs.

Survivors are looked for in all of /proc, by a token that each command carries in its environment or its arguments.
"""

import ctypes
import os
import secrets
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from signal import SIGKILL

import pytest

from core.adapters import process_tree, processes
from core.adapters.cancellation import CancelSwitch
from core.adapters.process_tree import children_of
from core.adapters.processes import SystemProcesses
from core.model.process import OUTPUT_LIMIT, Command, Ending, How

PROMISE = timedelta(seconds=5)
TIMEOUT = timedelta(seconds=0.5)
LONG = timedelta(seconds=60)
EXITED, TIMED_OUT = How.EXITED, How.TIMED_OUT


@dataclass(frozen=True)
class Awkward:
    line: str  # TOKEN and PYTHON are filled in
    how: How
    begins: str = ""  # what it prints first
    exit_code: int | None = None


# Each shell makes two more, seven deep: 255 processes, and no more whatever happens.
BOMB = 'bomb() { [ "$1" -eq 0 ] || { bomb $(($1 - 1)) & bomb $(($1 - 1)) & }; sleep 1000; }; bomb 7'

# The same six deep, each in a session of its own and deaf to TERM: 127 shells.
BOMB_OF_SESSIONS = """trap '' TERM
export BOMB='[ "$1" -eq 0 ] || { setsid sh -c "$BOMB" sh $(($1 - 1)) & setsid sh -c "$BOMB" sh $(($1 - 1)) & }
sleep 1000'
sh -c "$BOMB" sh 6"""

DAEMON = """PYTHON -c '
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
os.wait()
print("started")'"""

# Never the same process for longer than a fork takes, each in a new session; it ends by itself after 12 s.
HOPPER = """PYTHON -c '
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.monotonic() + 12
while time.monotonic() < end:
    if os.fork():
        os._exit(0)
    os.setsid()'"""

NESTED_SESSIONS = """export NEST='[ "$1" -eq 0 ] || setsid sh -c "$NEST" sh $(($1 - 1)); sleep 1000'
sh -c "$NEST" sh 30"""

AWKWARD = {
    "leaves a child that holds the pipe": Awkward("sleep 1000 & echo done", EXITED, "done\n", 0),
    "leaves a child that goes on printing": Awkward("echo done; while :; do echo more; done &", EXITED, "done\n", 0),
    "leaves a child in a session of its own": Awkward("setsid sleep 1000 & echo done", EXITED, "done\n", 0),
    "leaves a session without a variable": Awkward("env -i setsid sleep 1000.TOKEN & echo done", EXITED, "done\n", 0),
    "leaves a stopped child": Awkward("sleep 1000 & kill -STOP $!; echo done", EXITED, "done\n", 0),
    "leaves a child that ignores hang-ups": Awkward("nohup sleep 1000 >/dev/null 2>&1 & echo done", EXITED, "done\n"),
    "makes itself a daemon by forking twice": Awkward(DAEMON, EXITED, "started\n", 0),
    "waits for a session of its own": Awkward("setsid -w sleep 1000", TIMED_OUT),
    "thirty sessions, one inside the other": Awkward(NESTED_SESSIONS, TIMED_OUT),
    "a fork bomb of 255": Awkward(BOMB, TIMED_OUT),
    "a fork bomb of 127 deaf sessions": Awkward(BOMB_OF_SESSIONS, TIMED_OUT),
    "hops from process to process": Awkward(HOPPER, EXITED),
    "moves to another group": Awkward("PYTHON -c 'import os, time; os.setpgid(0, 0); time.sleep(1000)'; :", TIMED_OUT),
    "waits for input": Awkward("cat; read line; echo $?", EXITED, "1\n", 0),
    "waits for the terminal": Awkward("cat /dev/tty", EXITED, "cat:", 1),
    "a grandchild ignores TERM": Awkward("(trap '' TERM; sleep 1000; :) & wait", TIMED_OUT),
    "ignores TERM and goes on printing": Awkward("trap '' TERM; yes", TIMED_OUT, "y\ny\n"),
    "closes its streams and sleeps": Awkward("exec <&- >&- 2>&-; sleep 1000", TIMED_OUT),
    "prints without a line's end for ever": Awkward("tr '\\0' x < /dev/zero", TIMED_OUT, "xxx"),
    "uses all the processor it gets": Awkward("while :; do :; done", TIMED_OUT),
    "binary garbage": Awkward("head -c 300000 /dev/urandom", EXITED, "", 0),
    "NUL, escapes, direction marks": Awkward(
        r"printf 'a\000\033[2J\033]0;x\007\342\200\256\n'", EXITED, "a\0\x1b[2J\x1b]0;x\x07\u202e\n", 0
    ),
    "half a character": Awkward(r"printf '\342\200'", EXITED, "\ufffd", 0),
    "kills its own shell": Awkward("echo on; kill -9 $$", EXITED, "on\n", 137),
    "a child kills the shell and goes on": Awkward("sh -c 'kill -9 \"$1\"; exec sleep 1000' sh $$; :", EXITED, "", 137),
    "stops itself": Awkward("echo on; kill -STOP $$", TIMED_OUT, "on\n"),
    "stops itself in a session of its own": Awkward("setsid sh -c 'kill -STOP $$' & wait", TIMED_OUT),
    "a program that is not there": Awkward("exec no-such-program", EXITED, "/bin/sh: ", 127),
    "not the shell's language": Awkward("if then (", EXITED, "/bin/sh: ", 2),
    "begins with a dash": Awkward("-c", EXITED, "/bin/sh: ", 127),
    "far too long": Awkward(": " + "x" * 200_000, How.COULD_NOT_START, "The command is too long"),
    "removes its own folder": Awkward('mkdir gone && cd gone && rmdir "$PWD" && exec sleep 1000', TIMED_OUT),
}


@pytest.fixture
def token() -> Iterator[str]:
    made = str(secrets.randbelow(10**12) + 10**12)
    yield made
    for pid in survivors(made):
        os.kill(pid, SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


def survivors(token: str) -> list[int]:
    """Every living process that carries the token, whoever its parent is."""
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit() and carries(folder, token)]


def carries(process: Path, token: str) -> bool:
    for name in ("environ", "cmdline"):
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            if token.encode() in (process / name).read_bytes():
                return True
    return False


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def run(
    runner: SystemProcesses,
    line: str,
    folder: Path,
    token: str,
    timeout: timedelta = LONG,
    cancelled: CancelSwitch | None = None,
) -> Ending:
    return runner.run(Command(line, folder, timeout, {"TOKEN": token}), cancelled)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("name", AWKWARD)
def test_it_ends_in_time_leaves_nothing_and_the_next_one_runs(name: str, token: str, tmp_path: Path) -> None:
    awkward = AWKWARD[name]
    line = awkward.line.replace("TOKEN", token).replace("PYTHON", sys.executable)
    runner = SystemProcesses(time.monotonic)
    descriptors, children = open_descriptors(), children_of(os.getpid())
    before = time.monotonic()
    ending = run(runner, line, tmp_path, token, TIMEOUT)
    elapsed = timedelta(seconds=time.monotonic() - before)
    left = survivors(token)

    assert left == []
    assert elapsed < TIMEOUT + PROMISE
    assert ending.how is awkward.how
    assert ending.output.startswith(awkward.begins)
    assert len(ending.output) <= OUTPUT_LIMIT
    assert awkward.exit_code in (None, ending.exit_code)
    assert (ending.exit_code is None) == (ending.how is not How.EXITED)
    assert (open_descriptors(), children_of(os.getpid())) == (descriptors, children)

    following = run(runner, "echo fine", tmp_path, token)
    assert (following.how, following.exit_code, following.output) == (How.EXITED, 0, "fine\n")


@pytest.mark.parametrize("name", ["waits for a session of its own", "ignores TERM and goes on printing"])
def test_cancelled_it_ends_in_the_same_way(name: str, token: str, tmp_path: Path) -> None:
    switch = CancelSwitch()
    begun = tmp_path / "begun"

    def cancel() -> None:
        until(begun.exists)
        switch.set()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    before = time.monotonic()
    ending = run(SystemProcesses(time.monotonic), f"touch begun; {AWKWARD[name].line}", tmp_path, token, LONG, switch)
    assert survivors(token) == []
    assert (ending.how, ending.exit_code) == (How.CANCELLED, None)
    assert time.monotonic() - before < PROMISE.total_seconds()
    canceller.join()
    switch.close()


def test_one_gigabyte_of_output_costs_bounded_memory(token: str, tmp_path: Path) -> None:
    tracemalloc.start()
    ending = run(SystemProcesses(time.monotonic), "yes | head -c 1000000000; echo the end", tmp_path, token)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (ending.how, ending.exit_code, ending.truncated, ending.last_line) == (How.EXITED, 0, True, "the end")
    assert len(ending.output.encode()) <= OUTPUT_LIMIT
    assert peak < 8 * OUTPUT_LIMIT


def test_a_clean_up_after_the_polite_signal_is_not_disturbed(token: str, tmp_path: Path) -> None:
    line = "trap 'sleep 0.3; echo cleaned up; exit 7' TERM; sleep 1000 & wait"
    ending = run(SystemProcesses(time.monotonic), line, tmp_path, token, TIMEOUT)
    assert (ending.how, ending.last_line) == (How.TIMED_OUT, "cleaned up")
    assert survivors(token) == []


def test_our_other_children_are_left_alone(token: str, tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "1000"]) as other:
        ending = run(SystemProcesses(time.monotonic), "setsid sleep 1000 & echo done", tmp_path, token)
        alive = other.poll() is None
        other.kill()
    assert (ending.output, survivors(token), alive) == ("done\n", [], True)


def test_beside_another_command_each_loses_only_what_is_its_own(token: str, tmp_path: Path) -> None:
    """The long one's daemon has lost its parent, so only its mark tells it from what the short one left."""
    runner = SystemProcesses(time.monotonic)
    endings: list[Ending] = []
    line = """setsid -f sh -c 'echo $$ > daemon; exec sleep 1000'
    until [ -e go ]; do sleep 0.01; done; kill -0 "$(cat daemon)" && echo still there"""
    long = threading.Thread(target=lambda: endings.append(run(runner, line, tmp_path, token + "-long")))
    long.start()
    until(lambda: (tmp_path / "daemon").exists())
    short = run(runner, "setsid -f sleep 1000; echo done", tmp_path, token + "-short")
    assert (short.output, survivors(token + "-short")) == ("done\n", [])
    (tmp_path / "go").touch()
    long.join()
    assert (endings[0].output, survivors(token)) == ("still there\n", [])


def test_many_at_once_leave_nothing(token: str, tmp_path: Path) -> None:
    runner = SystemProcesses(time.monotonic)
    children = children_of(os.getpid())
    endings: list[Ending] = []
    line = "setsid -f sleep 1000; env -i setsid -f sleep 1000.TOKEN; sleep 1000 & echo done".replace("TOKEN", token)

    def several() -> None:
        endings.extend(run(runner, line, tmp_path, token) for _ in range(5))

    threads = [threading.Thread(target=several) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [ending.output for ending in endings] == ["done\n"] * 20
    assert survivors(token) == []
    assert children_of(os.getpid()) == children


def test_a_long_command_does_not_pile_up_dead_orphans(
    token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "HOUSEKEEPING", 0.05)
    line = """for i in 1 2 3 4 5 6 7 8 9 10; do (true &); done
    until [ "$(cat /proc/$PPID/task/*/children | wc -w)" -le "$MOST" ]; do sleep 0.02; done; echo reaped"""
    most = str(len(children_of(os.getpid())) + 1)
    ending = SystemProcesses(time.monotonic).run(
        Command(line, tmp_path, timedelta(seconds=20), {"TOKEN": token, "MOST": most})
    )
    assert (ending.how, ending.output) == (How.EXITED, "reaped\n")


# The guards, and what happens without them.


@pytest.fixture
def no_adoption(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As on a system other than Linux: orphans go to init, and nothing but the process group is known."""
    monkeypatch.setattr(process_tree, "adopt_orphans", lambda: False)
    monkeypatch.setattr(processes, "open_pidfd", lambda pid: None)
    prctl = ctypes.CDLL(None).prctl
    prctl(process_tree.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    yield
    prctl(process_tree.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@pytest.mark.usefixtures("no_adoption")
def test_without_adopting_orphans_a_session_of_its_own_survives(token: str, tmp_path: Path) -> None:
    ending = run(SystemProcesses(time.monotonic), "setsid sleep 1000 & echo done", tmp_path, token)
    assert ending.output == "done\n"
    assert len(survivors(token)) == 1


@pytest.mark.usefixtures("no_adoption")
def test_without_adopting_orphans_a_group_still_ends_in_time(token: str, tmp_path: Path) -> None:
    ending = run(SystemProcesses(time.monotonic), "trap '' TERM; sleep 1000 & echo done", tmp_path, token)
    assert (ending.how, ending.output, survivors(token)) == (How.EXITED, "done\n", [])
    assert ending.duration < PROMISE


def test_to_kill_the_shell_and_read_on_takes_as_long_as_a_child_holds_the_pipe() -> None:
    """Why we end all of them before we read the rest, and do not wait for the end of the pipe."""
    before = time.monotonic()
    with subprocess.Popen(["/bin/sh", "-c", "echo on; sleep 1.5; :"], stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        shell.kill()
        shell.communicate()
    assert time.monotonic() - before > 1.4


@pytest.mark.parametrize("second_look", [True, False])
def test_only_a_second_look_finds_the_one_that_took_over_during_the_first(
    second_look: bool, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, go = set(children_of(os.getpid())), tmp_path / "go"

    def children_of_a_moment_ago(pid: int) -> list[int]:
        listed = children_of(pid)
        if pid == os.getpid() and set(listed) > before and not go.exists():
            go.touch()
            until(lambda: set(children_of(pid)) - set(listed))
        return listed

    monkeypatch.setattr(process_tree, "children_of", children_of_a_moment_ago)
    if not second_look:
        answers = iter([True, True])  # when the command begins, and at the first look
        monkeypatch.setattr(process_tree, "has_children", lambda: next(answers, False))
    line = "setsid -f sh -c 'until [ -e go ]; do sleep 0.01; done; exec setsid -f sleep 1000'"
    run(SystemProcesses(time.monotonic), line, tmp_path, token)
    assert len(survivors(token)) == (0 if second_look else 1)
