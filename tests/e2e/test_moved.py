"""A workspace whose folder was moved goes on with its history and score; its approvals wait for
one yes. A copy and a forged identity get nothing."""

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, action, wait_for
from tests.e2e.terminal import terminal


@pytest.fixture
def asked(machine: Machine) -> Machine:
    machine.says_yes = False
    return machine


def used(machine: Machine, *actions: str) -> None:
    """Approve and run the actions."""
    machine.write(*actions)
    assert machine.heartbeat("approve", "--all").code == 0
    assert machine.heartbeat("run").code == 0


def move(machine: Machine, name: str = "moved") -> Path:
    """Move the workspace's folder; where it was."""
    old = machine.workspace
    machine.workspace = old.rename(machine.folder / name)
    machine.file = machine.workspace / "HEARTBEAT.md"
    return old


def beats(machine: Machine) -> list[tuple[int, str, str]]:
    found = machine.json("history")["occurrences"]
    return [(one["beat"], one["id"], one["outcome"]) for one in found if one["beat"]]


def identity_file(workspace: Path) -> Path:
    return workspace / ".heartbeat" / "workspace.json"


def test_a_moved_folder_keeps_its_history_and_score_and_says_so_once(asked: Machine) -> None:
    used(asked, action("one", "echo x >> trace"))
    score = asked.json("score")
    old = move(asked)

    assert asked.json("status")["moved_from"] == str(old)
    said = asked.heartbeat("status").out
    assert f"moved from {old}; its history and score go on here" in said
    assert "waits for one yes: heartbeat approve" in said
    assert "moved from" not in asked.heartbeat("status").out
    assert asked.json("status")["moved_from"] is None

    assert beats(asked) == [(1, "one", "completed")]
    assert asked.json("score") == score
    assert asked.state.name.rpartition("-")[0].endswith("moved")


def test_what_was_approved_waits_for_one_yes_to_all_of_it(asked: Machine) -> None:
    (asked.workspace / "two.sh").write_text("#!/bin/sh\necho x >> two\n")
    (asked.workspace / "two.sh").chmod(0o700)
    used(asked, action("one", "echo x >> one"), action("two", "./two.sh"), action("three", "true"))
    old = move(asked)
    # Changed since: it is shown and asked about by itself.
    asked.file.write_text(asked.text().replace("**command**: true", "**command**: echo x >> three"))

    assert asked.heartbeat("run", "one", "two", "three").code == 4
    listed = asked.json("approve")
    assert listed["moved_from"] == str(old)
    standings = {one["key"]: one["standing"] for one in listed["waiting"]}
    assert standings == {
        "action:one": "moved",
        "action:two": "moved",
        "action:three": "changed",
    }

    with terminal(asked, "approve") as screen:
        screen.see(f"This folder was moved from {old} to {asked.workspace}.")
        screen.see("Keep these 2 approvals? [y/N]: ")
        assert "action:one  one" in screen.shown
        assert "action:two  two" in screen.shown
        screen.type(b"y\n")
        screen.see("action:three  (changed since you approved it)")
        screen.see("Approve it? [y/N]: ")
        screen.type(b"n\n")
        assert screen.end() == 0
        assert "Approved: action:one, action:two." in screen.shown

    asked.heartbeat("run", "one", "two", "three")
    assert asked.lines("one") == ["x", "x"]
    assert asked.lines("two") == ["x", "x"]
    assert asked.lines("three") == []
    assert [one["key"] for one in asked.json("approve")["waiting"]] == ["action:three"]


def test_without_a_yes_each_one_is_asked_about_by_itself(asked: Machine) -> None:
    used(asked, action("one", "echo x >> trace"))
    move(asked)
    with terminal(asked, "approve") as screen:
        screen.see("Keep this approval? [y/N]: ")
        screen.type(b"\n")
        screen.see("action:one  (approved before this folder was moved, and the same since)")
        screen.see("Approve it? [y/N]: ")
        screen.type(b"\n")
        assert screen.end() == 0
    assert asked.heartbeat("run", "one").code == 4
    assert asked.lines("trace") == ["x"]


def test_a_script_that_changed_on_the_way_is_not_kept_by_the_one_yes(asked: Machine) -> None:
    script = asked.workspace / "run.sh"
    script.write_text("#!/bin/sh\ntrue\n")
    script.chmod(0o700)
    used(asked, action("one", "./run.sh"))
    move(asked)
    (asked.workspace / "run.sh").write_text("#!/bin/sh\necho evil >> trace\n")
    (waiting,) = asked.json("approve")["waiting"]
    assert waiting["standing"] == "script_changed"
    assert asked.heartbeat("run", "one").code == 4
    assert asked.lines("trace") == []


def test_a_copy_has_its_own_history_and_none_of_the_approvals(asked: Machine) -> None:
    used(asked, action("one", "echo x >> trace"))
    copy = asked.folder / "copy"
    shutil.copytree(asked.workspace, copy)
    (copy / "trace").unlink()

    assert asked.heartbeat("-C", str(copy), "run", "one").code == 4
    assert not (copy / "trace").exists()
    waiting = json.loads(asked.heartbeat("-C", str(copy), "approve", "--json").out)["waiting"]
    assert [one["standing"] for one in waiting] == ["new"]
    assert identity_file(copy).read_text() != identity_file(asked.workspace).read_text()
    assert len([path for path in asked.states.iterdir() if path.is_dir()]) == 2
    assert asked.heartbeat("run", "one").code == 0  # the first one is as it was
    assert [one[:2] for one in beats(asked)] == [(2, "one"), (1, "one")]


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_forged_identity_runs_nothing(asked: Machine, is_gone: bool) -> None:
    used(asked, action("one", "echo x >> trace"))
    evil = asked.folder / "evil"
    shutil.copytree(asked.workspace, evil)  # all of it, and so its identity
    (evil / "trace").unlink()
    if is_gone:
        shutil.rmtree(asked.workspace)
    asked.workspace, mine = evil, asked.workspace
    asked.file = evil / "HEARTBEAT.md"

    assert asked.heartbeat("run", "one").code == 4
    assert not (evil / "trace").exists()
    completed = [one for one in beats(asked) if one[2] == "completed"]
    assert completed == ([(1, "one", "completed")] if is_gone else [])
    standings = [one["standing"] for one in asked.json("approve")["waiting"]]
    assert standings == (["moved"] if is_gone else ["new"])
    assert mine.exists() is not is_gone


def test_while_it_is_watched_at_the_old_path_it_is_not_taken_from_there(asked: Machine) -> None:
    used(asked, action("one", "true"))
    with asked.start("daemon") as daemon:
        daemon.wait_until_said("Watching")
        old = move(asked)
        refused = asked.heartbeat("status")
        assert (refused.code, refused.out) == (2, "")
        assert f"was moved from {old}, and Heartbeat still runs" in refused.err
        assert f"(pid {daemon.pid})" in refused.err

    assert beats(asked) == [(1, "one", "completed")]
    assert f"moved from {old}" in asked.heartbeat("status").out


def test_a_moved_workspace_is_still_run_by_this_machine(asked: Machine) -> None:
    used(asked, action("one", "true"))
    with asked.start("daemon") as daemon:
        daemon.wait_until_said("Watching")
        wait_for(lambda: (asked.workspace / ".heartbeat" / "owner.json").exists(), "its owner")
    move(asked)
    with asked.start("daemon", log="again.log") as daemon:
        daemon.wait_until_said(f"Watching {asked.workspace}")
    assert asked.json("status")["run_by"] is None


def test_a_command_that_only_reads_leaves_no_identity(asked: Machine) -> None:
    asked.write(action("one", "true"))
    for words in (["status"], ["history"], ["check"], ["plan"]):
        asked.heartbeat(*words)
    assert not identity_file(asked.workspace).exists()


def test_a_workspace_without_room_for_the_identity_is_no_error(asked: Machine) -> None:
    (asked.workspace / ".heartbeat").write_text("a file, where the folder would be")
    used(asked, action("one", "true"))
    assert beats(asked) == [(1, "one", "completed")]


def test_looking_at_a_copy_does_not_take_the_history_of_a_workspace_that_is_away(
    asked: Machine,
) -> None:
    used(asked, action("one", "echo x >> trace"))
    original, copy, away = asked.workspace, asked.folder / "copy", asked.folder / "away"
    shutil.copytree(original, copy)
    original.rename(away)
    asked.workspace = copy
    looks = [["status"], ["history"], ["score"], ["check"], ["plan"], ["simulate"], ["show"]]
    for words in [*looks, ["list"], ["config"], ["run", "--dry-run"]]:
        found = asked.heartbeat(*words)
        assert f"seems to be the workspace that was at {original}" in found.err, words

    asked.workspace = away.rename(original)
    assert beats(asked) == [(1, "one", "completed")]
    assert asked.json("approve")["waiting"] == []
    assert asked.heartbeat("status").err == ""


def test_a_workspace_that_comes_back_says_where_its_history_is(asked: Machine) -> None:
    used(asked, action("one", "echo x >> trace"))
    original, copy, away = asked.workspace, asked.folder / "copy", asked.folder / "away"
    shutil.copytree(original, copy)
    original.rename(away)
    asked.workspace = copy
    assert asked.heartbeat("run", "one").code == 4
    asked.workspace = away.rename(original)

    for words in (["status"], ["run"], ["status"]):
        said = asked.heartbeat(*words).err
        assert f"The history of this workspace is with the folder {copy}" in said, words

    with terminal(asked, "status") as screen:
        screen.see("The history of this workspace is with the folder")
        assert screen.end() == 0
    assert asked.heartbeat("status").err == ""
