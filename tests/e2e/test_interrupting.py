"""Ctrl-C on `heartbeat run`, typed at a real terminal: once ends it cleanly, twice at once."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from tests.e2e.machine import COMMAND, Machine, action, alive, wait_for

CTRL_C = b"\x03"
INTERRUPTED = "it was ended before it was done"


class Terminal:
    """A terminal in which one command runs."""

    def __init__(self, keyboard: int, process: subprocess.Popen[bytes]) -> None:
        self._keyboard = keyboard
        self.process = process
        self.shown = ""

    def type(self, keys: bytes) -> None:
        os.write(self._keyboard, keys)

    def see(self, words: str) -> None:
        wait_for(lambda: words in self._look(), f"'{words}' in: {self.shown}")

    def end(self) -> int:
        """The exit code, when the command has ended."""
        while self.process.poll() is None:
            self._look()  # a full screen would hold it up
        self._look()
        return self.process.returncode

    def _look(self) -> str:
        if select.select([self._keyboard], [], [], 0.02)[0]:
            with suppress(OSError):  # the other side is closed
                self.shown += os.read(self._keyboard, 65536).decode()
        return self.shown


@contextmanager
def terminal(machine: Machine, *words: str) -> Iterator[Terminal]:
    machine.approve()
    machine.approve()
    keyboard, screen = pty.openpty()
    process = subprocess.Popen(
        ["setsid", "--ctty", "--wait", COMMAND, *words],
        cwd=machine.workspace,
        env=machine.environment,
        stdin=screen,
        stdout=screen,
        stderr=screen,
    )
    os.close(screen)
    try:
        yield Terminal(keyboard, process)
    finally:
        process.kill()
        process.wait()
        os.close(keyboard)


def test_once_ends_the_running_action_cleanly_and_starts_no_other(machine: Machine) -> None:
    polite = "trap 'touch cleaned; exit' TERM; echo $$ > began; while :; do sleep 0.05; done"
    machine.write(action("long", polite), action("next", "touch next"))
    with terminal(machine, "run") as screen:
        wait_for(lambda: machine.lines("began"), "the action")
        screen.type(CTRL_C)
        screen.see("Ending cleanly")
        assert screen.end() == 1
        assert INTERRUPTED in screen.shown
    assert (machine.workspace / "cleaned").exists()
    assert not (machine.workspace / "next").exists()
    assert [(one["id"], one["outcome"]) for one in machine.json("history")["occurrences"]] == [("long", "interrupted")]
    assert f"**error**: {INTERRUPTED}" in machine.text()
    assert [item["decision"] for item in machine.json("plan")["items"]] == ["skip", "run"]


def test_once_ends_also_a_command_that_will_not(machine: Machine) -> None:
    machine.write(action("long", "trap '' TERM; echo $$ > began; while :; do sleep 0.05; done"))
    with terminal(machine, "run") as screen:
        wait_for(lambda: machine.lines("began"), "the action")
        began = time.monotonic()
        screen.type(CTRL_C)
        assert screen.end() == 1
        assert time.monotonic() - began < 8
    assert not alive(int(machine.lines("began")[0]))
    assert machine.json("history")["occurrences"][0]["outcome"] == "interrupted"


STUBBORN = {
    "a shell": "trap '' TERM; echo $$ > began; while :; do sleep 0.05; done",
    "one that left its group": "trap '' TERM; setsid sh -c 'echo $$ > began; while :; do sleep 0.05; done'; wait",
}


@pytest.mark.parametrize("command", STUBBORN.values(), ids=STUBBORN.keys())
def test_twice_ends_at_once_with_a_command_that_will_not(machine: Machine, command: str) -> None:
    machine.write(action("long", command))
    with terminal(machine, "run") as screen:
        wait_for(lambda: machine.lines("began"), "the action")
        screen.type(CTRL_C)
        screen.see("Ending cleanly")
        again = time.monotonic()
        screen.type(CTRL_C)
        screen.end()
        assert time.monotonic() - again < 2
    wait_for(lambda: not alive(int(machine.lines("began")[0])), "the command to be gone, with nobody's help")
    recovered = machine.heartbeat("run")
    assert recovered.code == 1
    assert "✗ long: interrupted: Heartbeat ended while it ran" in recovered.out
    assert machine.json("history")["occurrences"][0]["outcome"] == "interrupted"
    assert "RUNNING" not in machine.text()
