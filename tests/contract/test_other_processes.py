"""What core.ports.OtherProcesses promises, asked of the system's and of the fake."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.adapters.processes import others
from core.adapters.processes.others import SystemOtherProcesses
from core.model.process import NotFound
from core.ports.processes import OtherProcesses
from tests.fakes.processes import FakeOtherProcess, FakeOtherProcesses

LONG = 30.0  # seconds
STUBBORN = "trap '' TERM; touch ready; while :; do sleep 0.05; done"


@dataclass
class Ground:
    """Processes that a test starts, and the port that is to end them."""

    processes: OtherProcesses
    folder: Path
    started: list[subprocess.Popen[bytes]]

    def start(self, *, is_stubborn: bool = False) -> int:
        if isinstance(self.processes, FakeOtherProcesses):
            pid = 1000 + len(self.processes.running)
            self.processes.running[pid] = FakeOtherProcess(is_stubborn=is_stubborn)
            return pid

        line = STUBBORN if is_stubborn else "touch ready; exec sleep 600"
        process = subprocess.Popen(["/bin/sh", "-c", line], cwd=self.folder)
        self.started.append(process)
        deadline = time.monotonic() + LONG
        while not (self.folder / "ready").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return process.pid


@pytest.fixture(params=["system", "without pidfd", "fake"])
def ground(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Ground]:
    started: list[subprocess.Popen[bytes]] = []
    if request.param == "fake":
        yield Ground(fake(), tmp_path, started)
    else:
        if request.param == "without pidfd":
            monkeypatch.setattr(others, "open_pidfd", lambda _: None)
        yield Ground(SystemOtherProcesses(time.monotonic), tmp_path, started)
    for process in started:
        process.kill()
        process.wait()


def fake() -> FakeOtherProcesses:
    return FakeOtherProcesses()


def lives(ground: Ground) -> bool:
    """Whether the process is there; a zombie is not."""
    return all(process.poll() is None for process in ground.started)


def test_it_ends_when_it_is_asked_to(ground: Ground) -> None:
    found = ground.processes.find(ground.start(), lambda: lives(ground))
    assert not isinstance(found, NotFound)
    assert not found.has_ended_within(0)
    found.ask_to_end()
    assert found.has_ended_within(LONG)
    found.ask_to_end()
    found.kill()
    found.close()
    found.close()


def test_one_that_does_not_listen_can_be_killed(ground: Ground) -> None:
    found = ground.processes.find(ground.start(is_stubborn=True), lambda: lives(ground))
    assert not isinstance(found, NotFound)
    found.ask_to_end()
    assert not found.has_ended_within(0.1)
    found.kill()
    assert found.has_ended_within(LONG)
    found.close()


def test_a_number_that_belongs_to_another_process_by_now_is_left_alone(ground: Ground) -> None:
    pid = ground.start()
    assert ground.processes.find(pid, lambda: False) is NotFound.GONE
    assert lives(ground)


def test_a_stopped_process_goes_on_to_end_cleanly(tmp_path: Path) -> None:
    ground = Ground(SystemOtherProcesses(time.monotonic), tmp_path, [])
    pid = ground.start()
    (process,) = ground.started
    process.send_signal(signal.SIGSTOP)
    found = ground.processes.find(pid, lambda: True)
    assert not isinstance(found, NotFound)
    found.ask_to_end()
    assert found.has_ended_within(LONG)
    found.close()
    assert process.wait() == -signal.SIGTERM


def test_a_process_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = Ground(SystemOtherProcesses(time.monotonic), tmp_path, [])
    pid = ground.start()
    (process,) = ground.started
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert ground.processes.find(pid, lambda: True) is NotFound.ANOTHER_USERS
    assert process.poll() is None
    process.kill()
    process.wait()


def test_there_is_no_process_with_the_number_zero() -> None:
    assert SystemOtherProcesses(time.monotonic).find(0, lambda: True) is NotFound.GONE
