"""The workspace's folder goes away and comes back while the always-on process runs: nothing runs or
is recorded meanwhile, and it is picked up again."""

import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.adapters.processes.tree import children_of
from core.model.ledger import Pause
from tests.e2e.machine import Done, Machine, Running, action, alive, wait_for

SECONDLY = action("tick", "echo x >> ticks", "schedule: every:1s")
GONE = "The workspace's folder is gone: "
BACK = "The workspace's folder is back: "
PICKED_UP = 10.0  # seconds
# A root user who may not enter whatever is there.
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]
# A daemon for which a disk is mounted that nobody else sees.
MOUNT = 'mount -t tmpfs none "$DISK" && mkdir -p "$PLACE" && cp "$COPY" "$PLACE/HEARTBEAT.md"'
WITH_DISK = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.witness_starts()
    return machine


def ran(machine: Machine) -> int:
    return len(machine.lines("ticks"))


def leaves_and_returns(
    machine: Machine,
    leave: Callable[[Running], None],
    come_back: Callable[[Running], None],
    before: Sequence[str] = (),
) -> None:
    """Run an action every second; take the folder away for some slots, and bring it back. It goes
    between two beats: a command that runs just then fails for want of its folder."""
    machine.write(SECONDLY)
    with machine.start("daemon", "-C", str(machine.workspace), before=before) as daemon:
        daemon.wait_until_said("Watching")
        wait_for(lambda: machine.starts("beat"), "a beat")
        with paused(machine, daemon):
            leave(daemon)
            starts = len(machine.starts("beat")) + len(machine.starts("plan"))

        daemon.wait_until_said(GONE, 30)
        left = time.time()
        wait_for(lambda: time.time() - left > 3, "some slots to pass")
        assert len(machine.starts("beat")) + len(machine.starts("plan")) == starts

        beats = len(machine.starts("beat"))
        come_back(daemon)
        wait_for(lambda: len(machine.starts("beat")) > beats, "a beat", PICKED_UP)
        daemon.wait_until_said(BACK)
        wait_for(lambda: len(machine.starts("beat")) > beats + 1, "and the beats after it")
        assert daemon.said().count(GONE) == daemon.said().count(BACK) == 1
        assert "Traceback" not in daemon.said()
        assert "has a problem" not in daemon.said()


@contextmanager
def paused(machine: Machine, daemon: Running) -> Iterator[None]:
    """No beat runs in the block. It is paused and resumed in the ledger, as the tray does: the
    command line needs the folder."""
    requests = machine.ledger().requests
    requests.pause(Pause(datetime.now(UTC), None))
    daemon.process.send_signal(signal.SIGUSR1)
    wait_for(lambda: not any(map(alive, children_of(daemon.pid))), "the last beat to end")
    wait_for(lambda: not any(map(alive, children_of(daemon.pid))), "its plan to end")
    yield
    requests.resume()
    daemon.process.send_signal(signal.SIGUSR1)


def move(source: Path, destination: Path) -> None:
    assert not destination.exists()  # nothing was written where it used to be
    source.rename(destination)


def outcomes(machine: Machine) -> set[str]:
    occurrences = machine.json("history", "--limit", "100")["occurrences"]
    return {one["outcome"] for one in occurrences}


def test_renamed_and_back(machine: Machine) -> None:
    away = machine.folder / "away"
    leaves_and_returns(
        machine, lambda _: move(machine.workspace, away), lambda _: move(away, machine.workspace)
    )
    assert outcomes(machine) == {"completed"}


def test_a_folder_above_it_renamed_and_back(machine: Machine) -> None:
    above = machine.folder / "above"
    away = machine.folder / "away"
    machine.workspace = above / "inside" / "workspace"
    machine.file = machine.workspace / "HEARTBEAT.md"
    machine.workspace.mkdir(parents=True)
    leaves_and_returns(machine, lambda _: move(above, away), lambda _: move(away, above))
    assert outcomes(machine) == {"completed"}


def test_deleted_and_made_again(machine: Machine) -> None:
    copy = machine.folder / "copy"

    def delete(_: Running) -> None:
        shutil.copytree(machine.workspace, copy)
        shutil.rmtree(machine.workspace)

    def make_again(_: Running) -> None:
        assert not machine.workspace.exists()
        shutil.copytree(copy, machine.workspace)

    leaves_and_returns(machine, delete, make_again)
    assert outcomes(machine) == {"completed"}


@pytest.mark.parametrize("place", [".", "inside"])
def test_unmounted_and_mounted_again(machine: Machine, place: str) -> None:
    """Also where the workspace is the whole disk: its empty folder is left."""
    disk = machine.folder / "disk"
    copy = machine.folder / "copy.md"
    machine.workspace = disk / place
    machine.file = machine.workspace / "HEARTBEAT.md"
    machine.workspace.mkdir(parents=True)
    machine.environment |= {
        "DISK": str(disk),
        "PLACE": str(machine.workspace),
        "COPY": str(copy),
    }

    def in_its_world(daemon: Running, command: str) -> None:
        enter = ["nsenter", f"--target={daemon.pid}", "--user", "--mount", "sh", "-c", command]
        subprocess.run(enter, env=machine.environment, check=True)

    def unmount(daemon: Running) -> None:
        subprocess.run(["find", disk, "-mindepth", "1", "-delete"], check=True)
        in_its_world(daemon, 'umount "$DISK"')

    copy.write_text(machine.write(SECONDLY))
    leaves_and_returns(
        machine,
        unmount,
        lambda daemon: in_its_world(daemon, MOUNT),
        before=[*WITH_DISK, f'{MOUNT} && cd / && exec "$@"', "sh"],
    )


def test_closed_and_opened_again(machine: Machine) -> None:
    leaves_and_returns(
        machine,
        lambda _: machine.workspace.chmod(0),
        lambda _: machine.workspace.chmod(0o700),
        before=WITHOUT_RIGHTS,
    )
    assert outcomes(machine) == {"completed"}


def known(machine: Machine) -> Path:
    """Let the workspace be known, and take its folder away; where it is now."""
    machine.write(SECONDLY)
    assert machine.heartbeat("run").code == 0
    away = machine.folder / "away"
    move(machine.workspace, away)
    return away


def elsewhere(machine: Machine, *words: str) -> Done:
    """A command for the workspace, from another folder."""
    machine.says_yes = False
    here = machine.workspace
    machine.workspace = machine.folder
    try:
        return machine.heartbeat("-C", str(here), *words)
    finally:
        machine.workspace = here


@contextmanager
def daemon_elsewhere(machine: Machine) -> Iterator[Running]:
    here = machine.workspace
    machine.workspace = machine.folder
    try:
        with machine.start("daemon", "-C", str(here)) as daemon:
            machine.workspace = here
            yield daemon
    finally:
        machine.workspace = here


@pytest.mark.parametrize("is_empty", [False, True])
def test_a_daemon_that_starts_without_its_folder_waits_for_it(
    machine: Machine, is_empty: bool
) -> None:
    """As at login, before the disk is mounted. Also a second time, when it was told before."""
    away = known(machine)
    if is_empty:
        machine.workspace.mkdir()

    for log in ("first", "second"):
        with daemon_elsewhere(machine) as daemon:
            daemon.wait_until_said(GONE)
            assert daemon.end() == 0, log
        (machine.folder / "started.log").rename(machine.folder / log)
        assert (machine.folder / log).read_text().count(GONE) == 1

    with daemon_elsewhere(machine) as daemon:
        daemon.wait_until_said(GONE)
        assert machine.workspace.exists() is is_empty
        assert not is_empty or not list(machine.workspace.iterdir())  # nothing was made in it

        beats = len(machine.starts("beat"))
        if is_empty:
            machine.workspace.rmdir()
        move(away, machine.workspace)
        daemon.wait_until_said(BACK, PICKED_UP)
        wait_for(lambda: len(machine.starts("beat")) > beats, "a beat", PICKED_UP)
        assert "Traceback" not in daemon.said()


def test_a_daemon_for_a_folder_that_nobody_knows_is_an_error(machine: Machine) -> None:
    machine.workspace.rmdir()
    done = elsewhere(machine, "daemon")
    assert done.code == 2
    assert f"There is no folder {machine.workspace}." in done.err


@pytest.mark.parametrize("words", [["status"], ["run"], ["plan"], ["approve"], ["history"]])
def test_a_command_says_that_an_empty_place_is_not_the_workspace(
    machine: Machine, words: list[str]
) -> None:
    """Where a disk is not mounted, the empty folder it is mounted on is left."""
    known(machine)
    machine.workspace.mkdir()
    done = elsewhere(machine, *words)
    assert (done.code, done.out) == (2, "")
    assert f"The workspace's folder {machine.workspace} is not there" in done.err
    assert list(machine.workspace.iterdir()) == []


def test_an_empty_folder_that_never_was_more_is_a_workspace_without_items(
    machine: Machine,
) -> None:
    for _ in range(2):
        assert elsewhere(machine, "run").code == 0
    assert elsewhere(machine, "status").code == 0
