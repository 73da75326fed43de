"""Tasks through the installed command: done, measured, scored, shown as a receipt, tried again."""

import json

from tests.e2e.machine import Machine

FILE = """# Mine

## Tasks

- [ ] list | Keep a list | required | run: ls > list.txt | verify: file:list.txt fresh<1h size>0 changed
- [ ] mails | Fetch the mail | run: echo "12 mails fetched" | verify: mails > 0 and errors == 0 | max_attempts: 2
- [ ] note | Say something | optional | run: exit 3
- [x] done | Done before | run: touch never

## Probes

- mails: ls mail 2>/dev/null | wc -l
- errors: echo 0
"""


def test_a_task_is_done_measured_scored_and_shown(machine: Machine) -> None:
    machine.allow_notifications()
    machine.file.write_text(FILE)
    report = machine.json("run", code=1)
    items = {item["id"]: item for item in report["items"]}
    assert (items["list"]["verdict"], items["list"]["points"]) == ("verified", 10)
    assert (items["mails"]["outcome"], items["mails"]["verdict"], items["mails"]["points"]) == (
        "completed",
        "not_verified",
        -15,
    )
    assert (items["note"]["outcome"], items["note"]["verdict"], items["note"]["points"]) == (
        "failed",
        None,
        0,
    )
    assert items["mails"]["contradiction"] is False
    assert report["score"] == {
        "today": -5,
        "target": 50,
        "delta": -5,
        "kept": 0.333,
        "kept_count": 1,
        "due_count": 3,
    }
    assert not (machine.workspace / "never").exists()
    assert machine.text() == FILE  # a task's line is the person's
    kinds = [notice["kind"] for notice in report["notifications"]]
    assert sorted(kinds) == ["failure", "failure"]


def test_the_receipt_says_what_was_said_and_what_was_measured(machine: Machine) -> None:
    machine.file.write_text(FILE)
    machine.heartbeat("run")
    receipt = machine.heartbeat("history", "mails", "--beat", "1").out
    for words in (
        "said      done: 12 mails fetched",
        'did       echo "12 mails fetched"',
        "measured  mails > 0 and errors == 0  →  0 > 0 and 0 == 0  →  fails",
        "verdict   not verified -15: the check asks for",
    ):
        assert words in receipt
    listed = machine.heartbeat("history", "list", "--beat", "1").out
    assert "files     made list.txt (none → " in listed
    (row,) = machine.json("history", "mails", "--beat", "1")["occurrences"]
    assert row["evidence"]["measurement"]["values"] == {"mails": 0, "errors": 0}
    assert machine.heartbeat("history", "mails", "--beat", "7").code == 2


def test_the_progress_file_shows_the_state_of_each_task(machine: Machine) -> None:
    machine.file.write_text(FILE)
    machine.heartbeat("run")
    view = json.loads((machine.state / "heartbeat-progress.json").read_text())
    assert (view["version"], view["cycleCount"]) == (1, 1)
    found = {name: (task["status"], task["attempts"]) for name, task in view["tasks"].items()}
    assert found == {
        "list": ("verified", 0),
        "mails": ("failed", 1),
        "note": ("failed", 1),
        "done": ("verified", 0),
    }
    assert set(view["tasks"]["mails"]) == {
        "taskId",
        "status",
        "attempts",
        "lastAttemptAt",
        "lastResult",
    }


def test_an_exhausted_task_rests_until_it_is_tried_again(machine: Machine) -> None:
    machine.file.write_text(FILE)
    for _ in range(2):
        machine.heartbeat("run")
    third = machine.json("run", code=1)
    assert [item["id"] for item in third["items"]] == ["list", "note"]
    machine.heartbeat("retry", "mails")
    (machine.workspace / "mail").mkdir()
    (machine.workspace / "mail" / "one").write_text("x")
    items = {item["id"]: item for item in machine.json("run", code=0)["items"]}
    assert (items["mails"]["verdict"], items["mails"]["points"]) == ("verified", 10)


def test_the_score_has_the_pinned_keys_and_is_the_sum_of_its_verdicts(machine: Machine) -> None:
    machine.file.write_text(FILE)
    machine.heartbeat("run")
    assert machine.json("feedback", "up", "list") == {"item": "list", "points": 3, "today": -2}
    assert machine.json("feedback", "down")["today"] == -12
    score = machine.json("score")
    assert set(score) == {"days", "today", "target", "floor", "streak", "level"}
    (day,) = score["days"]
    assert set(day) == {
        "date",
        "score",
        "target",
        "reached",
        "verified",
        "not_verified",
        "unclear",
        "contradictions",
        "kept",
        "kept_count",
        "due_count",
    }
    assert (score["today"], day["verified"], day["not_verified"]) == (-12, 1, 1)
    assert score["level"] is None  # it is shown only where it has consequences
    assert machine.json("score", "--rebuild")["rebuilt"] == {"same": True, "differences": []}
    shown = machine.heartbeat("score").out
    assert "-15  mails" in shown
    assert shown.index("mails") < shown.index("list")
    assert machine.json("status")["score"] == {
        "today": -12,
        "target": 50,
        "streak": 0,
        "level": None,
        "kept": 0.333,
        "kept_count": 1,
        "due_count": 3,
    }
    with machine.ledger().database.writing() as connection:
        connection.execute("UPDATE day_score SET points = points + 100")
    assert machine.json("score", "--rebuild", code=1)["rebuilt"]["same"] is False


def test_feedback_on_an_unknown_item_is_refused(machine: Machine) -> None:
    machine.file.write_text(FILE)
    assert machine.heartbeat("feedback", "up", "nothing-here").code == 2
    assert machine.heartbeat("feedback", "sideways").code == 2


def test_check_says_how_each_hint_is_read_and_warns_of_a_slip(machine: Machine) -> None:
    machine.file.write_text(
        FILE.replace("mails > 0 and errors == 0", "mails = 0") + "- weather: echo 1\n"
    )
    found = machine.json("check")
    (slip,) = found["diagnostics"]
    assert (slip["code"], slip["severity"], slip["line"]) == ("HB212", "warning", 6)
    assert "==" in slip["hint"]
    said = " ".join(machine.heartbeat("check").out.split())
    assert "checked by file:list.txt fresh<1h size>0 changed" in said
    assert "its check cannot be read" in said
