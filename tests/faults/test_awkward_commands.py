"""Commands that will not end, be quiet or be caught: each ends in time, nothing survives, and the
next one runs.

Survivors are searched for in all of /proc, by a token that each command carries in its environment
or its arguments.
"""

import os
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from core.adapters.processes import posix as processes
from core.adapters.processes.posix import SystemProcesses
from core.adapters.processes.tree import children_of
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.process import OUTPUT_LIMIT, Command, Ending, How
from tests.descriptors import open_descriptors
from tests.faults.survivors import survivors, until

PROMISE = timedelta(seconds=5)
TIMEOUT = timedelta(seconds=0.5)  # from when it has begun
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

# Never the same process for longer than a fork takes, each in a new session; it ends by itself
# after 12 s.
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
    "leaves a child that goes on printing": Awkward(
        "echo done; while :; do echo more; done &", EXITED, "done\n", 0
    ),
    "leaves a child in a session of its own": Awkward(
        "setsid sleep 1000 & echo done", EXITED, "done\n", 0
    ),
    "leaves a session without a variable": Awkward(
        "env -i setsid sleep 1000.TOKEN & echo done", EXITED, "done\n", 0
    ),
    "leaves a stopped child": Awkward("sleep 1000 & kill -STOP $!; echo done", EXITED, "done\n", 0),
    "leaves a child that ignores hang-ups": Awkward(
        "nohup sleep 1000 >/dev/null 2>&1 & echo done", EXITED, "done\n"
    ),
    "makes itself a daemon by forking twice": Awkward(DAEMON, EXITED, "started\n", 0),
    "waits for a session of its own": Awkward("setsid -w sleep 1000", TIMED_OUT),
    "thirty sessions, one inside the other": Awkward(NESTED_SESSIONS, TIMED_OUT),
    "a fork bomb of 255": Awkward(BOMB, TIMED_OUT),
    "a fork bomb of 127 deaf sessions": Awkward(BOMB_OF_SESSIONS, TIMED_OUT),
    "hops from process to process": Awkward(HOPPER, EXITED),
    "moves to another group": Awkward(
        "PYTHON -c 'import os, time; os.setpgid(0, 0); time.sleep(1000)'; :", TIMED_OUT
    ),
    "waits for input": Awkward("cat; read line; echo $?", EXITED, "1\n", 0),
    "waits for the terminal": Awkward("cat /dev/tty", EXITED, "cat:", 1),
    "a grandchild ignores TERM": Awkward("(trap '' TERM; sleep 1000; :) & wait", TIMED_OUT),
    "ignores TERM and goes on printing": Awkward("trap '' TERM; yes", TIMED_OUT, "y\ny\n"),
    "closes its streams and sleeps": Awkward("exec <&- >&- 2>&-; sleep 1000", TIMED_OUT),
    "prints without a line's end for ever": Awkward("tr '\\0' x < /dev/zero", TIMED_OUT, "xxx"),
    "uses all the processor it gets": Awkward("while :; do :; done", TIMED_OUT),
    "binary garbage": Awkward("head -c 300000 /dev/urandom", EXITED, "", 0),
    "NUL, escapes, direction marks": Awkward(
        r"printf 'a\000\033[2J\033]0;x\007\342\200\256\n'",
        EXITED,
        "a\0\x1b[2J\x1b]0;x\x07\u202e\n",
        0,
    ),
    "half a character": Awkward(r"printf '\342\200'", EXITED, "\ufffd", 0),
    "kills its own shell": Awkward("echo on; kill -9 $$", EXITED, "on\n", 137),
    "a child kills the shell and goes on": Awkward(
        "sh -c 'kill -9 \"$1\"; exec sleep 1000' sh $$; :", EXITED, "", 137
    ),
    "stops itself": Awkward("echo on; kill -STOP $$", TIMED_OUT, "on\n"),
    "stops itself in a session of its own": Awkward(
        "setsid sh -c 'kill -STOP $$' & wait", TIMED_OUT
    ),
    "a program that is not there": Awkward("exec no-such-program", EXITED, "/bin/sh: ", 127),
    "not the shell's language": Awkward("if then (", EXITED, "/bin/sh: ", 2),
    "begins with a dash": Awkward("-c", EXITED, "/bin/sh: ", 127),
    "far too long": Awkward(": " + "x" * 200_000, How.COULD_NOT_START, "The command is too long"),
    "removes its own folder": Awkward(
        'mkdir gone && cd gone && rmdir "$PWD" && exec sleep 1000', TIMED_OUT
    ),
}


def run(
    runner: SystemProcesses,
    line: str,
    folder: Path,
    token: str,
    timeout: timedelta = LONG,
    cancelled: CancelSwitch | None = None,
) -> Ending:
    return runner.run(Command(line, folder, timeout, {"TOKEN": token}), cancelled)


def clock_from(begun: Path) -> Callable[[], float]:
    """A clock that does not move before this file exists: on a busy machine it takes a while until
    a command has begun."""
    start: list[float] = []

    def monotonic() -> float:
        if not start and begun.exists():
            start.append(time.monotonic())

        return time.monotonic() - start[0] if start else 0.0

    return monotonic


@pytest.mark.parametrize("name", AWKWARD)
def test_it_ends_in_time_leaves_nothing_and_the_next_one_runs(
    name: str, token: str, tmp_path: Path
) -> None:
    awkward = AWKWARD[name]
    line = awkward.line.replace("TOKEN", token).replace("PYTHON", sys.executable)
    runner = SystemProcesses(time.monotonic)
    timeout = LONG
    if awkward.how is TIMED_OUT:
        line = f"touch begun\n{line}"
        runner = SystemProcesses(clock_from(tmp_path / "begun"))
        timeout = TIMEOUT

    descriptors, children = open_descriptors(), set(children_of(os.getpid()))
    before = time.time()
    ending = run(runner, line, tmp_path, token, timeout)
    ended = time.time()
    if awkward.how is TIMED_OUT:
        before = (tmp_path / "begun").stat().st_mtime
    left = survivors(token)

    assert left == []
    assert timedelta(seconds=ended - before) < TIMEOUT + PROMISE
    assert ending.how is awkward.how
    assert ending.output.startswith(awkward.begins)
    assert len(ending.output) <= OUTPUT_LIMIT
    assert awkward.exit_code in (None, ending.exit_code)
    assert (ending.exit_code is None) == (ending.how is not How.EXITED)
    assert open_descriptors() - descriptors == set()
    assert set(children_of(os.getpid())) - children == set()

    following = run(runner, "echo fine", tmp_path, token)
    assert (following.how, following.exit_code, following.output) == (How.EXITED, 0, "fine\n")


@pytest.mark.parametrize(
    "name", ["waits for a session of its own", "ignores TERM and goes on printing"]
)
def test_cancelled_it_ends_in_the_same_way(name: str, token: str, tmp_path: Path) -> None:
    switch = CancelSwitch()
    begun = tmp_path / "begun"
    cancelled_at: list[float] = []

    def cancel() -> None:
        until(begun.exists)
        cancelled_at.append(time.monotonic())
        switch.set()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    ending = run(
        SystemProcesses(time.monotonic),
        f"touch begun; {AWKWARD[name].line}",
        tmp_path,
        token,
        LONG,
        switch,
    )
    ended = time.monotonic()
    assert survivors(token) == []
    assert (ending.how, ending.exit_code) == (How.CANCELLED, None)
    assert ended - cancelled_at[0] < PROMISE.total_seconds()
    canceller.join()
    switch.close()


def test_one_gigabyte_of_output_costs_bounded_memory(token: str, tmp_path: Path) -> None:
    tracemalloc.start()
    ending = run(
        SystemProcesses(time.monotonic), "yes | head -c 1000000000; echo the end", tmp_path, token
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (ending.how, ending.exit_code, ending.last_line) == (How.EXITED, 0, "the end")
    assert "bytes left out" in ending.output
    assert len(ending.output.encode()) <= OUTPUT_LIMIT
    assert peak < 8 * OUTPUT_LIMIT


@pytest.mark.parametrize(
    "line",
    [
        "trap 'sleep 0.3; echo cleaned up; exit 7' TERM; touch begun; sleep 1000 & wait",
        "trap 'echo cleaned up' TERM; touch begun; kill -STOP $$; :",
        "setsid sh -c 'trap \"echo cleaned up\" TERM; touch begun; kill -STOP $$; :' & wait",
    ],
)
def test_a_clean_up_after_the_polite_signal_is_not_disturbed(
    line: str, token: str, tmp_path: Path
) -> None:
    # Before its trap is set, the signal would just end it.
    runner = SystemProcesses(clock_from(tmp_path / "begun"))
    ending = run(runner, line, tmp_path, token, TIMEOUT)
    assert (ending.how, ending.output) == (How.TIMED_OUT, "cleaned up\n")
    assert survivors(token) == []


@pytest.mark.parametrize(
    "line", ["sleep 0.7", "exec >&- 2>&-; sleep 0.7", "setsid sleep 0.7 | cat"]
)
def test_waiting_for_it_costs_next_to_nothing(line: str, token: str, tmp_path: Path) -> None:
    runner = SystemProcesses(time.monotonic)
    run(runner, "true", tmp_path, token)
    before = time.thread_time()  # what other tests left may still do something in other threads
    assert run(runner, line, tmp_path, token).exit_code == 0
    assert time.thread_time() - before < 0.05


def test_after_a_pause_of_the_whole_machine_it_is_killed_all_the_same(
    token: str, tmp_path: Path
) -> None:
    """The time to ask and the time to kill are over at once."""
    begun, asked = tmp_path / "begun", tmp_path / "asked"
    clock = clock_from(begun)
    runner = SystemProcesses(lambda: clock() + (1000 if asked.exists() else 0))
    line = "trap 'touch asked' TERM; touch begun; while :; do sleep 0.01; done"

    assert run(runner, line, tmp_path, token, TIMEOUT).how is How.TIMED_OUT
    assert survivors(token) == []


def test_our_other_children_are_left_alone(token: str, tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "1000"]) as other:
        ending = run(
            SystemProcesses(time.monotonic), "setsid sleep 1000 & echo done", tmp_path, token
        )
        alive = other.poll() is None
        other.kill()
    assert (ending.output, survivors(token), alive) == ("done\n", [], True)


def test_beside_another_command_each_loses_only_what_is_its_own(token: str, tmp_path: Path) -> None:
    """The long one's daemon has lost its parent, so only its mark tells it from what the short
    one left."""
    runner = SystemProcesses(time.monotonic)
    endings: list[Ending] = []
    line = """setsid -f sh -c 'echo $$ > daemon; exec sleep 1000'
    until [ -e go ]; do sleep 0.01; done; kill -0 "$(cat daemon)" && echo still there"""
    long = threading.Thread(
        target=lambda: endings.append(run(runner, line, tmp_path, token + "-long"))
    )
    long.start()
    until(lambda: (tmp_path / "daemon").exists())
    short = run(runner, "setsid -f sleep 1000; echo done", tmp_path, token + "-short")
    assert (short.output, survivors(token + "-short")) == ("done\n", [])
    (tmp_path / "go").touch()
    long.join()
    assert (endings[0].output, survivors(token)) == ("still there\n", [])


def test_many_at_once_leave_nothing(token: str, tmp_path: Path) -> None:
    runner = SystemProcesses(time.monotonic)
    children = set(children_of(os.getpid()))
    endings: list[Ending] = []
    line = (
        "setsid -f sleep 1000; env -i setsid -f sleep 1000.TOKEN; sleep 1000 & echo done".replace(
            "TOKEN", token
        )
    )

    def several() -> None:
        endings.extend(run(runner, line, tmp_path, token) for _ in range(5))

    threads = [threading.Thread(target=several) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [ending.output for ending in endings] == ["done\n"] * 20
    assert survivors(token) == []
    assert set(children_of(os.getpid())) - children == set()


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
