"""However many beats are started at once, one runs and the others say which one is running."""

import os
import re
import resource
import signal
import subprocess
import time

from tests.e2e.machine import COMMAND, Machine, action, alive, wait_for

BEATS = 50
GATE = "while ! test -e {}; do sleep 0.02; done"


def test_of_fifty_beats_started_at_once_one_runs_and_the_others_say_who(machine: Machine) -> None:
    machine.write(action("one", f"echo x >> ran; {GATE.format('others_done')}"))
    machine.approve()
    beats = [start(machine, f"{GATE.format('go')}; exec {COMMAND} run") for _ in range(BEATS)]
    (machine.workspace / "go").touch()
    wait_for(lambda: sum(beat.poll() is None for beat in beats) == 1, "all but one to end", 60)
    (runner,) = (beat for beat in beats if beat.poll() is None)
    (machine.workspace / "others_done").touch()
    messages = {beat.communicate(timeout=30)[1] for beat in beats if beat is not runner}
    runner.communicate(timeout=30)
    assert runner.returncode == 0
    assert [beat.returncode for beat in beats if beat is not runner] == [3] * (BEATS - 1)
    for message in messages:  # all name the same holder; some came before it began with `one`
        assert re.fullmatch(
            rf"heartbeat: A beat is already running \(pid {runner.pid}, since \d\d:\d\d:\d\d\)"
            r"(: one)?\.\n  Try again when it is done, or end it: heartbeat cancel\n",
            message,
        ), message
    assert machine.lines("ran") == ["x"]


def start(machine: Machine, line: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["sh", "-c", line],
        cwd=machine.workspace,
        env=machine.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_beat_that_finds_another_gives_up_sooner_than_one_that_runs(machine: Machine) -> None:
    """Measured in processor time, which does not depend on how busy the machine is, and within
    a second of it."""
    machine.write(action("one", f"touch began; {GATE.format('go')}"))
    with machine.start("run") as beat:
        wait_for((machine.workspace / "began").exists, "the beat")
        before = cpu_of_children()
        done = machine.heartbeat("run")
        refused = cpu_of_children() - before
        assert done.code == 3
        answer = machine.json("run", code=3)
        assert set(answer["error"]) == {"message", "hint"}
        assert f"pid {beat.pid}" in answer["error"]["message"]
        assert answer["error"]["message"].endswith("): one.")
        (machine.workspace / "go").touch()
        assert beat.process.wait(20) == 0
    before = cpu_of_children()
    machine.heartbeat("run", "one")
    assert refused < 1.1 * (cpu_of_children() - before)
    assert refused < 1.0


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_after_kill_nine_the_next_beat_starts_at_once(machine: Machine) -> None:
    machine.write(
        action("one", "echo $$ > one; exec sleep 300"),
        action("two", "echo x >> two", priority="LOW"),
    )
    with machine.start("run") as beat:
        wait_for(lambda: machine.lines("one"), "the beat")
        assert machine.heartbeat("run").code == 3
        os.kill(beat.pid, signal.SIGKILL)
        beat.process.wait(5)
        assert machine.json("status")["state"] == "stopped"
        before = time.monotonic()
        done = machine.heartbeat("run")
        assert time.monotonic() - before < 10
    assert done.code == 1
    assert "✗ interrupted  one: interrupted: Heartbeat ended" in done.out
    assert "✓ two" in done.err
    assert machine.lines("two") == ["x"]
    assert not alive(int(machine.lines("one")[0]))
