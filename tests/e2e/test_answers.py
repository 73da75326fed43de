"""The real answers in JSON are what docs/schemas promises: in an empty workspace, after beats of
every ending, and while a beat is running. `Machine.json` compares every answer, here and in all
other tests; here each command is asked at least once."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.answers import check_answer, name_of
from tests.e2e.machine import COMMAND, Machine, action, wait_for
from tests.e2e.with_keyring import MachineWithKeyring
from tests.model_server import Call, ModelServer, Say
from tray_app.cli.answers import ANSWERS

QUESTIONS = (
    ["status"],
    ["check"],
    ["check", "--explain", "HB401"],
    ["show"],
    ["list"],
    ["plan"],
    ["plan", "--prompt"],
    ["simulate"],
    ["simulate", "--hours", "200"],
    ["run", "--dry-run"],
    ["history"],
    ["score"],
    ["score", "--rebuild"],
    ["config"],
    ["approve"],
    ["revoke"],
    ["autostart"],
    ["help"],
    ["help", "format"],
    ["help", "HB401"],
)
OTHERS = {
    "next",
    "init",
    "run",
    "history --beat",
    "feedback",
    "add",
    "remove",
    "undo",
    "retry",
    "pause",
    "resume",
    "cancel",
    "key set",
    "key list",
    "key delete",
    "doctor",
    "sandbox",
    "error",
}
TASKS = """---
version: 1
status: idle
timezone: Europe/Berlin
mine: [1, two]
---
## Tasks

- [x] ticked | Was done before
- [ ] good | Write a file | run: echo 1 > good.txt | verify: file:good.txt size>0
- [ ] bad | Write another | run: exit 3
- [ ] lying | Say so | run: true | verify: count > 2
- [ ] odd | Misspelt | requird: yes
- [ ] later | In time | run: true | schedule: daily:09:00

## Probes

- count: echo 1

## Proactive Review

Is there anything?

"""
ACTIONS = (
    action("fails", "echo no >&2; exit 1", priority="HIGH"),
    action("follows", "true", "depends_on: fails"),
    action("unclear", "true", "condition: sometimes maybe"),
    action("waits", "true", "schedule: yearly:02-28:03:00"),
)


def ask_everything(machine: Machine) -> None:
    for words in QUESTIONS:
        machine.json(*words, code=1 if words == ["check"] and "requird" in machine.text() else 0)


def ask(machine: Machine, *words: str) -> Any:
    """With the option before the command's name."""
    found = machine.read_json(machine.heartbeat("--json", *words))
    check_answer(words, found)
    return found


def test_every_answer_is_asked_for_here() -> None:
    asked = {name_of(words, {}) for words in QUESTIONS}
    assert asked | OTHERS == set(ANSWERS)


def test_in_an_empty_workspace(machine: Machine) -> None:
    machine.file.write_text("")
    ask_everything(machine)
    assert machine.json("run")["items"] == []
    assert "error" in machine.json("undo", code=2)
    assert "error" in machine.json("history", "--beat", "9", code=2)


def test_in_a_new_workspace(machine: Machine) -> None:
    machine.file.unlink(missing_ok=True)
    assert machine.json("init")["written"]
    ask_everything(machine)
    machine.json("run")
    ask_everything(machine)
    assert machine.json("cancel")["ended"] == []


def test_after_beats_of_every_ending(machine: Machine) -> None:
    machine.file.write_text(TASKS + "## Pending Actions\n\n" + "\n".join(ACTIONS))
    machine.says_yes = False
    assert machine.json("approve")["waiting"]
    machine.json("run", code=1)
    machine.says_yes = True

    report = machine.json("run", code=1)
    assert {"completed", "failed", "skipped", "needs_clarification"} <= {
        item["outcome"] for item in report["items"]
    }
    ask_everything(machine)
    receipts = machine.json("history", "--beat", str(report["beat"]))["occurrences"]
    assert [one for one in receipts if one["evidence"]]

    machine.json("feedback", "up")
    machine.json("feedback", "down", "good")
    machine.json("retry", "bad")
    machine.json("pause", "2h")
    assert machine.json("status")["paused"]
    machine.json("resume")
    machine.json("pause")
    machine.json(
        "add", "joke", "Tell one", "--title", "Joke", "--gate", "true", "--domain", "x.org"
    )
    ask_everything(machine)
    machine.json("remove", "joke")
    machine.json("undo")
    machine.json("approve", "--all")
    assert machine.json("revoke", "--all")["revoked"]
    machine.json("doctor", code=machine.heartbeat("doctor").code)
    assert ask(machine, "sandbox", "echo hello")["output"] == "hello\n"


def test_while_a_beat_is_running(machine: Machine) -> None:
    machine.write(action("slow", "touch began; sleep 600"))
    with machine.start("run") as beat:
        wait_for((machine.workspace / "began").exists, "the beat")
        ask_everything(machine)
        assert machine.json("status")["state"] == "running"
        assert "error" in machine.json("run", code=3)
        (ended,) = machine.json("cancel")["ended"]
        assert ended["items"] == ["slow"]
        assert beat.process.wait(30) == 1


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def test_after_a_batch_of_a_model(machine: Machine, server: ModelServer) -> None:
    address = server.base_url("openai-compatible")
    (machine.config / "config.toml").write_text(
        f'[agent]\nprovider = "openai-compatible"\nmodel = "scripted"\nbase_url = "{address}"\n'
        '[channels.phone]\ntype = "ntfy"\ntopic = "mine"\n'
        '[mcp.servers.time]\ncommand = "true"\n'
    )
    machine.file.write_text(
        "## Tasks\n- [ ] mail | Count the mail | verify: mails > 2\n"
        "- [ ] tidy | Tidy up | verify: tidy_desk\n\n## Probes\n- mails: echo 1\n"
    )
    claims = {"task_id": "mail", "outcome": "done", "result": "5", "facts": {"mails": 5}}
    server.play(
        Say(calls=(Call("write_file", {"path": "mail.md", "content": "5"}),)),
        Say(calls=(Call("report_task", claims),)),
        Say(calls=(Call("report_task", {"task_id": "tidy", "outcome": "done", "result": "x"}),)),
        Say("All done."),
        Say("{}"),
        Say("{}"),
    )

    report = machine.json("run", code=1)
    (mail,) = [item for item in report["items"] if item["id"] == "mail"]
    assert mail["contradiction"]
    assert report["model"]["requests"] > 0
    receipt = machine.json("history", "mail", "--beat", str(report["beat"]))
    assert receipt["occurrences"][0]["evidence"]["claim"]["facts"] == {"mails": 5}
    ask_everything(machine)


@pytest.mark.parametrize(
    "words",
    [
        ["daily:09:00"],
        ["every:5m", "--last", "2026-01-01T00:00:00Z"],
        ["at:2020-01-01T00:00:00Z", "--first-seen", "2021-01-01T00:00:00Z"],
        ["startup"],
        ["never"],
    ],
)
def test_about_a_schedule(machine: Machine, words: list[str]) -> None:
    ask(machine, "next", *words)


def test_about_keys(secretive: MachineWithKeyring) -> None:
    done = subprocess.run(
        [COMMAND, "key", "set", "mine", "--json"],
        cwd=secretive.workspace,
        env=secretive.environment,
        input="a-secret-word\n",
        capture_output=True,
        text=True,
        check=True,
    )
    check_answer(["key", "set"], json.loads(done.stdout))
    assert [one["name"] for one in secretive.json("key", "list")["keys"]] == ["mine"]
    assert secretive.json("key", "delete", "mine")["deleted"]
    assert not secretive.json("key", "delete", "mine")["deleted"]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["resume"], {"paused": False, "was_paused": True, "more": 1}),
        (["resume"], {"paused": False}),
        (["resume"], {"paused": "no", "was_paused": True}),
        (["pause"], {"paused": True, "until": "2026-01-01T00:00:00"}),
        (["history"], {"occurrences": [{}]}),
        (["status"], {"error": {"message": "x"}}),
    ],
    ids=["a new key", "a missing key", "another kind", "no offset", "inside", "an error"],
)
def test_an_answer_that_differs_is_found(words: list[str], answer: object) -> None:
    with pytest.raises((AssertionError, ValueError)):
        check_answer(words, answer)
