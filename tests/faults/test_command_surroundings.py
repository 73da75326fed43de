"""What a command gets from us and what it must never get: variables, descriptors, input,
signals."""

import fcntl
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from core.adapters.processes import posix as processes
from core.adapters.processes.children import open_pidfd
from core.adapters.processes.posix import SystemProcesses
from core.model.process import Command, Ending, How
from tests.descriptors import open_descriptors

LONG = timedelta(seconds=60)
SECRETS = {
    "ANTHROPIC_API_KEY": "sk-ant-1",
    "OPENAI_API_KEY": "sk-2",
    "GITHUB_TOKEN": "ghp-3",
    "HEARTBEAT_STATE_DIR": "/state",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
    "XDG_RUNTIME_DIR": "/run/user/1000",
    "SSH_AUTH_SOCK": "/tmp/agent",
    "LD_PRELOAD": "",
    "PYTHONPATH": "/somewhere",
    "A_VARIABLE_OF_TOMORROW": "1",
}


def run(line: str, folder: Path, **environment: str) -> Ending:
    return SystemProcesses(time.monotonic).run(Command(line, folder, LONG, environment))


def test_of_our_variables_only_harmless_ones_reach_it_and_its_own_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = {
        "HOME": "/home/me",
        "LANG": "C.UTF-8",
        "LC_TIME": "de_DE.UTF-8",
        "TZ": "Europe/Berlin",
        "USER": "me",
    }
    for name, value in (SECRETS | passed).items():
        monkeypatch.setenv(name, value)
    bare = subprocess.run(["/bin/sh", "-c", "env"], capture_output=True, text=True).stdout
    seen = run("env", tmp_path, GREETING="good day", TZ="Asia/Tokyo").output
    variables = dict(line.split("=", 1) for line in seen.splitlines())
    assert set(SECRETS) <= {
        line.split("=", 1)[0] for line in bare.splitlines()
    }  # so it goes without the guard
    assert not set(SECRETS) & set(variables)
    assert passed | {"GREETING": "good day", "TZ": "Asia/Tokyo"} == {
        name: variables[name] for name in (*passed, "GREETING")
    }
    assert set(variables) <= {
        *("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "SHELL", "TMPDIR"),
        *("PWD", "OLDPWD", "SHLVL", "_", "GREETING", "HEARTBEAT_COMMAND"),
        *(name for name in variables if name.startswith("LC_")),
    }


def test_a_value_of_a_variable_is_never_code(tmp_path: Path) -> None:
    hostile = "$(touch hit) `touch hit`; touch hit \"'\n"
    ending = run('printf %s "$VALUE"', tmp_path, VALUE=hostile)
    assert ending.output == hostile
    assert not (tmp_path / "hit").exists()


def test_a_lock_that_we_hold_stays_out_of_what_a_command_starts(tmp_path: Path) -> None:
    """Even one that somebody made inheritable; without the guard a grandchild holds the lock
    after us."""
    lock = tmp_path / "lock"
    line = "ls -l /proc/self/fd"
    with open(lock, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        os.set_inheritable(held.fileno(), True)
        bare = subprocess.run(
            ["/bin/sh", "-c", line], close_fds=False, capture_output=True, text=True
        ).stdout
        ending = run(line, tmp_path)
    assert str(lock) in bare
    assert str(lock) not in ending.output
    numbers = {int(row.split(" -> ")[0].split()[-1]) for row in ending.output.splitlines()[1:]}
    assert numbers == {0, 1, 2, 3}  # 3 is the folder that ls lists


def test_it_starts_in_its_folder_in_a_session_of_its_own(tmp_path: Path) -> None:
    folder, session, shell = run("pwd; ps -o sid= -p $$; echo $$", tmp_path).output.split()
    assert (folder, session) == (str(tmp_path.resolve()), shell)


def test_our_input_is_not_its_input(tmp_path: Path) -> None:
    ours = os.dup(0)
    reading, writing = os.pipe()
    try:
        os.write(writing, b"meant for us\n")
        os.dup2(reading, 0)
        ending = run("head -n 1", tmp_path)
    finally:
        os.dup2(ours, 0)
        for descriptor in (ours, reading, writing):
            os.close(descriptor)
    assert (ending.exit_code, ending.output) == (0, "")


def test_what_is_still_in_the_pipe_when_it_ends_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command widens its pipe, fills it, and has ended before we read for the first time."""

    def open_pidfd_late(pid: int) -> int | None:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        return open_pidfd(pid)

    monkeypatch.setattr(processes, "open_pidfd", open_pidfd_late)
    program = "import fcntl, os; fcntl.fcntl(1, 1031, 1 << 20); os.write(1, b'x' * 600_000)"
    ending = run(f'exec {sys.executable} -c "{program}"', tmp_path)
    assert (ending.exit_code, len(ending.output)) == (0, 600_000)


def test_a_signal_that_we_ignore_is_not_ignored_by_it(tmp_path: Path) -> None:
    """Python ignores PIPE; a command that inherited that would write for ever into a closed
    pipe."""
    assert run("yes | head -n 1", tmp_path).output == "y\n"


def test_ended_by_a_signal_the_exit_code_is_the_one_that_a_shell_reports(tmp_path: Path) -> None:
    direct = run("kill -9 $$", tmp_path)
    below = run("sh -c 'kill -9 $$'; exit $?", tmp_path)
    assert (direct.exit_code, below.exit_code) == (137, 137)


@pytest.mark.parametrize(
    ("line", "folder", "says"),
    [
        ("true", "missing", "The folder"),
        ("true", "file", "The folder"),
        ("echo \0", ".", "NUL"),
        ("x" * 200_000, ".", "put it into a script"),
    ],
)
def test_what_cannot_be_started_says_why_in_a_sentence(
    line: str, folder: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    before = open_descriptors()
    ending = run(line, tmp_path / folder)
    assert ending.how is How.COULD_NOT_START
    assert says in ending.output
    assert ending.output.endswith(".")
    assert "\n" not in ending.output
    assert open_descriptors() - before == set()


def test_interrupted_while_it_runs_the_command_is_ended_before_the_interrupt_goes_on(
    tmp_path: Path,
) -> None:
    begun = tmp_path / "begun"
    os.mkfifo(begun)

    class Interrupting:
        """A clock that is interrupted at the first look after the start, as by Ctrl-C."""

        looks = 0
        shell = ""

        def __call__(self) -> float:
            self.looks += 1
            if self.looks == 2:
                self.shell = begun.read_text().strip()  # waits until the command has begun
                raise KeyboardInterrupt
            return time.monotonic()

    clock = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        SystemProcesses(clock).run(
            Command("echo $$ > begun; echo on; exec sleep 1000", tmp_path, LONG)
        )
    assert clock.shell
    assert not Path(f"/proc/{clock.shell}").exists()
