"""What a person sees while a beat runs: one line that counts the seconds on a terminal, plain
lines elsewhere."""

import re

from tests.e2e.machine import Machine, action
from tests.e2e.terminal import terminal


def test_on_a_terminal_what_runs_is_shown_with_the_seconds_it_has_taken(machine: Machine) -> None:
    machine.write(action("slow", "while ! test -e go; do sleep 0.05; done; echo well done"))
    with terminal(machine, "run") as screen:
        screen.see("… slow 0 s")
        screen.see_pattern(r"… slow [1-9]\d* s")
        (machine.workspace / "go").touch()
        assert screen.end() == 0
    assert "well done" in screen.shown


def test_without_a_terminal_there_is_one_plain_line_per_item(machine: Machine) -> None:
    machine.write(action("one", "echo hello"))
    machine.approve()
    done = machine.heartbeat("run")
    assert re.fullmatch(r"  ✓ completed  one \(\d+\.\d s\): hello\n", done.err)
    assert "\x1b" not in done.err + done.out
