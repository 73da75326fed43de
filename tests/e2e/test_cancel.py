"""`heartbeat cancel` ends the running beat, whoever started it, and nothing else."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, action, alive, wait_for

POLITE = "trap 'touch cleaned; exit' TERM; echo $$ > began; while :; do sleep 0.05; done"
LEFT_ITS_GROUP = "setsid sh -c 'echo $$ > began; exec sleep 600'; wait"


def pid_of_command(machine: Machine) -> int:
    return int(wait_for(lambda: machine.lines("began"), "the command")[0])


def outcomes(machine: Machine) -> list[tuple[str, str]]:
    return [(one["id"], one["outcome"]) for one in machine.json("history")["occurrences"]]


def test_where_no_beat_runs_it_says_so(machine: Machine) -> None:
    machine.write(action("one", "true"))
    done = machine.heartbeat("cancel")
    assert (done.code, done.out) == (0, "No beat is running.\n")
    assert machine.json("cancel") == {"ended": []}


def test_what_runs_in_the_background_goes_on_and_is_named(machine: Machine) -> None:
    machine.write(
        action("sync", "echo $$ > began; until test -e go; do sleep 0.05; done", priority="BG")
    )
    assert machine.heartbeat("run").code == 0
    pid = pid_of_command(machine)
    done = machine.heartbeat("cancel")
    expected = "No beat is running. In the background, and going on: sync.\n"
    assert (done.code, done.out) == (0, expected)
    assert alive(pid)
    (machine.workspace / "go").touch()
    wait_for(lambda: not alive(pid), "its end")


def test_a_beat_of_another_terminal_is_ended_cleanly(machine: Machine) -> None:
    machine.write(action("long", POLITE), action("next", "touch next"))
    with machine.start("run") as beat:
        command = pid_of_command(machine)
        done = machine.heartbeat("cancel")
        assert done.code == 0, done
        assert re.fullmatch(
            rf"Ended beat 1 \(pid {beat.pid}, since \d\d:\d\d:\d\d\): long\.\n", done.out
        ), done.out
        assert beat.process.wait(1) == 1  # it has ended before `cancel` says so
    assert (machine.workspace / "cleaned").exists()
    assert not alive(command)
    assert not (machine.workspace / "next").exists()
    assert outcomes(machine) == [("long", "interrupted")]
    assert "**status**: FAILED" in machine.text()


@pytest.mark.parametrize("command", [POLITE, LEFT_ITS_GROUP])
def test_a_beat_of_the_resident_is_ended_and_not_begun_again(
    machine: Machine, command: str
) -> None:
    machine.write(action("long", command), action("next", "touch next"))
    with machine.start("daemon") as resident:
        pid = pid_of_command(machine)
        (ended,) = machine.json("cancel")["ended"]
        assert (ended["beat"], ended["items"], ended["killed"]) == (1, ["long"], False)
        assert not alive(pid)
        wait_for(lambda: machine.json("status")["state"] != "running", "the resident to see it")
        assert outcomes(machine) == [("long", "interrupted")]
        assert not (machine.workspace / "next").exists()
        assert machine.json("cancel") == {"ended": []}
        assert resident.end() == 0
        assert "problem" not in resident.said()


def test_a_stopped_beat_is_ended_too(machine: Machine) -> None:
    machine.write(action("long", POLITE))
    with machine.start("run") as beat:
        command = pid_of_command(machine)
        beat.process.send_signal(signal.SIGSTOP)
        (ended,) = machine.json("cancel")["ended"]
        assert ended["pid"] == beat.pid
        beat.process.wait(30)
    assert not alive(command)
    machine.heartbeat("run")
    assert outcomes(machine)[0] == ("long", "interrupted")


DEAF = """
import signal, sys
signal.signal = lambda *_: None
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
from tray_app.cli.main import main
sys.argv = ["heartbeat", "run"]
main()
"""


def test_a_beat_that_does_not_answer_is_killed_with_its_command(machine: Machine) -> None:
    machine.write(action("long", LEFT_ITS_GROUP))
    machine.approve()
    beat = subprocess.Popen(
        [sys.executable, "-c", DEAF], cwd=machine.workspace, env=machine.environment
    )
    try:
        command = pid_of_command(machine)
        done = machine.heartbeat("cancel")
        assert done.code == 0, done
        assert "did not answer, so it was killed" in done.out
        assert beat.wait(30) == -signal.SIGKILL
    finally:
        beat.kill()
        beat.wait()
    wait_for(lambda: not alive(command), "the command to be gone")
    assert machine.heartbeat("run").code == 1
    assert outcomes(machine) == [("long", "interrupted")]
    assert "RUNNING" not in machine.text()


def stranger(machine: Machine, began: str | None) -> subprocess.Popen[bytes]:
    """A process that is not ours; the lock is held, and its name is that of the stranger."""
    machine.heartbeat("run")
    process = subprocess.Popen(["sleep", "600"])
    path = machine.state / "lock"
    name = {"pid": process.pid, "since": "2026-11-16T09:00:00+00:00", "purpose": "beat"}
    known = f', "began": "{began}"}}' if began else "}"
    path.write_text(str(name).replace("'", '"')[:-1] + known)
    return process


def test_a_process_that_only_has_the_number_of_a_beat_is_never_touched(machine: Machine) -> None:
    machine.write(action("one", "true"))
    process = stranger(machine, began="1")
    try:
        with hold(machine.state / "lock"):
            assert machine.json("cancel") == {"ended": []}
            assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def test_without_that_record_the_same_process_would_be_ended(machine: Machine) -> None:
    """The twin of the test above: it shows that the record is what protects the stranger."""
    machine.write(action("one", "true"))
    process = stranger(machine, began=None)
    try:
        with hold(machine.state / "lock"):
            assert [one["pid"] for one in machine.json("cancel")["ended"]] == [process.pid]
            assert process.wait(30) == -signal.SIGTERM
    finally:
        process.kill()
        process.wait()


class hold:  # noqa: N801 - it reads like a function
    """Another process holds the lock and has not written its own name yet."""

    def __init__(self, path: Path) -> None:
        program = (
            "import fcntl, sys; file = open(sys.argv[1], 'r+'); "
            "fcntl.flock(file, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", program, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> None:
        assert self._process.stdout
        assert self._process.stdout.readline() == b"held\n"

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
