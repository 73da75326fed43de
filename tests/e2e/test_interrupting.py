"""Ctrl-C on `heartbeat run`, typed at a real terminal: once ends it cleanly, twice at once."""

import time

import pytest

from tests.e2e.machine import Machine, action, alive, wait_for
from tests.e2e.terminal import CTRL_C, terminal

INTERRUPTED = "it was stopped before it finished"


def test_the_first_ctrl_c_ends_the_running_action_cleanly_and_starts_no_other(
    machine: Machine,
) -> None:
    polite = "trap 'touch cleaned; exit' TERM; echo $$ > began; while :; do sleep 0.05; done"
    machine.write(action("long", polite), action("next", "touch next"))
    with terminal(machine, "run") as screen:
        wait_for(lambda: machine.lines("began"), "the action")
        screen.type(CTRL_C)
        screen.see("Stopping cleanly")
        assert screen.end() == 1
        assert INTERRUPTED in screen.shown
    assert (machine.workspace / "cleaned").exists()
    assert not (machine.workspace / "next").exists()
    assert [(one["id"], one["outcome"]) for one in machine.json("history")["occurrences"]] == [
        ("long", "interrupted")
    ]
    assert f"**error**: {INTERRUPTED}" in machine.text()
    assert [item["decision"] for item in machine.json("plan")["items"]] == ["skip", "run"]


def test_the_first_ctrl_c_also_ends_a_command_that_ignores_signals(machine: Machine) -> None:
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
    "one that left its group": (
        "trap '' TERM; setsid sh -c 'echo $$ > began; while :; do sleep 0.05; done'; wait"
    ),
}


@pytest.mark.parametrize("command", STUBBORN.values(), ids=STUBBORN.keys())
def test_the_second_ctrl_c_ends_at_once_and_kills_a_command_that_ignores_signals(
    machine: Machine, command: str
) -> None:
    machine.write(action("long", command))
    with terminal(machine, "run") as screen:
        wait_for(lambda: machine.lines("began"), "the action")
        screen.type(CTRL_C)
        screen.see("Stopping cleanly")
        again = time.monotonic()
        screen.type(CTRL_C)
        screen.end()
        assert time.monotonic() - again < 2
    wait_for(
        lambda: not alive(int(machine.lines("began")[0])),
        "the command to be gone, with nobody's help",
    )
    recovered = machine.heartbeat("run")
    assert recovered.code == 1
    assert "✗ interrupted  long: interrupted: Heartbeat ended while it ran" in recovered.out
    assert machine.json("history")["occurrences"][0]["outcome"] == "interrupted"
    assert "RUNNING" not in machine.text()
