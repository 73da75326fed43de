"""What every Sandbox must do: the fake, and bubblewrap."""

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from core.adapters.processes.posix import SystemProcesses
from core.adapters.sandbox.bubblewrap import BubblewrapSandbox
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.process import OUTPUT_LIMIT, Command, How
from core.model.sandbox import Reach
from core.ports.processes import Sandbox
from tests.contract.fake_commands import MANY_BYTES, fake_processes
from tests.fakes.processes import FakeSandbox

SANDBOXES: dict[str, Callable[[Path], Sandbox]] = {
    "fake": lambda _: FakeSandbox(fake_processes()),
    "bubblewrap": lambda folder: BubblewrapSandbox(
        SystemProcesses(time.monotonic), folder / "stages"
    ),
}


@pytest.fixture(params=SANDBOXES)
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Sandbox:
    return SANDBOXES[request.param](tmp_path)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


def command(line: str, folder: Path, seconds: float = 60) -> Command:
    return Command(line, folder, timedelta(seconds=seconds))


def test_it_works(sandbox: Sandbox) -> None:
    assert sandbox.state().works


def test_the_exit_code_is_the_commands(sandbox: Sandbox, workspace: Path) -> None:
    done = sandbox.run(command("exit 3", workspace), Reach(workspace))
    assert (done.ending.how, done.ending.exit_code) == (How.EXITED, 3)
    assert (done.refused_hosts, done.kept_out) == ((), ())


def test_what_it_printed_is_kept_in_order(sandbox: Sandbox, workspace: Path) -> None:
    done = sandbox.run(
        command("echo first; echo second >&2; echo last", workspace), Reach(workspace)
    )
    assert (done.ending.output, done.ending.last_line) == ("first\nsecond\nlast\n", "last")


def test_what_it_printed_is_capped(sandbox: Sandbox, workspace: Path) -> None:
    ending = sandbox.run(command(MANY_BYTES, workspace), Reach(workspace)).ending
    assert "bytes left out" in ending.output
    assert len(ending.output.encode()) <= OUTPUT_LIMIT
    assert ending.last_line == "the end"


def test_it_ends_at_its_timeout(sandbox: Sandbox, workspace: Path) -> None:
    ending = sandbox.run(
        command("echo so far; exec sleep 50", workspace, 10), Reach(workspace)
    ).ending
    assert (ending.how, ending.exit_code, ending.output) == (How.TIMED_OUT, None, "so far\n")


def test_cancelled_before_the_call_nothing_is_started(sandbox: Sandbox, workspace: Path) -> None:
    cancelled = CancelSwitch()
    cancelled.set()
    done = sandbox.run(command("echo x > started", workspace), Reach(workspace), cancelled)
    cancelled.close()
    assert done.ending.how is How.CANCELLED
    assert list(workspace.iterdir()) == []


@pytest.mark.parametrize("line", ["echo \0", "exit 3"])
def test_what_cannot_be_started_is_an_ending_with_a_reason(
    sandbox: Sandbox, workspace: Path, line: str
) -> None:
    folder = workspace if "\0" in line else workspace / "nowhere"
    ending = sandbox.run(command(line, folder), Reach(workspace)).ending
    assert ending.how is How.COULD_NOT_START
    assert ending.output


def test_a_reach_that_cannot_be_given_starts_nothing(
    sandbox: Sandbox, workspace: Path, tmp_path: Path
) -> None:
    done = sandbox.run(
        command("echo x > started", workspace), Reach(workspace, writable=(tmp_path,))
    )
    assert done.ending.how is How.COULD_NOT_START
    assert str(tmp_path) in done.ending.output
    assert list(workspace.iterdir()) == []
