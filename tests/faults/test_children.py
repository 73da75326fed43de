"""Real children of the always-on process: what they inherit, what is left of them, and what they
cost it."""

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from core.adapters.processes import children as children_module
from core.adapters.processes.children import SystemChild, SystemChildren
from core.adapters.processes.tree import children_of
from core.adapters.waiting.folder_events import FolderEvents
from tests.descriptors import open_descriptors

HEAVY = {"asyncio", "subprocess", "threading", "selectors", "ctypes", "pydantic", "yaml", "logging"}


def finish(child: SystemChild) -> int:
    with closing(child):
        assert select.select([child], [], [], 20)[0], "the child did not end"
        deadline = time.monotonic() + 20
        while (code := child.poll()) is None:
            assert time.monotonic() < deadline
        return code


def shell(line: str, log: Path | None = None, **environment: str) -> SystemChild:
    return SystemChildren().start(["/bin/sh", "-c", line], environment, log)


def test_what_it_prints_is_added_to_the_log_that_only_the_owner_reads(tmp_path: Path) -> None:
    log = tmp_path / "beat.log"
    for word in ("one", "two"):
        assert finish(shell(f"echo {word}; echo {word} failed >&2", log)) == 0
    assert log.read_text() == "one\none failed\ntwo\ntwo failed\n"
    assert log.stat().st_mode & 0o777 == 0o600


def test_its_environment_is_exactly_what_it_is_given(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert (
        finish(
            shell(
                'tr "\\0" "\\n" < /proc/$$/environ',
                log,
                PATH=os.environ["PATH"],
                GREETING="good day",
            )
        )
        == 0
    )
    assert set(log.read_text().splitlines()) == {f"PATH={os.environ['PATH']}", "GREETING=good day"}


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("pidfd", [True, False])
def test_no_descriptor_of_ours_reaches_it(
    guarded: bool, pidfd: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even one that a library made inheritable, as watchdog does with its own."""
    log = tmp_path / "log"
    monkeypatch.setattr(children_module, "pidfd_works", lambda: pidfd)
    if not guarded:
        monkeypatch.setattr(children_module, "inheritable", lambda: ())
    with open(tmp_path / "held", "w") as held, closing(FolderEvents()) as events:
        os.set_inheritable(held.fileno(), True)
        events.watch(tmp_path)
        assert finish(shell("ls -l /proc/$$/fd", log, PATH=os.environ["PATH"])) == 0
    assert ("held" in log.read_text()) == (not guarded)
    assert ("inotify" in log.read_text()) == (not guarded)
    if guarded:
        assert log.read_text().count("pipe:") == (0 if pidfd else 1)


def test_it_has_a_group_of_its_own_and_no_input(tmp_path: Path) -> None:
    log = tmp_path / "log"
    child = shell("ps -o pgid= -p $$; readlink /proc/self/fd/0", log, **os.environ)
    assert finish(child) == 0
    assert log.read_text().split() == [str(child.pid), "/dev/null"]


def test_a_signal_that_we_hold_back_reaches_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    held_back = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        child = SystemChildren().start(["/bin/grep", "SigBlk", "/proc/self/status"], {}, log)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held_back)
    assert finish(child) == 0
    assert log.read_text().split() == ["SigBlk:", "0" * 16]


def test_killing_it_ends_its_group(tmp_path: Path) -> None:
    below = tmp_path / "below"
    child = shell(f"trap '' TERM; sleep 1000 & echo $! > {below}; wait", PATH=os.environ["PATH"])
    deadline = time.monotonic() + 20
    while not (below.exists() and below.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    child.kill()
    assert finish(child) == -signal.SIGKILL
    grandchild = Path("/proc") / below.read_text().strip() / "cmdline"
    while (
        grandchild.exists() and grandchild.read_bytes()
    ):  # a dead one that was not reaped has none
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("pidfd", [True, False])
def test_three_hundred_children_leave_no_descriptor_and_no_zombie(
    pidfd: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children_module, "pidfd_works", lambda: pidfd)
    descriptors, children = open_descriptors(), set(children_of(os.getpid()))
    codes = [finish(shell(f"exit {number % 7}")) for number in range(300)]
    assert codes == [number % 7 for number in range(300)]
    assert open_descriptors() - descriptors == set()
    assert set(children_of(os.getpid())) - children == set()


def test_an_end_that_somebody_else_took_is_never_a_success() -> None:
    child = shell("exit 0")
    os.waitpid(child.pid, 0)
    assert finish(child) == 255


def test_the_always_on_process_loads_nothing_heavy_for_it() -> None:
    program = "import sys, core.adapters.processes.children; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not HEAVY & set(loaded)
