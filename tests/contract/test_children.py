"""What every Children must do: the fake, this system's with and without pidfd, and Windows's,
its job replaced."""

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from core.adapters.processes import children as children_module
from core.adapters.processes import windows
from core.adapters.processes.children import SystemChildren
from core.adapters.processes.windows import WindowsChildren
from core.model.errors import HeartbeatError
from core.ports.processes import Child, Children
from tests.fakes.processes import FakeChild, FakeChildren

MISSING = "/nowhere/program"


class ProcessAsJob:
    """Stands in for a Windows job: the process alone."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)

    def close(self) -> None:
        pass


@pytest.fixture(params=["fake", "system", "system without pidfd", "windows"])
def children(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Children:
    match request.param:
        case "fake":
            return FakeChildren(missing=[MISSING])
        case "windows":
            monkeypatch.setattr(windows, "Job", ProcessAsJob)
            monkeypatch.setattr(windows, "flags", lambda: 0)
            return WindowsChildren()
        case "system without pidfd":
            monkeypatch.setattr(children_module, "pidfd_works", lambda: False)
    return SystemChildren()


class Started:
    """A child that runs until the test says with which code it is to exit."""

    def __init__(self, children: Children, folder: Path) -> None:
        self._order = folder / "order"
        os.mkfifo(self._order)
        program = ["/bin/sh", "-c", 'read code < "$ORDER"; exit "$code"']
        self.child: Child = children.start(program, {"ORDER": str(self._order)})

    def exit_with(self, code: int) -> None:
        if isinstance(self.child, FakeChild):
            self.child.end(code)
        else:
            self._order.write_text(f"{code}\n")


@pytest.fixture
def started(children: Children, tmp_path: Path) -> Iterator[Started]:
    made = Started(children, tmp_path)
    with closing(made.child):
        yield made
        made.child.kill()
        until(made.child.poll)


def exit_code(child: Child) -> int:
    """Waits as the always-on process does."""
    readable, _, _ = select.select([child], [], [], 20)
    assert readable, "the child did not end"
    return until(child.poll)


def until(ask: Callable[[], int | None]) -> int:
    deadline = time.monotonic() + 20
    while (answer := ask()) is None:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return answer


def test_while_it_runs_there_is_no_exit_code_and_nothing_to_read(started: Started) -> None:
    assert started.child.poll() is None
    assert select.select([started.child], [], [], 0)[0] == []


def test_its_end_wakes_a_wait_and_its_exit_code_stays(started: Started) -> None:
    started.exit_with(3)
    assert exit_code(started.child) == 3
    assert started.child.poll() == 3
    assert select.select([started.child], [], [], 0)[0] == [started.child]


def test_asked_to_end_it_ends(started: Started) -> None:
    started.child.ask_to_end()
    assert exit_code(started.child) == -signal.SIGTERM


def test_killed_it_ends(started: Started) -> None:
    started.child.kill()
    assert exit_code(started.child) == -signal.SIGKILL


def test_after_its_end_asking_and_killing_change_nothing(started: Started) -> None:
    started.exit_with(0)
    assert exit_code(started.child) == 0
    started.child.ask_to_end()
    started.child.kill()
    assert started.child.poll() == 0


def test_closing_twice_is_harmless_and_its_exit_code_can_still_be_asked_for(
    started: Started,
) -> None:
    started.child.close()
    started.child.close()
    started.exit_with(4)
    assert until(started.child.poll) == 4


def test_two_children_have_two_numbers(children: Children, tmp_path: Path) -> None:
    both = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        both.append(Started(children, tmp_path / name))
    assert both[0].child.pid != both[1].child.pid
    for number, made in enumerate(both):
        with closing(made.child):
            made.exit_with(number)
            assert exit_code(made.child) == number


def test_a_program_that_is_not_there_is_an_error_with_a_way_out(children: Children) -> None:
    with pytest.raises(HeartbeatError, match=MISSING) as caught:
        children.start([MISSING], {})
    assert caught.value.hint
