"""Due prompts in a beat without a model: the gate decides, and what it lets in waits, honestly."""

from core.model.occurrence import Outcome
from tests.beats.prompt_text import prompt
from tests.fakes.model import CHOICE
from tests.stage import Stage


def stage_with(text: str, **exit_codes: int) -> Stage:
    stage = Stage("")
    stage.files.prompts["look"] = text
    stage.processes.endings.update(exit_codes)
    return stage


def outcomes(stage: Stage, now: str) -> list[tuple[str, Outcome]]:
    return [(item.id, item.outcome) for item in stage.beat(now).items]


def test_a_prompt_without_a_gate_needs_a_model() -> None:
    assert outcomes(stage_with(prompt()), "16 10:00") == [("look", Outcome.NEEDS_MODEL)]


def test_a_gate_that_succeeds_lets_its_prompt_in_and_that_needs_a_model() -> None:
    stage = stage_with(prompt("open"), open=0)
    assert outcomes(stage, "16 10:00") == [("look", Outcome.NEEDS_MODEL)]
    assert len(stage.sandbox.reaches) == 1


def test_a_gate_that_fails_keeps_its_prompt_out_of_this_beat() -> None:
    stage = stage_with(prompt("closed"), closed=1)
    assert outcomes(stage, "16 10:00") == [("look", Outcome.SKIPPED)]


def test_a_gate_is_asked_once_per_tick_and_not_beat_after_beat() -> None:
    stage = stage_with(prompt("open"), open=0)
    stage.beat("16 10:00")
    stage.beat("16 10:01")
    assert len(stage.sandbox.reaches) == 1
    assert stage.wakes_at is not None
    assert stage.wakes_at > stage.clock.now()
    stage.beat("16 10:30")
    assert len(stage.sandbox.reaches) == 2


def test_a_missing_permission_starts_nothing_and_says_which() -> None:
    stage = stage_with(prompt("open\n  permissions: ['@shell']"), open=0)
    report = stage.beat("16 10:00")
    assert stage.sandbox.reaches == []
    announced = next(notice for notice in report.notices if notice.kind == "permission")
    assert "@shell" in announced.message
    assert [item.outcome for item in report.items] == [Outcome.NEEDS_MODEL]


def test_a_prompt_without_a_title_is_told_as_something_that_needs_clarification() -> None:
    stage = Stage("")
    stage.agent.chosen = CHOICE
    stage.files.prompts["untitled"] = "Look around.\n"
    report = stage.run("16 10:00")
    (told,) = report.items
    assert (told.id, told.outcome) == ("untitled", Outcome.NEEDS_CLARIFICATION)
    assert stage.agent.batches == []
