"""Whether a sandbox works here: found out by running one, said in a sentence; where none does,
nothing is started."""

import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.adapters.sandbox import bubblewrap
from core.adapters.sandbox.bubblewrap import BubblewrapSandbox
from core.model.process import How
from core.services import Services
from tests.descriptors import open_descriptors
from tests.sandbox.ground import Ground

ROOT = Path(__file__).resolve().parents[2]


def with_a_bubblewrap_that(says: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "programs" / "bwrap"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho asked >> {folder}/asked\necho '{says}' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def refuses_to_run(ground: Ground) -> None:
    """And says the same as the state does."""
    done = ground.inside("echo x > sub/started")
    assert done.ending.how is How.COULD_NOT_START
    assert done.ending.output == f"{ground.sandbox.state().reason} {ground.sandbox.state().fix}"
    assert list((ground.workspace / "sub").iterdir()) == []


def test_it_works_here_and_leaves_nothing_behind(ground: Ground, tmp_path: Path) -> None:
    state = ground.sandbox.state()
    assert (state.works, state.reason, state.fix) == (True, "", "")
    assert list((tmp_path / "stages").iterdir()) == []


def test_without_bubblewrap_it_says_how_to_get_it(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert "not installed" in ground.sandbox.state().reason
    assert "apt-get install bubblewrap" in ground.sandbox.state().fix
    refuses_to_run(ground)


def test_a_bubblewrap_that_fails_is_probed_only_once(
    ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "SWITCHES", ())
    with_a_bubblewrap_that("bwrap: setting up uid map: Permission denied", tmp_path, monkeypatch)
    for _ in range(3):
        assert "setting up uid map: Permission denied" in ground.sandbox.state().reason
    assert (tmp_path / "asked").read_text() == "asked\n"
    refuses_to_run(ground)


def test_an_old_bubblewrap_is_reported_as_too_old(
    ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_bubblewrap_that("bwrap: Unknown option --disable-userns", tmp_path, monkeypatch)
    assert "too old" in ground.sandbox.state().reason
    assert "0.8" in ground.sandbox.state().fix


def test_a_system_that_forbids_it_is_named_with_the_switch(
    ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_bubblewrap_that("bwrap: No permissions to create a new namespace", tmp_path, monkeypatch)
    here = Path("/proc/sys/user/max_user_namespaces").read_text().strip()
    monkeypatch.setattr(
        bubblewrap, "SWITCHES", (("user/max_user_namespaces", here, "sudo sysctl it=1"),)
    )
    assert "does not let users create sandboxes" in ground.sandbox.state().reason
    assert ground.sandbox.state().fix == "Allow them: sudo sysctl it=1"


def test_a_machine_without_a_filter_has_no_sandbox(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert "riscv64" in ground.sandbox.state().reason
    refuses_to_run(ground)


def test_a_system_without_bubblewrap_of_its_own_has_no_sandbox(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "Linux" in ground.sandbox.state().fix


@pytest.mark.parametrize("folder", ["nowhere", "/root/."])
def test_a_folder_that_is_not_in_its_reach_cannot_be_started_in(
    ground: Ground, folder: str
) -> None:
    command = ground.command("echo started")
    done = ground.sandbox.run(
        type(command)(command.line, ground.workspace / folder, command.timeout), ground.reach()
    )
    assert done.ending.how is How.COULD_NOT_START
    assert folder.rstrip("/.") in done.ending.output


def test_a_workspace_that_is_gone_is_reported(ground: Ground) -> None:
    assert ground.sandbox.state().works
    gone = ground.reach()
    (ground.workspace / "sub").rmdir()
    ground.workspace.rmdir()
    ground.workspace = ground.home
    done = ground.inside("true", gone)
    assert done.ending.how is How.COULD_NOT_START
    assert "cannot be opened" in done.ending.output


def test_it_works_for_root_and_for_an_ordinary_user() -> None:
    """The user of this test is one of them; root can try both."""
    users = [65534, 0] if os.geteuid() == 0 else [os.geteuid()]
    for user in users:
        done = subprocess.run(
            [sys.executable, "-m", "tests.sandbox.as_user", str(user)],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.splitlines() == [
            f"uid={user} refused=() kept_out=('HEARTBEAT.md',) made=['new', 'sub']",
            f"uid={user} refused=('evil.test',) kept_out=('HEARTBEAT.md',) made=['new', 'sub']",
        ]


def test_one_sandbox_serves_several_threads(ground: Ground) -> None:
    assert ground.sandbox.state().works
    before = open_descriptors()
    with ThreadPoolExecutor(4) as pool:
        endings = list(
            pool.map(
                lambda n: ground.inside(f"echo {n} > sub/{n}; exit {n}").ending.exit_code,
                range(100),
            )
        )

    assert endings == list(range(100))
    assert open_descriptors() - before == set()


def test_it_is_what_the_services_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEARTBEAT_STATE_DIR", str(tmp_path / "states"))
    ground = Ground(tmp_path)
    services = Services(ground.workspace)
    services.processes = ground.processes
    opened = services.sandbox
    assert isinstance(opened, BubblewrapSandbox)
    assert opened.state().works
