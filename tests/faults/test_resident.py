"""What goes wrong around the always-on process: it ends cleanly, backs off, says so once, and
goes on."""

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from core.adapters.processes.tree import children_of
from tests.e2e.machine import COMMAND, Machine, action, alive, wait_for

SECONDLY = action("tick", "echo x >> ticks", "schedule: every:1s")
LATER = action("later", "true", "schedule: daily:03:00")
CRON = action("new_year", "true", "schedule: cron:'0 0 1 1 *'")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.witness_starts()
    return machine


def ran(machine: Machine) -> int:
    return len(machine.lines("ticks"))


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


# -- its end in the middle of a beat ---------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_ended_during_a_beat_it_lets_the_command_clean_up_and_records_it_as_interrupted(
    machine: Machine, number: signal.Signals
) -> None:
    machine.write(
        action("long", "trap 'touch cleaned; exit' TERM; touch began; while :; do sleep 0.05; done")
    )
    with machine.start("daemon") as daemon:
        wait_for((machine.workspace / "began").exists, "the beat")
        before = time.monotonic()
        assert daemon.end(number) == 0
        assert time.monotonic() - before < 5
    assert (machine.workspace / "cleaned").exists()
    assert_interrupted(machine, "it was stopped before it finished")


def test_ended_during_a_beat_it_kills_a_command_that_ignores_the_signal(machine: Machine) -> None:
    machine.write(action("long", "trap '' TERM; echo $$ > began; while :; do sleep 0.05; done"))
    with machine.start("daemon") as daemon:
        wait_for(lambda: machine.lines("began"), "the beat")
        before = time.monotonic()
        assert daemon.end() == 0
        assert time.monotonic() - before < 12
    assert not alive(int(machine.lines("began")[0]))
    assert_interrupted(machine, "it was stopped before it finished")


def test_a_beat_that_hangs_is_ended_after_ten_seconds(machine: Machine) -> None:
    machine.write(action("long", "echo $$ > began; exec sleep 300"))
    with machine.start("daemon") as daemon:
        wait_for(lambda: machine.lines("began"), "the beat")
        beat = machine.starts("beat")[0].pid
        os.kill(beat, signal.SIGSTOP)
        before = time.monotonic()
        assert daemon.end(seconds=20) == 0
        assert 9 < time.monotonic() - before < 12
        assert not alive(beat)
    with machine.start("daemon"):
        wait_for(
            lambda: machine.json("history")["occurrences"][0]["outcome"] == "interrupted",
            "recovery",
        )
        wait_for(lambda: not alive(int(machine.lines("began")[0])), "the command that was left")
    assert_interrupted(
        machine, "interrupted: Heartbeat ended while it ran, so it is not known how far it got"
    )


def assert_interrupted(machine: Machine, error: str) -> None:
    (one,) = machine.json("history")["occurrences"]
    assert (one["outcome"], one["error"]) == ("interrupted", error)
    assert f"- **error**: {error}\n" in machine.text()
    assert "RUNNING" not in machine.text()


@pytest.mark.parametrize("who", ["resident", "beat"])
def test_after_sigkill_the_next_one_starts_at_once_and_repeats_nothing(
    machine: Machine, who: str
) -> None:
    machine.write(
        action("long", "echo $$ >> began; exec sleep 300"), SECONDLY.replace("MEDIUM", "LOW")
    )
    with machine.start("daemon") as daemon:
        wait_for(lambda: "RUNNING" in machine.text(), "the beat to show what it does")
        beat = machine.starts("beat")[0].pid
        os.kill(daemon.pid if who == "resident" else beat, signal.SIGKILL)
        if who == "resident":
            daemon.process.wait(5)
            os.kill(beat, signal.SIGKILL)
            daemon = machine.start("daemon", log="second.log")
        with daemon:
            wait_for(lambda: ran(machine) >= 1, "the next beat")
            wait_for(lambda: "RUNNING" not in machine.text(), "the file to tell the truth")
    (command,) = machine.lines("began")
    wait_for(lambda: not alive(int(command)), "the command that was left")
    (one,) = machine.json("history", "long")["occurrences"]
    assert one["outcome"] == "interrupted"


def test_a_signal_during_the_start_is_handled_once_it_is_ready(machine: Machine) -> None:
    """A command's hint, sent to the holder of the lock, must not end it; a request to end must end
    it with 0."""
    machine.write(LATER)
    lock = wait_for_lock(machine)
    for number in (signal.SIGUSR1, signal.SIGTERM):
        lock.write_text("")
        with machine.start("daemon", log=f"{number}.log") as daemon:
            wait_for(lambda started=daemon: str(started.pid) in lock.read_text(), "the lock")  # type: ignore[misc]
            daemon.process.send_signal(number)
            if number == signal.SIGUSR1:
                daemon.wait_until_said("Watching")
                assert daemon.process.poll() is None
            else:
                assert daemon.process.wait(10) == 0


def wait_for_lock(machine: Machine) -> Path:
    with machine.start("daemon", log="first.log") as daemon:
        daemon.wait_until_said("Watching")
    return machine.state / "resident.lock"


# -- children that fail ----------------------------------------------------------------------------


def test_crashing_children_are_restarted_with_growing_delays_and_reported_once(
    machine: Machine,
) -> None:
    machine.write(SECONDLY, CRON)
    with broken_children(machine), machine.start("daemon") as daemon:
        wait_for(lambda: len(machine.starts("plan")) >= 4, "four tries", 90)
        assert daemon.said().count("The plan ended with exit code 70") == 1
        assert "Error: broken on purpose" in daemon.said()
        assert "Traceback" not in daemon.said()
        assert_growing_rests(machine)
    with machine.start("daemon", log="fixed.log") as daemon:
        wait_for(lambda: ran(machine) >= 1, "a run")
        daemon.wait_until_said("Beats work again.")


def assert_growing_rests(machine: Machine) -> None:
    """After each failure the resident rests twice as long. What is measured here also holds the
    time that the child itself took, which depends on what else the computer does: so this tests
    the shortest time that each rest may last, and tests/beats/test_residing_loop.py the exact one.
    """
    starts = [start.at for start in machine.starts("plan")]
    rests = [later - earlier for earlier, later in pairwise(starts)]
    assert rests[0] >= 1
    assert rests[1] >= 2
    assert rests[2] >= 4


@contextmanager
def broken_children(machine: Machine) -> Iterator[None]:
    """As after an update that went wrong: what only a child imports, for a `cron:` schedule,
    cannot be imported."""
    trap = Path(machine.environment["PYTHONPATH"]) / "cronsim.py"
    trap.write_text("raise RuntimeError('broken on purpose')\n")
    try:
        yield
    finally:
        trap.unlink()


def test_unreadable_settings_are_reported_once_and_a_fix_takes_effect_at_once(
    machine: Machine,
) -> None:
    machine.write(SECONDLY)
    machine.approve()
    machine.says_yes = False
    settings = machine.config / "config.toml"
    settings.write_text('intervall = "5m"\n')
    with machine.start("daemon") as daemon:
        wait_for(lambda: len(machine.starts("plan")) >= 4, "four tries", 90)
        assert_growing_rests(machine)
        assert daemon.said().count("`intervall` is not a setting. Did you mean `interval`?") == 1
        settings.write_text('interval = "5m"\n')
        wait_for(lambda: ran(machine) >= 1, "a run after the fix, not after the rest", seconds=7)
        daemon.wait_until_said("Beats work again.")


# -- the ledger, the watch, the clock --------------------------------------------------------------


def test_a_damaged_ledger_is_set_aside_and_it_goes_on(machine: Machine) -> None:
    machine.write(SECONDLY)
    with machine.start("daemon") as daemon:
        wait_for(lambda: ran(machine) >= 1, "a run")
        machine.heartbeat("pause")
        wait_for(lambda: machine.json("status")["state"] == "paused", "the pause")
        wait_for(lambda: not any(map(alive, children_of(daemon.pid))), "a quiet moment")
        spoil(machine.state / "ledger.db")
        count = ran(machine)
        machine.file.write_text(machine.text() + "\nOne more line.\n")
        wait_for(lambda: ran(machine) > count + 1, "runs again: the pause is forgotten", 30)
        assert "The ledger was damaged: it was moved to" in daemon.said()
        assert daemon.process.poll() is None
    assert len(list(machine.state.glob("ledger.db.corrupt-*"))) == 1


def spoil(ledger: Path) -> None:
    """A disk that returns something else than was written."""
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = ledger.stat().st_size
    with ledger.open("r+b") as file:
        file.write(os.urandom(size))


def test_a_ledger_that_another_program_locks_is_waited_for(machine: Machine) -> None:
    machine.write(SECONDLY)
    with machine.start("daemon") as daemon:
        wait_for(lambda: ran(machine) >= 1, "a run")
        with closing(sqlite3.connect(machine.state / "ledger.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            wait_for(
                lambda: "another program keeps it locked" in daemon.said(), "a word about it", 40
            )
            assert daemon.process.poll() is None
        count = ran(machine)
        wait_for(lambda: ran(machine) > count, "runs again", 40)
        assert daemon.said().count("another program keeps it locked") == 1


@pytest.mark.parametrize(
    ("calls", "error"),
    [("inotify_add_watch", "ENOSPC"), ("inotify_init,inotify_init1", "EMFILE")],
)
def test_where_folders_cannot_be_watched_it_says_so_and_goes_on(
    machine: Machine, calls: str, error: str
) -> None:
    """strace becomes a child of the daemon (-D), so what ends the daemon reaches the daemon."""
    machine.write(SECONDLY)
    strace = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}"]
    refuse = [*strace, "-e", f"inject={calls}:error={error}"]
    with machine.start("daemon", before=refuse) as daemon:
        daemon.wait_until_said("The system's limit for watching folders is reached")
        wait_for(lambda: ran(machine) >= 2, "runs all the same", 40)
        assert "max_user_watches" in daemon.said()
        assert daemon.end() == 0


def test_after_a_sleep_there_is_one_catch_up_beat(machine: Machine) -> None:
    """A stopped process is like a machine that slept: the moment of the next beat passes
    without it."""
    machine.write(SECONDLY)
    with machine.start("daemon") as daemon:
        wait_for(lambda: ran(machine) >= 1, "a run")
        wait_for(lambda: not alive(machine.starts("beat")[-1].pid), "the beat to end")
        daemon.process.send_signal(signal.SIGSTOP)
        wait_for(lambda: state_of(daemon.pid) == "T", "the daemon to stand still")
        wait_for(lambda: not any(map(alive, children_of(daemon.pid))), "the beat to end")
        count, slept = ran(machine), time.time()
        wait_for(lambda: time.time() - slept > 3.5, "some slots to pass")
        assert ran(machine) == count
        woken = time.time()
        daemon.process.send_signal(signal.SIGCONT)
        wait_for(lambda: ran(machine) > count, "the beat that makes up for it", 10)
        wait_for(lambda: ran(machine) > count + 2, "the beats after it")
        slots = sorted(
            datetime.fromisoformat(one["slot"]) for one in machine.json("history")["occurrences"]
        )
    asleep = [slot for slot in slots if slept < slot.timestamp() < woken]
    assert len(asleep) <= 1  # missed slots run once
    assert all(later - earlier >= timedelta(seconds=1) for earlier, later in pairwise(slots))


# -- who may run here ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["core", "json", "tray_app", "sqlite3", "select", "yaml", "cronsim"]
)
def test_a_file_of_the_workspace_is_never_taken_for_a_part_of_the_program(
    machine: Machine, name: str
) -> None:
    machine.write(SECONDLY)
    (machine.workspace / f"{name}.py").write_text("open('hijacked', 'w').close()\n")
    with machine.start("daemon") as daemon:
        wait_for(lambda: ran(machine) >= 1 or daemon.process.poll() is not None, "a run")
    assert not (machine.workspace / "hijacked").exists()
    assert ran(machine) >= 1


def test_the_command_becomes_the_always_on_process(machine: Machine) -> None:
    """The command turns into the always-on process: what a person started is what runs, under
    the same number."""
    machine.write(LATER)
    with machine.start("daemon") as daemon:
        daemon.wait_until_said("Watching")
        command = Path(f"/proc/{daemon.pid}/cmdline").read_bytes().split(b"\0")
        assert b"tray_app.resident" in command
        assert COMMAND.encode() not in command
