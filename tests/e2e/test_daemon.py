"""`heartbeat daemon`, the always-on process, as a person has it: it starts what is due and stays
out of the way."""

import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from core.adapters.lock import FileLock
from core.model.holder import Holder, Purpose
from tests.e2e.machine import Machine, Running, action, alive, block, wait_for

SECONDLY = action("tick", "date +%s.%N >> ticks", "schedule: every:1s")


@pytest.fixture
def watched(machine: Machine) -> Machine:
    machine.witness_starts()
    return machine


def start(machine: Machine, *words: str) -> Running:
    """A resident that has made its first plan."""
    plans = len(machine.starts("plan"))
    daemon = machine.start("daemon", *words)
    daemon.wait_until_said("Watching")
    wait_for(lambda: len(machine.starts("plan")) > plans, "the first plan")
    wait_for(lambda: machine.json("status")["state"] != "stopped", "the resident")
    return daemon


def ran(machine: Machine) -> int:
    return len(machine.lines("ticks"))


def test_a_due_action_starts_by_itself_again_and_again_and_never_too_early(
    watched: Machine,
) -> None:
    watched.write(SECONDLY)
    with start(watched):
        wait_for(lambda: ran(watched) >= 6, "six runs", 30)
        occurrences = watched.json("history", "--limit", "100")["occurrences"]
    slots = sorted(datetime.fromisoformat(one["slot"]) for one in occurrences)
    assert len(set(slots)) == len(slots)
    assert all(later - earlier >= timedelta(seconds=1) for earlier, later in pairwise(slots))
    starts = [
        datetime.fromisoformat(one["started"]) - datetime.fromisoformat(one["slot"])
        for one in occurrences
    ]
    assert min(starts) >= timedelta()
    assert {one["outcome"] for one in occurrences} == {"completed"}
    assert watched.text().count("## Completed Today") == 1


def test_the_daemon_loads_no_parser_and_no_heavy_library(watched: Machine) -> None:
    watched.write(SECONDLY)
    (watched.workspace / "config.json").write_text('{"heartbeat": {"enabled": true}}')
    with start(watched) as daemon:
        wait_for(lambda: ran(watched) >= 2, "two beats")
        (watched.config / "config.toml").write_text('interval = "45m"\n')
        watched.file.write_text(watched.text() + "\nOne more line.\n")
        wait_for(lambda: len(watched.starts("plan")) >= 2, "a plan after a change")
        modules = watched.loaded_modules(daemon)
    assert "core.engine.resident" in modules
    heavy = {  # not subprocess and logging: watchdog loads them
        "asyncio",
        "pydantic",
        "yaml",
        "frontmatter",
        "click",
        "keyring",
        "email",
        "httpx",
        "PIL",
        "pystray",
        "rich",
    }
    assert modules & heavy == set()
    readers = (
        "core.rules.reading",
        "core.rules.settings",
        "core.rules.writing",
        "core.agent",
        "core.engine.beat",
        "tray_app.cli",
    )
    assert [name for name in modules if name.startswith(readers)] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_an_idle_daemon_at_once_with_exit_code_zero(
    watched: Machine, number: signal.Signals
) -> None:
    watched.write(action("later", "true", "schedule: daily:03:00"))
    with start(watched) as daemon:
        wait_for(lambda: not alive(watched.starts("plan")[-1].pid), "its first plan to end")
        before = time.monotonic()
        assert daemon.end(number) == 0
        assert time.monotonic() - before < 2
        assert "Traceback" not in daemon.said()
    assert watched.json("status")["state"] == "stopped"


def test_a_second_one_says_so_and_ends_with_zero(watched: Machine) -> None:
    watched.write(action("later", "true", "schedule: daily:03:00"))
    with start(watched) as daemon:
        done = watched.heartbeat("daemon")
        assert (done.code, done.err) == (
            0,
            f"Heartbeat is already running for {watched.workspace} (pid {daemon.pid}).\n",
        )
        assert watched.json("status")["state"] == "idle"


def test_a_pause_stops_everything_and_survives_a_restart(watched: Machine) -> None:
    watched.write(SECONDLY)
    with start(watched):
        wait_for(lambda: ran(watched) >= 1, "a run")
        watched.heartbeat("pause", "1h")
        # a beat that is running goes on to its end
        wait_for(lambda: watched.json("status")["state"] == "paused", "the pause")
    wait_for(lambda: watched.json("status")["state"] == "stopped", "the end")
    count, beats = ran(watched), len(watched.starts("beat"))
    with start(watched) as daemon:
        assert watched.json("status")["state"] == "paused"
        watched.file.write_text(
            watched.text() + "\nOne more line.\n"
        )  # plans go on, so that nothing is missed
        wait_for(lambda: len(watched.starts("plan")) >= 3, "a plan")
        assert (ran(watched), len(watched.starts("beat"))) == (count, beats)
        assert watched.heartbeat("run").code == 0  # the person may always
        assert ran(watched) == count + 1
        watched.heartbeat("resume")
        wait_for(lambda: ran(watched) > count + 2, "runs again")
        assert watched.json("history", "--limit", "1")["occurrences"][0]["outcome"] == "completed"
        assert daemon.end() == 0


def test_a_pause_ends_by_itself(watched: Machine) -> None:
    watched.write(SECONDLY)
    until = datetime.fromisoformat(watched.json("pause", "2s")["until"])
    with start(watched):
        wait_for(lambda: ran(watched) >= 1, "a run")
    assert float(watched.lines("ticks")[0]) >= until.timestamp()


def test_nothing_starts_by_itself_while_disabled_and_a_change_of_that_is_noticed(
    watched: Machine,
) -> None:
    watched.write(SECONDLY)
    settings = watched.workspace / "config.json"
    settings.write_text('{"heartbeat": {"enabled": false}}')
    with start(watched):
        watched.file.write_text(watched.text() + "\nOne more line.\n")
        wait_for(lambda: len(watched.starts("plan")) >= 2, "a plan")
        assert watched.json("status")["next_beat"] is None
        assert watched.starts("beat") == []
        assert watched.heartbeat("run").code == 0
        assert ran(watched) == 1
        settings.write_text('{"heartbeat": {"enabled": true}}')
        wait_for(lambda: ran(watched) > 1, "runs by itself")


def test_a_startup_action_runs_once_per_start(watched: Machine) -> None:
    watched.write(action("hello", "echo x >> hello", "schedule: startup"), SECONDLY)
    for count in (1, 2):
        before = ran(watched)
        with start(watched) as daemon:
            wait_for(lambda at_least=before + 2: ran(watched) >= at_least, "two beats")  # type: ignore[misc]
            assert daemon.end() == 0
        assert watched.lines("hello") == ["x"] * count


def test_a_beat_in_a_terminal_delays_the_daemon_only_while_it_lasts(watched: Machine) -> None:
    long = action(
        "long", "touch began; while ! test -e go; do sleep 0.05; done", "schedule: daily:03:00"
    )
    watched.write(SECONDLY, long)
    with start(watched) as daemon:
        wait_for(lambda: ran(watched), "a beat of the resident's")
        run = wait_for(
            lambda: begun(watched, watched.start("run", "long")),
            "a beat between two of the resident's",
        )
        wait_for(lambda: time.time() - watched.starts("beat")[-1].at > 2, "the resident to rest")
        count = ran(watched)
        (watched.workspace / "go").touch()
        assert run.process.wait(20) == 0
        wait_for(lambda: ran(watched) > count, "a run right after it", seconds=15)
        assert daemon.process.poll() is None


def begun(machine: Machine, run: Running) -> Running | None:
    """The beat, once its action has begun; None where it met another beat."""
    wait_for(
        lambda: (machine.workspace / "began").exists() or run.process.poll() is not None, "the beat"
    )
    return run if run.process.poll() is None else None


def test_run_now_waits_for_a_beat_in_a_terminal_and_is_not_lost(watched: Machine) -> None:
    long = action(
        "long", "touch began; while ! test -e go; do sleep 0.05; done", "schedule: daily:03:00"
    )
    watched.write(action("task", "echo x >> asked", "schedule: daily:03:00"), long)
    with start(watched) as daemon, watched.start("run", "long", log="run.log") as run:
        wait_for((watched.workspace / "began").exists, "the long beat")
        ask(watched, daemon, "task")
        wait_for(lambda: watched.starts("beat"), "a try")
        wait_for(lambda: watched.ledger().requests.run_requested(), "the request to come back")
        (watched.workspace / "go").touch()
        assert run.process.wait(20) == 0
        wait_for(lambda: watched.lines("asked"), "what was asked for", seconds=15)
        assert watched.lines("asked") == ["x"]


def ask(machine: Machine, daemon: Running, item: str) -> None:
    """As the tray's "Run now" does."""
    machine.ledger().requests.request_run((item,), datetime.now(UTC))
    daemon.process.send_signal(signal.SIGUSR1)


def test_a_run_that_meets_a_plan_waits_for_it(machine: Machine) -> None:
    """A plan follows every save, and a save is just when people run a beat; it is over in a
    moment."""
    machine.write(action("one", "echo x >> one"))
    folders_of(machine)
    with a_plan_for_a_moment(machine):
        done = machine.heartbeat("run")
    assert (done.code, machine.lines("one")) == (0, ["x"])


def test_an_undo_that_meets_a_plan_waits_for_it(machine: Machine) -> None:
    lines = ("type: file", "operation: write", "path: one", "content: x")
    machine.write(block("one", *lines))
    machine.heartbeat("run")
    assert machine.lines("one") == ["x"]
    with a_plan_for_a_moment(machine):
        done = machine.heartbeat("undo")
    assert (done.code, machine.lines("one")) == (0, [])


@contextmanager
def a_plan_for_a_moment(machine: Machine) -> Iterator[None]:
    """A plan has the lock, and is over before the block is."""
    held = FileLock(machine.state / "lock").acquire(Purpose.PLAN, datetime.now(UTC))
    assert not isinstance(held, Holder)
    over = threading.Timer(1.5, held.release)
    over.start()
    yield
    assert over.finished.is_set()


def folders_of(machine: Machine) -> Path:
    """The state folder, which the first command that writes something makes."""
    machine.heartbeat("pause", "1s")
    return machine.state


# -- another machine -------------------------------------------------------------------------------


def name_other_machine(machine: Machine) -> None:
    owner = machine.workspace / ".heartbeat" / "owner.json"
    owner.parent.mkdir(exist_ok=True)
    now = datetime.now(UTC).isoformat()
    owner.write_text(json.dumps({"machine": "f" * 32, "name": "the-laptop", "since": now}))


def test_a_workspace_of_another_machine_is_left_to_it_until_taken_over(watched: Machine) -> None:
    watched.write(SECONDLY)
    name_other_machine(watched)
    done = watched.heartbeat("daemon")
    assert (done.code, done.out) == (2, "")
    assert "This workspace is run by the-laptop" in done.err
    assert "heartbeat daemon --take-over" in done.err
    assert ran(watched) == 0
    with start(watched, "--take-over"):
        wait_for(lambda: ran(watched) >= 1, "a run")
    owner = json.loads((watched.workspace / ".heartbeat" / "owner.json").read_text())
    assert owner["machine"] == (watched.states / "machine-id").read_text().strip()


def test_when_another_machine_takes_over_nothing_starts_here_until_it_is_taken_back(
    watched: Machine,
) -> None:
    watched.write(SECONDLY)
    with start(watched) as daemon:
        wait_for(lambda: ran(watched) >= 1, "a run")
        name_other_machine(watched)
        daemon.wait_until_said(
            "the-laptop has taken this workspace over; nothing starts here any more."
        )
        wait_for(lambda: watched.json("status")["state"] == "idle", "the beat that was running")
        count = ran(watched)
        watched.file.write_text(watched.text() + "\nOne more line.\n")
        assert watched.heartbeat("daemon", "--take-over").code == 0
        wait_for(lambda: ran(watched) > count, "runs again")
        daemon.wait_until_said("This machine runs the workspace again.")
        assert daemon.said().count("taken this workspace over") == 1
