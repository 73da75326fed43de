"""What the always-on process does next: one test per rule, and the order in which they hold."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from core.model.ledger import Pause, PlanNote, RunRequest
from core.model.occurrence import BeatReason
from core.rules.residing.next_step import (
    Situation,
    Sleep,
    StartBeat,
    StartPlan,
    is_paused,
    next_step,
    rest_after,
)
from tests.stage import at

NOW = at("16 10:00")
QUIET = Situation(
    child_at_work=False,
    plan_wanted=False,
    note=PlanNote(at("16 09:00"), at("16 11:00")),
    pause=None,
    request=None,
)
DUE = replace(QUIET, note=PlanNote(at("16 09:00"), NOW))
REQUEST = RunRequest((), NOW)
BY_AGENT = RunRequest(("a",), NOW, by_agent=True)
UNTIL_NOON = Pause(at("16 09:00"), at("16 12:00"))
UNTIL_RESUMED = Pause(at("16 09:00"), None)


@pytest.mark.parametrize(
    ("wake", "step"),
    [
        ("16 11:00", Sleep(at("16 11:00"))),
        ("16 10:00:01", Sleep(at("16 10:00:01"))),
        ("16 10:00", StartBeat(BeatReason.TIMER)),
        ("09 10:00", StartBeat(BeatReason.TIMER)),
        (None, Sleep(None)),
    ],
)
def test_it_sleeps_until_the_moment_that_the_last_plan_named(
    wake: str | None, step: object
) -> None:
    note = PlanNote(at("16 09:00"), at(wake) if wake else None)
    assert next_step(replace(QUIET, note=note), NOW) == step


@pytest.mark.parametrize("situation", [QUIET, DUE], ids=["quiet", "due"])
@pytest.mark.parametrize(
    ("changes", "step"),
    [
        ({"plan_wanted": True}, StartPlan()),
        ({"note": None}, StartPlan()),
        ({"request": REQUEST}, StartBeat(BeatReason.PERSON)),
        ({"request": RunRequest(("a", "b"), NOW)}, StartBeat(BeatReason.PERSON)),
        ({"pause": UNTIL_NOON}, Sleep(at("16 12:00"))),
        ({"pause": UNTIL_RESUMED}, Sleep(None)),
        ({"rest_until": at("16 10:05")}, Sleep(at("16 10:05"))),
        ({"is_elsewhere": True}, Sleep(None)),
        ({"child_at_work": True}, Sleep(None)),
        # a model's request does not override the person's pause or a rest
        ({"request": BY_AGENT}, StartBeat(BeatReason.AGENT)),
        ({"request": BY_AGENT, "pause": UNTIL_RESUMED}, Sleep(None)),
        ({"request": BY_AGENT, "rest_until": at("16 10:05")}, Sleep(at("16 10:05"))),
        ({"request": BY_AGENT, "is_elsewhere": True}, Sleep(None)),
        # the person waits for it
        ({"request": REQUEST, "pause": UNTIL_RESUMED}, StartBeat(BeatReason.PERSON)),
        ({"request": REQUEST, "rest_until": at("16 10:05")}, StartBeat(BeatReason.PERSON)),
        ({"request": REQUEST, "plan_wanted": True}, StartBeat(BeatReason.PERSON)),
        ({"request": REQUEST, "is_elsewhere": True}, StartBeat(BeatReason.PERSON)),
        # without its folder nothing runs, whoever waits
        ({"is_away": True}, Sleep(None)),
        ({"is_away": True, "request": REQUEST}, Sleep(None)),
        ({"is_away": True, "plan_wanted": True}, Sleep(None)),
        # one child at a time, whatever else there is
        ({"request": REQUEST, "child_at_work": True}, Sleep(None)),
        ({"plan_wanted": True, "child_at_work": True}, Sleep(None)),
        # a pause holds beats back, not plans: what a saved file says is known at once
        ({"pause": UNTIL_RESUMED, "plan_wanted": True}, StartPlan()),
        # a rest and another machine hold everything back that nobody waits for
        ({"rest_until": at("16 10:05"), "plan_wanted": True}, Sleep(at("16 10:05"))),
        ({"rest_until": at("16 10:05"), "pause": UNTIL_NOON}, Sleep(at("16 10:05"))),
        ({"is_elsewhere": True, "plan_wanted": True}, Sleep(None)),
        ({"is_elsewhere": True, "rest_until": at("16 10:05")}, Sleep(None)),
    ],
)
def test_each_situation_gives_its_next_step(
    situation: Situation, changes: dict[str, Any], step: object
) -> None:
    assert next_step(replace(situation, **changes), NOW) == step


@pytest.mark.parametrize("changes", [{"pause": UNTIL_NOON}, {"rest_until": at("16 12:00")}])
def test_a_pause_and_a_rest_are_over_at_their_end(changes: dict[str, Any]) -> None:
    held = replace(DUE, **changes)
    assert next_step(held, at("16 11:59:59")) == Sleep(at("16 12:00"))
    assert next_step(held, at("16 12:00")) == StartBeat(BeatReason.TIMER)


def test_where_it_is_switched_off_nothing_starts_by_itself() -> None:
    off = replace(DUE, note=PlanNote(at("16 09:00"), NOW, is_enabled=False))
    assert next_step(off, NOW) == Sleep(None)
    assert next_step(replace(off, request=REQUEST), NOW) == StartBeat(BeatReason.PERSON)
    assert next_step(replace(off, plan_wanted=True), NOW) == StartPlan()


@pytest.mark.parametrize(
    ("until", "now", "paused"),
    [(None, "30 10:00", True), ("16 12:00", "16 11:59:59", True), ("16 12:00", "16 12:00", False)],
)
def test_a_pause_holds_until_its_end(until: str | None, now: str, paused: bool) -> None:
    assert is_paused(Pause(at("16 09:00"), at(until) if until else None), at(now)) is paused


def test_a_rest_doubles_from_a_second_to_ten_minutes() -> None:
    rests = [rest_after(failures).total_seconds() for failures in range(1, 13)]
    assert rests == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]
    assert rest_after(10_000) == timedelta(minutes=10)


def test_it_never_sleeps_until_a_moment_that_has_passed() -> None:
    moments: list[datetime | None] = [None, *(at(f"16 {hour:02}:00") for hour in range(8, 13))]
    for wake in moments:
        for pause in (None, UNTIL_NOON, UNTIL_RESUMED):
            for rest in moments:
                note = PlanNote(at("16 09:00"), wake)
                step = next_step(replace(QUIET, note=note, pause=pause, rest_until=rest), NOW)
                assert not isinstance(step, Sleep) or step.until is None or step.until > NOW
