"""What only a real process can show: what an agent of others sees, and that nothing of it stays."""

import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from core.adapters.processes import agent_programs
from core.adapters.processes.agent_programs import SystemAgentPrograms
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.process import How, ProgramCall, ProgramEnding
from tests.e2e.machine import alive, wait_for

LONG = timedelta(seconds=60)
SAYS_ITS_VARIABLES = "import os\nfor name, value in os.environ.items(): print(f'{name}={value}')"
LEAVES_ONE = "sleep 50 & echo $! >{pid}; exit 0"
IS_STUBBORN = "trap '' TERM; echo $$ >{pid}; while :; do sleep 1; done"


class Interrupted:
    """A person who presses Ctrl-C once the program runs."""

    def __init__(self, pid: Path) -> None:
        self._pid = pid
        self._asked = 0

    def is_set(self) -> bool:
        self._asked += 1
        if self._asked > 1 and has_begun(self._pid):
            raise KeyboardInterrupt

        return False

    def fileno(self) -> int:
        return -1


@pytest.fixture
def switch() -> Iterator[CancelSwitch]:
    made = CancelSwitch()
    yield made
    made.close()


@pytest.fixture
def programs() -> SystemAgentPrograms:
    return SystemAgentPrograms(time.monotonic)


def has_begun(pid: Path) -> bool:
    return pid.exists() and pid.read_text().endswith("\n")


def shell(script: str, timeout: timedelta = LONG) -> ProgramCall:
    return ProgramCall(("/bin/sh", "-c", script), "", timeout)


def test_its_folder_is_empty_and_gone_afterwards(
    programs: SystemAgentPrograms, switch: CancelSwitch
) -> None:
    ending = programs.run(shell("pwd; ls -A; mkdir -p a/b; echo c > a/b/c"), switch)
    (folder,) = ending.output.splitlines()
    assert folder != str(Path.cwd())
    assert not Path(folder).exists()


def test_no_key_and_no_bus_reaches_it(
    programs: SystemAgentPrograms, switch: CancelSwitch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/canary")
    monkeypatch.setenv("LC_TIME", "C")
    call = ProgramCall((sys.executable, "-c", SAYS_ITS_VARIABLES), "", LONG)
    ending = programs.run(call, switch)

    assert "canary" not in ending.output
    assert "LC_TIME=C" in ending.output


def test_what_it_left_running_ends_with_it(
    programs: SystemAgentPrograms, switch: CancelSwitch, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    ending = programs.run(shell(LEAVES_ONE.format(pid=pid)), switch)

    assert (ending.how, ending.exit_code) == (How.EXITED, 0)
    wait_for(lambda: not alive(int(pid.read_text())), "the end of what it left")


def test_what_left_its_group_and_holds_its_output_does_not_cost_the_answer(
    programs: SystemAgentPrograms,
    switch: CancelSwitch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agent_programs, "END_TIMEOUT", 0.2)
    pid = tmp_path / "pid"
    script = f"echo answer; setsid sh -c 'echo $$ >{pid}; exec sleep 50' & "
    ending = programs.run(shell(f"{script} while ! [ -s {pid} ]; do :; done; exit 0"), switch)

    os.kill(int(pid.read_text()), signal.SIGKILL)
    assert ending == ProgramEnding(How.EXITED, 0, "answer\n", "")


def test_a_folder_that_cannot_be_removed_does_not_cost_the_answer(
    programs: SystemAgentPrograms, switch: CancelSwitch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOTEMPTY, "Directory not empty")

    monkeypatch.setattr("os.rmdir", refuse)
    ending = programs.run(shell("pwd"), switch)
    monkeypatch.undo()

    folder = Path(ending.output.strip())
    folder.rmdir()
    assert ending.how is How.EXITED


def test_none_of_our_descriptors_reaches_it(
    programs: SystemAgentPrograms, switch: CancelSwitch, tmp_path: Path
) -> None:
    with open(tmp_path / "ours", "w", encoding="utf-8") as file:
        os.set_inheritable(file.fileno(), True)
        ending = programs.run(shell("ls -l /proc/self/fd"), switch)

    assert "ours" not in ending.output


def test_it_ends_if_it_cannot_be_connected(
    programs: SystemAgentPrograms,
    switch: CancelSwitch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A machine may be out of threads."""
    pid = tmp_path / "pid"

    def refuse(_: threading.Thread) -> None:
        wait_for(lambda: has_begun(pid), "its start")
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    ending = programs.run(shell(f"echo $$ >{pid}; exec sleep 50"), switch)

    words = "/bin/sh could not be started: can't start new thread."
    assert ending == ProgramEnding(How.COULD_NOT_START, output=words)
    wait_for(lambda: not alive(int(pid.read_text())), "its end")


def test_one_that_does_not_listen_is_killed(
    switch: CancelSwitch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_programs, "END_TIMEOUT", 0.2)
    pid = tmp_path / "pid"

    is_asked_again = False

    def monotonic() -> float:
        """Its time is over as soon as it has begun, however long that takes."""
        nonlocal is_asked_again
        is_over = is_asked_again and has_begun(pid)
        is_asked_again = True
        return LONG.total_seconds() if is_over else 0

    ending = SystemAgentPrograms(monotonic).run(shell(IS_STUBBORN.format(pid=pid)), switch)

    assert ending == ProgramEnding(How.TIMED_OUT)
    wait_for(lambda: not alive(int(pid.read_text())), "its end")


def test_it_ends_even_if_the_wait_for_it_is_interrupted(
    programs: SystemAgentPrograms, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(KeyboardInterrupt):
        programs.run(shell(f"echo $$ >{pid}; exec sleep 50"), Interrupted(pid))

    wait_for(lambda: not alive(int(pid.read_text())), "its end")
