"""While something runs, a person sees which item, since when and its last line: in `status`, in the
terminal of the beat, and in what a second `run` says."""

import re
from datetime import datetime
from typing import Any

from tests.e2e.machine import Machine, action, wait_for
from tests.e2e.terminal import terminal

# It prints two lines and part of a third, and then waits for the test.
CHATTY = (
    "echo copied 1 of 3; printf 'copied 2 of 3\\ncopied 3'; until test -e go; do sleep 0.05; done"
)
SECOND = "copied 2 of 3"
WAITS = "until test -e go; do sleep 0.05; done"


def last_line(machine: Machine) -> dict[str, Any] | None:
    """The answer of `status`, once it has the last whole line."""
    found: dict[str, Any] = machine.json("status")
    items = found["running"]["items"] if found["running"] else []
    return found if [one["last_line"] for one in items] == [SECOND] else None


def test_status_says_what_runs_since_when_and_what_it_printed_last(machine: Machine) -> None:
    machine.write(action("backup", CHATTY))
    with machine.start("run") as beat:
        found = wait_for(lambda: last_line(machine), "the last line")
        assert found["state"] == "running"
        assert found["running"]["beat"] == 1
        (item,) = found["running"]["items"]
        assert item["id"] == "backup"
        assert datetime.fromisoformat(found["running"]["since"]) <= datetime.fromisoformat(
            item["since"]
        )
        words = machine.heartbeat("status").out
        assert re.search(
            r"  a beat is running\n"
            r"    backup, running since \d\d:\d\d:\d\d \(.+\): copied 2 of 3\n",
            words,
        ), words
        (machine.workspace / "go").touch()
        assert beat.process.wait(30) == 0
    assert machine.json("status")["running"] is None
    assert list((machine.state / "running").iterdir()) == []


def test_the_terminal_of_a_beat_shows_the_last_line(machine: Machine) -> None:
    machine.write(action("backup", CHATTY))
    with terminal(machine, "run") as screen:
        screen.see_pattern(r"… backup \d+ s: copied 2 of 3")
        (machine.workspace / "go").touch()
        assert screen.end() == 0
    assert "copied 3" in screen.shown


def test_a_background_action_is_seen_after_its_beat_has_ended(machine: Machine) -> None:
    machine.write(action("backup", CHATTY, priority="BG"))
    assert machine.heartbeat("run").code == 0
    found = wait_for(lambda: last_line(machine), "the last line")
    assert (found["state"], found["running"]["beat"]) == ("stopped", None)
    (machine.workspace / "go").touch()
    wait_for(lambda: machine.json("status")["running"] is None, "its end")


def test_a_background_action_that_has_failed_by_then_is_listed_and_makes_the_run_fail(
    machine: Machine,
) -> None:
    machine.write(action("bad", "exit 3", priority="BG"), action("a", WAITS))
    with machine.start("run") as beat:
        wait_for(lambda: has_failed(machine, "bad"), "the end of it")
        (machine.workspace / "go").touch()
        assert beat.process.wait(30) == 1
        assert "failed  bad" in beat.said()


def has_failed(machine: Machine, item: str) -> bool:
    found = machine.json("history", item)["occurrences"]
    return [one["outcome"] for one in found] == ["failed"]


def test_a_background_action_that_still_runs_is_told_at_the_end_of_the_run(
    machine: Machine,
) -> None:
    machine.write(action("backup", CHATTY, priority="BG"))
    done = machine.heartbeat("run")
    assert (done.code, done.err) == (0, "")
    assert "backup still runs in the background (heartbeat history shows how it ends)\n" in done.out
    (machine.workspace / "go").touch()
    wait_for(lambda: machine.json("status")["running"] is None, "its end")
