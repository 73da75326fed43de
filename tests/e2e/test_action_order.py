"""Which actions of a beat run, in which order, and what becomes of the others; through the
installed command."""

import os
import signal
import time
from typing import Any

import pytest

from tests.e2e.machine import Machine, action, alive, block, wait_for

DUE = "it has not run yet"
SLOW = "touch began; while ! test -e go; do sleep 0.05; done; echo x >> ran; echo finished"


def items(machine: Machine, *words: str) -> dict[str, tuple[str, str]]:
    report = machine.read_json(machine.heartbeat("run", *words, "--json"))
    return {one["id"]: (one["outcome"], one["reason"] or "") for one in report["items"]}


def outcomes(machine: Machine, *words: str) -> dict[str, str]:
    return {name: outcome for name, (outcome, _) in items(machine, *words).items()}


def status_of(machine: Machine, identifier: str) -> str:
    (found,) = (one for one in machine.json("show")["actions"] if one["id"] == identifier)
    return str(found["status"])


# -- order and dependencies ------------------------------------------------------------------------


def test_actions_run_by_priority_then_in_file_order_after_their_dependencies(
    machine: Machine,
) -> None:
    names = {"e": "LOW", "c": "MEDIUM", "d": "MEDIUM", "b": "HIGH", "a": "CRITICAL"}
    blocks = [
        action(name, f"echo {name} >> ran", priority=priority) for name, priority in names.items()
    ]
    machine.write(
        action("first", "echo first >> ran", "depends_on: z", priority="HIGH"),
        *blocks,
        action("z", "echo z >> ran", priority="LOW"),
    )
    machine.heartbeat("run")
    assert machine.lines("ran") == ["a", "z", "first", "b", "c", "d", "e"]


def test_a_dependency_decides_which_action_runs_waits_or_is_skipped(machine: Machine) -> None:
    machine.write(
        action("good", "true"),
        action("bad", "false"),
        action("trying", "false", "retry: 3"),
        action("after_good", "touch ran_good", "depends_on: good"),
        action("after_bad", "touch ran_bad", "depends_on: good, bad"),
        action("after_that", "touch ran_that", "depends_on: after_bad"),
        action("after_trying", "touch ran_trying", "depends_on: trying"),
        action("after_nobody", "touch ran_nobody", "depends_on: nobody"),
        action("round", "touch ran_round", "depends_on: about"),
        action("about", "touch ran_about", "depends_on: round"),
    )
    found = items(machine)
    circle = found["round"]
    assert circle[0] == "needs_clarification"
    assert found == {
        "good": ("completed", DUE),
        "bad": ("failed", DUE),
        "trying": ("failed", DUE),
        "after_good": ("completed", DUE),
        "after_bad": ("skipped", "bad failed"),
        "after_that": ("skipped", "after_bad was skipped"),
        "after_trying": ("waiting", "it waits for trying"),
        "after_nobody": ("skipped", "it depends on nobody, which does not exist"),
        "round": circle,
        "about": circle,
    }
    assert sorted(path.name for path in machine.workspace.glob("ran_*")) == ["ran_good"]


def test_a_dependency_that_was_not_due_counts_with_its_last_run(machine: Machine) -> None:
    machine.write(
        action("once", "true"),
        action("often", "echo x >> ran", "depends_on: once", "schedule: every:1s"),
    )
    assert outcomes(machine) == {"once": "completed", "often": "completed"}
    wait_for(lambda: outcomes(machine) == {"often": "completed"}, "the next slot")
    assert len(machine.lines("ran")) == 2


def test_a_low_action_starts_only_while_the_beat_has_time_left(machine: Machine) -> None:
    settings = machine.config / "config.toml"
    settings.write_text('beat_budget = "1s"\n')
    machine.write(
        action("early", "touch early", priority="LOW"),
        action("slow", "sleep 1.2"),
        action("late", "touch late", priority="MEDIUM"),
    )
    assert items(machine) == {
        "slow": ("completed", DUE),
        "late": ("completed", DUE),
        "early": ("waiting", "the beat's time is used up"),
    }
    assert status_of(machine, "early") == "PENDING"
    settings.write_text('beat_budget = "10m"\n')  # a busy machine may use up a second by itself
    assert outcomes(machine) == {"early": "completed"}


# -- conditions ------------------------------------------------------------------------------------


def test_conditions_are_true_false_or_not_understood(machine: Machine) -> None:
    (machine.workspace / "there.txt").touch()
    days = "mon,tue,wed,thu,fri,sat,sun"
    true = {
        "any_failed": "any_failed",
        "exists": "file_exists:there.txt",
        "after": "time_after:00:00",
        "day": f"weekday:{days}",
        "status": 'good.status == "COMPLETED" and bad.status == "failed"',
        "result": "good.result > 40",
        "moment": "hour < 24 and weekday in ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']",
        "failures": "failures == 1",
    }
    false = {
        "all_completed": "all_completed",
        "any_critical": "any_critical_failed",
        "not_there": "file_exists:../outside.txt",
        "never": "hour > 24",
    }
    unclear = {
        "name": "any_faild",
        "other": "nobody.status == 'COMPLETED'",
        "syntax": "hour >",
        "call": "open('x')",
        "clock": "time_after:25:00",
        "weekday": "weekday:someday",
    }
    machine.write(
        action("good", "echo 42", priority="HIGH"),
        action("bad", "exit 1", priority="HIGH"),
        *(
            action(name, f"touch ran_{name}", f"condition: {condition}")
            for name, condition in {**true, **false, **unclear}.items()
        ),
    )
    found = items(machine)
    assert {name for name, (outcome, _) in found.items() if outcome == "completed"} == {
        *true,
        "good",
    }
    assert {name for name, (outcome, _) in found.items() if outcome == "skipped"} == set(false)
    assert {
        name for name, (outcome, _) in found.items() if outcome == "needs_clarification"
    } == set(unclear)
    assert {path.name for path in machine.workspace.glob("ran_*")} == {
        f"ran_{name}" for name in true
    }
    assert found["never"][1] == "its condition is not true: hour > 24"
    assert status_of(machine, "never") == "SKIPPED"


def test_all_completed_is_true_if_all_actions_were_completed(machine: Machine) -> None:
    machine.write(action("one", "true"), action("then", "touch then", "condition: all_completed"))
    assert outcomes(machine) == {"one": "completed", "then": "completed"}


def test_a_skipped_one_time_action_is_considered_again_at_the_next_tick(
    machine: Machine,
) -> None:
    machine.write(action("later", "touch ran", "condition: file_exists:go"))
    assert outcomes(machine) == {"later": "skipped"}
    (machine.workspace / "go").touch()
    assert outcomes(machine) == {"later": "completed"}
    assert (machine.workspace / "ran").exists()


# -- statuses --------------------------------------------------------------------------------------


def test_only_what_is_pending_runs_and_pending_again_runs_again(machine: Machine) -> None:
    done = [
        action(name.lower(), f"echo {name} >> ran").replace(
            "status**: PENDING", f"status**: {name}"
        )
        for name in ("COMPLETED", "FAILED")
    ]
    machine.write(*done, action("one", "echo one >> ran"))
    machine.heartbeat("run")
    assert machine.lines("ran") == ["one"]
    again = machine.text().replace(
        "status**: COMPLETED\n- **completed_at", "status**: PENDING\n- **completed_at"
    )
    machine.file.write_text(again)
    machine.heartbeat("run")
    assert machine.lines("ran") == ["one", "one"]


def test_the_lines_of_the_other_outcome_are_removed(machine: Machine) -> None:
    machine.write(action("one", "test -e go && echo went", "schedule: every:1s"))
    machine.heartbeat("run")
    assert {"failed_at", "error", "retry_count"} <= keys_of(machine)
    (machine.workspace / "go").touch()
    wait_for(lambda: outcomes(machine) == {"one": "completed"}, "the next slot")
    assert not {"failed_at", "error", "retry_count"} & keys_of(machine)
    assert {"completed_at", "duration", "result"} <= keys_of(machine)
    (machine.workspace / "go").unlink()
    wait_for(lambda: outcomes(machine) == {"one": "failed"}, "the next slot")
    assert not {"completed_at", "duration", "result"} & keys_of(machine)


def keys_of(machine: Machine) -> set[str]:
    return {
        line[4:].partition("**")[0]
        for line in machine.text().splitlines()
        if line.startswith("- **")
    }


def test_an_action_that_says_too_little_needs_clarification(machine: Machine) -> None:
    machine.write(
        block("what", "target_:x"),
        block("which", "type: shel", "command: touch ran"),
        block("none", "type: http"),
    )
    assert outcomes(machine) == dict.fromkeys(("what", "which", "none"), "needs_clarification")
    assert not (machine.workspace / "ran").exists()


# -- in the background -----------------------------------------------------------------------------


@pytest.fixture
def long_one(machine: Machine) -> Any:
    """A machine whose background action goes on until `go` is there; ended with the test."""
    machine.write(
        action(
            "long", f"echo $$ > pid; {SLOW}", "schedule: every:1s", "timeout: 1h", priority="BG"
        ),
        action("short", "echo x >> short", "schedule: every:1s"),
    )
    yield machine
    (machine.workspace / "go").touch()
    for pid in map(int, machine.lines("pid")):
        wait_for(lambda pid=pid: not alive(pid), "the command to end")  # type: ignore[misc]


def test_a_background_action_delays_nothing_and_is_not_started_twice(long_one: Machine) -> None:
    began = time.monotonic()
    assert outcomes(long_one)["short"] == "completed"
    assert time.monotonic() - began < 30
    second = outcomes(long_one)  # at once: its process may not even have come up
    assert second.get("long", "waiting") == "waiting"
    wait_for(lambda: long_one.lines("pid"), "the command")
    wait_for(lambda: len(long_one.lines("short")) >= 3 or not outcomes(long_one), "two more beats")
    (pid,) = long_one.lines("pid")
    assert alive(int(pid))
    assert long_one.lines("ran") == []
    wait_for(lambda: "it is still running" in reasons(long_one), "a beat that finds it running", 60)


def reasons(machine: Machine) -> set[str]:
    """Of what a beat finds due; a second has to pass between two of them."""
    return {reason for _, reason in items(machine).values()}


def test_the_result_of_a_background_action_is_recorded_at_its_end_and_shown_by_the_next_beat(
    long_one: Machine,
) -> None:
    outcomes(long_one)
    wait_for(lambda: (long_one.workspace / "began").exists(), "the command")
    assert status_of(long_one, "long") == "PENDING"
    (long_one.workspace / "go").touch()

    def ended() -> list[dict[str, Any]]:
        found = long_one.json("history")["occurrences"]
        return [one for one in found if one["id"] == "long" and one["outcome"] == "completed"]

    (first,) = wait_for(ended, "its end")[-1:]
    assert first["result"] == "finished"
    wait_for(
        lambda: outcomes(long_one) and "**result**: finished" in long_one.text(), "the next beat"
    )
    assert "[x] long: finished" in long_one.text()


def test_a_background_action_outlives_the_resident_that_started_it(long_one: Machine) -> None:
    with long_one.start("daemon") as resident:
        wait_for(lambda: (long_one.workspace / "began").exists(), "the command")
        assert resident.end() == 0
    (pid,) = long_one.lines("pid")
    assert alive(int(pid))
    with long_one.start("daemon", log="second.log"):
        count = len(long_one.lines("short"))
        wait_for(lambda: len(long_one.lines("short")) > count, "a beat of the second resident")
        assert long_one.lines("pid") == [pid]
        (long_one.workspace / "go").touch()
        wait_for(lambda: "**result**: finished" in long_one.text(), "its result in the file")
    assert "interrupted" not in {one["outcome"] for one in long_one.json("history")["occurrences"]}


def test_a_background_action_that_is_killed_is_reported_as_interrupted(machine: Machine) -> None:
    machine.write(action("long", f"echo $PPID > parent; echo $$ > pid; {SLOW}", priority="BG"))
    machine.heartbeat("run")
    wait_for(lambda: machine.lines("pid"), "the command")
    for name in ("parent", "pid"):
        os.kill(int(machine.lines(name)[0]), signal.SIGKILL)
    with (
        machine.ledger().database.writing() as connection
    ):  # the only way to have been started a while ago
        connection.execute("UPDATE occurrence SET started = started - 60000000")
    assert items(machine)["long"][0] == "interrupted"
    assert "**status**: FAILED" in machine.text()


def test_no_file_of_the_workspace_can_replace_the_program(machine: Machine) -> None:
    """The process of a background action starts in the workspace, where anybody may have put
    modules."""
    (machine.workspace / "core").mkdir()
    for name in ("core/__init__.py", "click.py", "sqlite3.py", "runpy.py"):
        (machine.workspace / name).write_text(
            f"open({str(machine.workspace / 'evil')!r}, 'w')\nraise SystemExit\n"
        )
    machine.write(action("long", "touch began", priority="BG"))
    machine.heartbeat("run")
    wait_for(lambda: (machine.workspace / "began").exists(), "the command")
    assert not (machine.workspace / "evil").exists()
