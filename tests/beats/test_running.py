"""What can be seen of a beat while it runs: which item, since when, and what it printed last."""

from dataclasses import replace

import pytest

from core.engine.running import running_now, showing_lines
from core.engine.variables import Variables
from core.model.agent import Batch, BatchEnding, BatchResult
from core.model.holder import Holder, Purpose
from core.model.item import ItemKind
from core.model.occurrence import Outcome
from core.model.report import ItemReport
from core.model.status import Running
from tests.fakes.model import CHOICE
from tests.stage import Stage, action, actions, at
from tray_app.cli.run import exit_code, receipt


def seen_while(stage: Stage, command: str) -> list[Running | None]:
    """What can be seen while this command runs."""
    seen: list[Running | None] = []

    def look(line: str) -> None:
        if line == command:
            seen.append(running_now(stage.world()))

    stage.processes.meanwhile = look
    return seen


def test_the_running_action_is_shown_with_its_last_line() -> None:
    stage = Stage(actions(action("one"), action("backup")))
    stage.processes.prints["backup"] = "copied 1 of 9\ncopied 2 of 9\n"
    seen = seen_while(stage, "backup")
    report = stage.run("16 09:00")
    (found,) = seen
    assert found is not None
    assert (found.beat, found.since, found.is_beat) == (report.beat, at("16 09:00"), True)
    (item,) = found.items
    assert (item.id, item.last_line) == ("backup", "copied 2 of 9")
    assert item.since > at("16 09:00")
    assert running_now(stage.world()) is None
    assert stage.last_lines.lines == {}


def test_a_run_task_is_shown_too() -> None:
    stage = Stage("## Tasks\n- [ ] mail | Mail | run: fetch\n")
    stage.processes.prints["fetch"] = "3 new\n"
    seen = seen_while(stage, "fetch")
    stage.run("16 09:00")
    assert [item.id for found in seen if found for item in found.items] == ["mail"]
    assert [item.last_line for found in seen if found for item in found.items] == ["3 new"]


def test_a_secret_a_token_and_control_characters_never_reach_the_line() -> None:
    token = "sk-ant-api03-" + "a1B2" * 10
    stage = Stage()
    variables = Variables(at("16 09:00"), None, lambda _: "hunter-two-22")
    assert variables.look_up("secret:mail") == "hunter-two-22"
    with showing_lines(stage.world(), "action:a", variables) as show:
        show(f"sent hunter-two-22 with {token} to \x1b[31m\u202eall " + "x" * 500)
        shown = stage.last_lines.of("action:a")
        assert shown.startswith("sent ")
        assert "hunter" not in shown
        assert token not in shown
        assert shown.isprintable()
        assert len(shown) <= 200
    assert stage.last_lines.of("action:a") == ""


def test_what_a_killed_beat_left_in_the_ledger_is_not_running() -> None:
    stage = Stage(actions(action("backup")))
    stage.processes.meanwhile = crash
    with pytest.raises(KeyboardInterrupt):
        stage.run("16 09:00")
    stage.lock.release()
    assert stage.ledger.occurrences.unfinished()
    assert running_now(stage.world()) is None


def crash(_: str) -> None:
    raise KeyboardInterrupt


def test_a_background_action_is_shown_without_a_beat() -> None:
    stage = Stage(actions(action("sync", priority="BG")))
    stage.run("16 09:00")
    stage.last_lines.tell("action:sync", "half way")
    found = running_now(stage.world())
    assert found is not None
    assert (found.beat, found.is_beat) == (None, False)
    assert [(item.id, item.last_line) for item in found.items] == [("sync", "half way")]
    stage.background.running.clear()
    assert running_now(stage.world()) is None


def test_what_is_with_the_model_is_shown() -> None:
    stage = Stage("## Tasks\n- [ ] mail | Read the mail\n")
    stage.agent.chosen = CHOICE
    seen: list[Running | None] = []

    def script(_: Batch) -> BatchResult:
        seen.append(running_now(stage.world()))
        return BatchResult(BatchEnding.FINISHED)

    stage.agent.script = script
    stage.run("16 09:00")
    assert [item.id for found in seen if found for item in found.items] == ["mail"]


def test_before_a_beat_has_its_number_it_is_shown_without_items() -> None:
    stage = Stage()
    stage.lock.held_by = Holder(77, at("16 09:00"), Purpose.BEAT)
    assert running_now(stage.world()) == Running(None, at("16 09:00"))
    stage.lock.held_by = Holder(77, at("16 09:00"), Purpose.PLAN)
    assert running_now(stage.world()) is None


def test_a_beat_tells_what_it_started_in_the_background_and_how_it_ended() -> None:
    stage = Stage(actions(action("slow", priority="BG"), action("bad", priority="BG"), action("a")))

    def end(line: str) -> None:
        if line == "a":
            (bad,) = [one for one in stage.background.started if one.item == "action:bad"]
            stage.ledger.occurrences.finish(bad, Outcome.FAILED, stage.clock.now(), error="no disk")

    stage.processes.meanwhile = end
    report = stage.run("16 09:00")
    assert report.in_background == ("slow",)
    assert [(one.id, one.outcome, one.error) for one in report.items] == [
        ("a", Outcome.COMPLETED, ""),
        ("bad", Outcome.FAILED, "no disk"),
    ]
    assert exit_code(report) == 1
    assert "slow still runs in the background (heartbeat history shows how it ends)" in receipt(
        report, at("16 09:00")
    )

    again = stage.run("16 09:30", "slow")
    assert again.in_background == ()  # another beat started it
    assert [(one.id, one.outcome) for one in again.items] == [("slow", Outcome.WAITING)]


def test_a_beat_that_only_started_something_in_the_background_has_run_something() -> None:
    stage = Stage(actions(action("slow", priority="BG")))
    report = stage.run("16 09:00")
    assert (report.items, report.in_background, exit_code(report)) == ((), ("slow",), 0)
    asks = ItemReport("new", ItemKind.ACTION, Outcome.NEEDS_APPROVAL, "due")
    assert exit_code(replace(report, items=(asks,))) == 0
    assert exit_code(replace(report, items=(asks,), in_background=())) == 4
