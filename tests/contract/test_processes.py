"""What every Processes must do: the fake, this system's, and Windows's with its Windows-only
parts replaced."""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from signal import SIGKILL

import pytest

from core.adapters.processes import windows
from core.adapters.processes.posix import SystemProcesses
from core.adapters.processes.windows import WindowsProcesses
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.process import OUTPUT_LIMIT, Command, How
from core.ports.processes import Processes
from tests.contract.fake_commands import MANY_BYTES, fake_processes
from tests.fakes.processes import FakeProcesses

LONG = timedelta(seconds=60)
SHORT = timedelta(seconds=10)  # and long enough for a shell to start on a busy machine


class GroupAsJob:
    """Stands in for a Windows job: the shell that start_here starts leads a process group."""

    def __init__(self, pid: int, *, kill_on_close: bool) -> None:
        assert kill_on_close  # nothing that a command started outlives us
        self._pid = pid

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._pid, SIGKILL)

    def close(self) -> None:
        pass


def start_here(command: Command) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", command.line],
        cwd=command.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
        start_new_session=True,
    )


@pytest.fixture(params=["fake", "system", "windows"])
def processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Processes:
    if request.param == "fake":
        return fake_processes()
    if request.param == "system":
        return SystemProcesses(time.monotonic)
    monkeypatch.setattr(windows, "Job", GroupAsJob)
    monkeypatch.setattr(windows, "start", start_here)
    return WindowsProcesses(time.monotonic)


@pytest.fixture
def switch() -> Iterator[CancelSwitch]:
    made = CancelSwitch()
    yield made
    made.close()


def test_the_exit_code_comes_back(processes: Processes, tmp_path: Path) -> None:
    ending = processes.run(Command("exit 3", tmp_path, LONG))
    assert (ending.how, ending.exit_code, ending.output) == (How.EXITED, 3, "")


def test_output_and_errors_come_back_in_the_order_of_printing(
    processes: Processes, tmp_path: Path
) -> None:
    ending = processes.run(Command("echo first; echo second >&2; echo last", tmp_path, LONG))
    assert (ending.exit_code, ending.output) == (0, "first\nsecond\nlast\n")
    assert ending.last_line == "last"


def test_at_its_timeout_it_is_ended_and_what_it_printed_is_kept(
    processes: Processes, tmp_path: Path
) -> None:
    ending = processes.run(Command("echo so far; exec sleep 50", tmp_path, SHORT))
    assert (ending.how, ending.exit_code, ending.output) == (How.TIMED_OUT, None, "so far\n")
    assert SHORT <= ending.duration < SHORT + timedelta(seconds=5)


def test_cancelled_beforehand_nothing_is_started(
    processes: Processes, switch: CancelSwitch, tmp_path: Path
) -> None:
    switch.set()
    ending = processes.run(Command("touch started", tmp_path, LONG), switch)
    assert (ending.how, ending.exit_code, ending.output) == (How.CANCELLED, None, "")
    assert not list(tmp_path.iterdir())
    assert not (isinstance(processes, FakeProcesses) and processes.started)


def test_cancelled_while_it_runs_it_ends_long_before_its_timeout(
    processes: Processes, switch: CancelSwitch, tmp_path: Path
) -> None:
    line = "touch started; exec sleep 50"
    if isinstance(processes, FakeProcesses):
        processes.takes[line] = timedelta(seconds=50)
        processes.meanwhile = lambda _: switch.set()
    canceller = threading.Thread(target=when, args=((tmp_path / "started").exists, switch.set))
    canceller.start()
    ending = processes.run(Command(line, tmp_path, LONG), switch)
    (tmp_path / "started").touch()  # the fake made none: let the thread go
    canceller.join()
    assert (ending.how, ending.exit_code) == (How.CANCELLED, None)
    assert ending.duration < timedelta(seconds=10)


SAYS_A_LOT = (
    "echo first; printf 'last\\n  \\npart of a line'; until test -e seen; do sleep 0.02; done"
)


def test_the_last_whole_line_is_told_while_it_runs(processes: Processes, tmp_path: Path) -> None:
    if isinstance(processes, FakeProcesses):
        processes.prints[SAYS_A_LOT] = "first\nlast\n  \npart of a line"
    told: list[str] = []

    def on_line(line: str) -> None:
        told.append(line)
        if line == "last":
            (tmp_path / "seen").touch()

    ending = processes.run(Command(SAYS_A_LOT, tmp_path, LONG), None, on_line)
    assert ending.how is How.EXITED
    assert told[-1] == "last"
    assert len(told) == len(set(told))


def when(condition: Callable[[], bool], act: Callable[[], None]) -> None:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    act()


@pytest.mark.parametrize(("line", "folder"), [("true", "missing"), ("echo \0", ".")])
def test_what_cannot_be_started_is_an_ending_that_says_why(
    processes: Processes, tmp_path: Path, line: str, folder: str
) -> None:
    ending = processes.run(Command(line, tmp_path / folder, LONG))
    assert (ending.how, ending.exit_code) == (How.COULD_NOT_START, None)
    assert ending.last_line.endswith(".")
    assert (
        "could not start" in ending.output
        or "cannot" in ending.output
        or "contains a NUL character" in ending.output
    )


def test_of_too_much_output_the_beginning_and_the_end_are_kept(
    processes: Processes, tmp_path: Path
) -> None:
    ending = processes.run(Command(MANY_BYTES, tmp_path, LONG))
    assert (ending.how, ending.exit_code) == (How.EXITED, 0)
    size = len(ending.output.encode())
    assert OUTPUT_LIMIT - 100 < size <= OUTPUT_LIMIT
    first, notice, last = (
        ending.output.partition("\n[… ")[0],
        ending.output.count("bytes left out"),
        ending.last_line,
    )
    assert (set(first), notice, last) == ({"a"}, 1, "the end")
    left_out = int(ending.output.partition("\n[… ")[2].partition(" ")[0])
    assert left_out + size - len(f"\n[… {left_out} bytes left out …]\n".encode()) == 3_000_009


def test_one_after_another_each_is_a_fresh_start(processes: Processes, tmp_path: Path) -> None:
    codes = [
        processes.run(Command(line, tmp_path, LONG)).exit_code
        for line in ("exit 3", "true", "exit 3")
    ]
    assert codes == [3, 0, 3]
