"""What a person asks for by hand is answered: what came of it, or why nothing did."""

import pytest

from tests.e2e.machine import Machine, action, wait_for, workspace_text
from tests.e2e.terminal import terminal

TASKS = "## Tasks\n- [x] ticked | Done before\n- [ ] think | Think about it\n"


def test_what_was_named_and_could_not_run_is_1_and_says_why_and_what_to_do(
    machine: Machine,
) -> None:
    machine.file.write_text(
        workspace_text(
            action("first", "exit 3", "retry: 1"),
            action("second", "echo hi", "depends_on: first"),
            action("cond", "echo hi", "condition: file_exists:nothere"),
        )
        + TASKS,
        encoding="utf-8",
    )
    prompts = machine.workspace / "heartbeat"
    prompts.mkdir()
    (prompts / "inbox.md").write_text("---\ntitle: Inbox\ngate:\n  command: exit 1\n---\nDo it.\n")

    for name, words in {
        "ticked": "ticked: it is ticked; untick it to run it",
        "think": "heartbeat key set",
        "second": "To run both: heartbeat run first second",
        "cond": "cond: its condition is not true",
        "inbox": "inbox: its gate",
    }.items():
        done = machine.heartbeat("run", name)
        assert done.code == 1, (name, done)
        assert words in done.out, (name, done)
        assert "Nothing was due" not in done.out, (name, done)


def test_what_was_named_and_waits_for_an_approval_alone_is_still_4(machine: Machine) -> None:
    machine.says_yes = False
    machine.write(action("one", "true"))
    assert machine.heartbeat("run", "one").code == 4


def test_nothing_was_due_never_stands_beside_what_needs_the_person(machine: Machine) -> None:
    machine.says_yes = False
    machine.write(action("later", "true", "schedule: at:2126-03-05T10:00:00Z"))
    for _ in range(2):  # it is announced the first time, and still waits the second time
        done = machine.heartbeat("run")
        assert "Nothing was due" not in done.out
        assert "1 waiting for your approval" in done.out

    machine.file.write_text("## Tasks\n- [ ] think | Think about it\n", encoding="utf-8")
    for _ in range(2):
        done = machine.heartbeat("run")
        assert done.code == 0
        assert "Nothing was due" not in done.out
        assert "needs a language model" in done.out
        assert "heartbeat key set" in done.out


def test_run_and_plan_name_the_workspace(machine: Machine) -> None:
    home = machine.folder / "home"
    default = home / "Documents" / "Heartbeat"
    default.mkdir(parents=True)
    (default / "HEARTBEAT.md").write_text(workspace_text(action("one", "true")))
    for words in (["run"], ["plan"]):
        done = machine.heartbeat("-C", str(default), *words)
        assert done.out.splitlines()[-1] == "Workspace: ~/Documents/Heartbeat"


# -- approve ---------------------------------------------------------------------------------------


def test_approve_says_when_it_will_run(machine: Machine) -> None:
    machine.says_yes = False
    machine.write(
        action("now", "echo x >> ran"),
        action("later", "echo x >> ran", "schedule: at:2126-03-05T10:00:00Z"),
    )
    done = machine.heartbeat("approve", "--all")
    assert "now: it is due.\nlater: it runs on Tue 5 Mar 2126 11:00" in done.out
    assert "Nothing watches this workspace. To run what is due: heartbeat run" in done.out
    assert "now?" not in done.out  # it is not a terminal
    assert "watches" not in machine.heartbeat("approve", "--all", "--json").out
    assert machine.lines("ran") == []


def test_what_is_approved_starts_at_once_where_the_workspace_is_watched(machine: Machine) -> None:
    machine.says_yes = False
    machine.write(action("now", "echo x >> ran"))
    with machine.start("daemon") as daemon:
        daemon.wait_until_said("Watching")
        wait_for(lambda: machine.json("status")["approvals_waiting"] == 1, "the first plan")
        done = machine.heartbeat("approve", "--all")
        assert "now: it starts now." in done.out
        wait_for(lambda: machine.lines("ran") == ["x"], "the action")


@pytest.mark.parametrize("answer", [b"y\n", b"n\n"])
def test_on_a_terminal_approve_offers_to_run_it_now(machine: Machine, answer: bytes) -> None:
    machine.says_yes = False
    machine.write(action("one", "echo x >> ran"), action("two", "true"))
    with terminal(machine, "approve", "one") as screen:
        screen.see("Run one now? [y/N]")
        screen.wait_until_it_reads()
        screen.type(answer)
        assert screen.end() == 0
    assert machine.lines("ran") == (["x"] if answer == b"y\n" else [])
    assert machine.json("status")["approvals_waiting"] == 1


def test_with_nothing_due_an_approval_that_is_needed_is_all_there_is_to_do(
    machine: Machine,
) -> None:
    machine.write(action("clean", "exit 3"))
    assert machine.heartbeat("run").code == 1  # its only attempt
    machine.says_yes = False
    machine.file.write_text(machine.text().replace("exit 3", "exit 4"))
    done = machine.heartbeat("run")
    assert "1 waiting for your approval" in done.out
    assert done.code == 4
    assert machine.heartbeat("run", "--json").code == 4
    machine.says_yes = True
    assert machine.heartbeat("run").code == 0  # nothing is due
