"""Beats with a language model, through the installed command; a scripted server on loopback is
the provider."""

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from core.adapters.lock import FileLock
from tests.e2e.machine import Machine, action, alive, wait_for
from tests.e2e.terminal import CTRL_C, terminal
from tests.model_server import Call, Drip, ModelServer, Say

WRITES = Say(calls=(Call("write_file", {"path": "mail.txt", "content": "3 new mails"}),))
REPORTS = Say(
    calls=(Call("report_task", {"task_id": "mail", "outcome": "done", "result": "3 new mails"}),)
)
TASK = "## Tasks\n\n- [ ] mail | Write mail.txt | verify: file:mail.txt size>0\n\n"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def asked(machine: Machine, server: ModelServer) -> Machine:
    """A computer whose settings name the server."""
    address = server.base_url("openai-compatible")
    (machine.config / "config.toml").write_text(
        f'[agent]\nprovider = "openai-compatible"\nmodel = "scripted"\nbase_url = "{address}"\n'
        "[prices.scripted]\ninput = 1.0\noutput = 10.0\n"
    )
    return machine


def outcomes(machine: Machine) -> dict[str, str]:
    """Of each item, how its newest occurrence ended."""
    found = machine.json("history", "--limit", "1000")["occurrences"]
    return {one["id"]: one["outcome"] for one in reversed(found)}


def is_with_the_model(machine: Machine) -> int:
    holder = FileLock(machine.state / "model.lock").holder() if machine.states.exists() else None
    return holder.pid if holder else 0


def test_a_task_is_done_checked_scored_and_paid_for(asked: Machine, server: ModelServer) -> None:
    asked.file.write_text(TASK)
    (prompt,) = [asked.json("plan", "--prompt")["prompt"]]
    assert "Write mail.txt" in prompt
    assert server.received == []
    server.play(WRITES, REPORTS, Say("SKIP"))
    report = asked.json("run")
    (item,) = report["items"]
    assert (item["outcome"], item["verdict"], item["points"]) == ("completed", "verified", 10)
    assert report["model"]["requests"] == len(server.received) == 2
    assert report["model"]["usd"] > 0
    status = asked.json("status")["model"]
    assert (status["provider"], status["model"]) == ("openai-compatible", "scripted")
    assert status["usd_today"] == pytest.approx(report["model"]["usd"])
    said = asked.heartbeat("history", "mail", "--beat", str(report["beat"])).out
    assert "write_file" in said
    assert "openai-compatible scripted" in said
    forecast = asked.json("simulate")
    assert forecast["model_calls"] > 1
    assert forecast["model"]["usd"] == pytest.approx(
        forecast["model_calls"] * report["model"]["usd"]
    )


def test_a_claim_without_the_work_is_a_contradiction(asked: Machine, server: ModelServer) -> None:
    asked.file.write_text(TASK)
    server.play(Say("All done!", REPORTS.calls), Say("All done!"))
    report = json.loads(asked.heartbeat("run", "--json").out)
    (item,) = report["items"]
    assert (item["verdict"], item["contradiction"], item["points"]) == ("not_verified", True, -45)
    (notice,) = report["notifications"]
    assert notice["title"] == "mail: contradiction, 45 points lost"
    assert "The model said: “All done!”" in notice["message"]


def test_with_nothing_due_no_request_is_made_no_key_is_read_and_no_model_library_is_loaded(
    asked: Machine, server: ModelServer
) -> None:
    asked.file.write_text("## Tasks\n\n- [ ] mail | Write | schedule: yearly:01-01:00:00\n")
    asked.witness_starts()
    loaded, witness = asked.folder / "loaded", asked.folder / "witness" / "sitecustomize.py"
    note = (
        f"import atexit, sys\natexit.register(lambda: open({str(loaded)!r}, "
        "'w').write('\\n'.join(sys.modules)))\n"
    )
    witness.write_text(witness.read_text() + note)
    assert asked.heartbeat("run").code == 0
    modules = loaded.read_text().split()
    assert "core.engine.beat" in modules
    assert [
        name for name in modules if name.startswith(("pydantic", "core.agent", "openai", "keyring"))
    ] == []
    assert server.received == []


def test_a_long_batch_delays_no_due_action_and_a_pause_ends_it_at_once(
    asked: Machine, server: ModelServer
) -> None:
    asked.file.write_text(
        TASK + "## Pending Actions\n\n" + action("tick", "date >> ticks", "schedule: every:1s")
    )
    server.play(Drip())
    with asked.start("daemon") as daemon:
        daemon.wait_until_said("Watching")
        thinking = wait_for(lambda: is_with_the_model(asked), "the batch", 60)
        wait_for(lambda: server.received, "the request", 60)
        before = len(asked.lines("ticks"))
        wait_for(lambda: len(asked.lines("ticks")) >= before + 4, "four runs during the batch", 60)
        assert is_with_the_model(asked) == thinking
        assert asked.json("status")["state"] == "running"
        began = time.monotonic()
        assert asked.heartbeat("pause").code == 0
        wait_for(lambda: not alive(thinking), "the end of the beat", 30)
        assert time.monotonic() - began < 15
        wait_for(lambda: outcomes(asked).get("mail") == "interrupted", "the record of it")
    progress = json.loads((asked.state / "heartbeat-progress.json").read_text())
    assert (progress["tasks"]["mail"]["status"], progress["tasks"]["mail"]["attempts"]) == (
        "pending",
        0,
    )


def test_quitting_ends_a_running_call(asked: Machine, server: ModelServer) -> None:
    asked.file.write_text(TASK)
    server.play(Drip())
    with asked.start("daemon") as daemon:
        daemon.wait_until_said("Watching")
        thinking = wait_for(lambda: is_with_the_model(asked), "the batch", 60)
        wait_for(lambda: server.received, "the request", 60)
        assert daemon.end(signal.SIGTERM, 20) == 0
        wait_for(lambda: not alive(thinking), "the end of the beat")
    assert outcomes(asked)["mail"] == "interrupted"


def test_ctrl_c_ends_a_running_call_and_the_task_stays_as_it_was(
    asked: Machine, server: ModelServer
) -> None:
    asked.file.write_text(TASK)
    server.play(Drip())
    with terminal(asked, "run") as screen:
        wait_for(lambda: server.received, "the request", 60)
        began = time.monotonic()
        screen.type(CTRL_C)
        assert screen.end() == 1
        assert time.monotonic() - began < 15
    assert outcomes(asked)["mail"] == "interrupted"
    progress = json.loads((asked.state / "heartbeat-progress.json").read_text())
    assert (progress["tasks"]["mail"]["status"], progress["tasks"]["mail"]["attempts"]) == (
        "pending",
        0,
    )


def test_a_beat_that_is_killed_in_its_batch_is_recovered_and_the_next_one_works(
    asked: Machine, server: ModelServer
) -> None:
    asked.file.write_text(TASK)
    server.play(Drip())
    with asked.start("run") as running:
        wait_for(lambda: server.received, "the request", 60)
        os.kill(running.pid, signal.SIGKILL)
        running.process.wait()
    server.play(WRITES, REPORTS, Say("SKIP"))
    report = json.loads(asked.heartbeat("run", "--json").out)
    ended = [(one["outcome"], one["verdict"]) for one in report["items"] if one["id"] == "mail"]
    assert ended == [("interrupted", None), ("completed", "verified")]


def test_a_second_run_during_a_batch_says_who_is_at_work_and_a_command_need_not_wait(
    asked: Machine, server: ModelServer
) -> None:
    asked.file.write_text(TASK + "## Pending Actions\n\n" + action("tick", "date >> ticks"))
    server.play(Drip())
    with asked.start("run") as running:
        wait_for(lambda: server.received, "the request", 60)
        for words in (["run"], ["run", "mail"]):
            message = asked.json(*words, code=3)["error"]["message"]
            assert re.fullmatch(
                rf"The model is at work \(pid {running.pid}, since \d\d:\d\d:\d\d\): mail\.",
                message,
            ), message
        assert asked.heartbeat("run", "tick").code == 0
        assert len(asked.lines("ticks")) == 2
        (ended,) = asked.json("cancel")["ended"]
        assert (ended["pid"], ended["items"], ended["killed"]) == (running.pid, ["mail"], False)
    assert outcomes(asked)["mail"] == "interrupted"
    assert len(server.received) == 1


def test_the_model_sees_what_each_prompt_did_last(asked: Machine, server: ModelServer) -> None:
    asked.file.write_text("")
    folder: Path = asked.workspace / "heartbeat"
    folder.mkdir()
    (folder / "look.md").write_text("---\ntitle: Look\n---\nLook at it.\n")
    server.play(Say("The sky is blue."))
    report = asked.json("run")
    assert [(one["id"], one["outcome"]) for one in report["items"]] == [("look", "completed")]
    assert [one["message"] for one in report["notifications"] if one["kind"] == "message"] == [
        "The sky is blue."
    ]
    state = json.loads((folder / ".heartbeat-state.json").read_text())
    started, last_run, finished = (
        datetime.fromisoformat(text)
        for text in (report["started"], state["lastRunAt"], report["finished"])
    )
    assert started <= last_run <= finished
