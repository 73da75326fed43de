"""Which buttons a notification has, and what waits for the person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.announcements import APPROVAL, MODEL, REFUSED, SCORE_DROP, Told
from core.model.status import Need
from core.rules.announcing.needs import is_urging, needs_of
from tray_app.tray.commands import Act, answers_to


@pytest.mark.parametrize(
    ("trouble", "labels"),
    [
        ("failure:action:backup", ["Open", "Run again", "Snooze 1 h"]),
        ("contradiction:task:mail", ["Open", "Run again", "Snooze 1 h"]),
        ("exhausted:task:mail", ["Open", "Snooze 1 h"]),
        (SCORE_DROP, ["Open", "Snooze 1 h"]),
        (APPROVAL, ["Approve…", "Snooze 1 h"]),
        (MODEL, ["Set API key…", "Snooze 1 h"]),
        (REFUSED, ["Open", "Snooze 1 h"]),
        ("message:2026-11-16T09:00:00+01:00:0", ["Open"]),
        ("", ["Open"]),
    ],
)
def test_the_buttons_of_each_trouble(trouble: str, labels: list[str]) -> None:
    assert [button.label for button in answers_to(trouble)] == labels


def test_a_failure_is_run_again_and_shown_by_the_key_of_its_item() -> None:
    opened, again, snoozed = (button.command for button in answers_to("failure:action:backup"))
    assert (opened.act, opened.argument) == (Act.RECEIPT, "action:backup")
    assert (again.act, again.argument) == (Act.RUN, "action:backup")
    assert (snoozed.act, snoozed.argument) == (Act.SNOOZE, "failure:action:backup")


@given(st.text(max_size=40))
def test_every_trouble_has_an_answer_and_none_quits_or_pauses(trouble: str) -> None:
    acts = [button.command.act for button in answers_to(trouble)]
    assert acts
    assert not {Act.QUIT, Act.PAUSE, Act.AUTOSTART} & set(acts)


def told(*keys: str) -> dict[str, Told]:
    return {key: Told("words", f"title of {key}") for key in keys}


def test_what_waits_is_what_the_plan_found_and_what_was_told_newest_first() -> None:
    found = needs_of({"approvals_waiting": 2, "errors": 1}, told("failure:task:a", APPROVAL, "failure:task:b"))
    assert found == (
        Need(APPROVAL, "2 waiting for your approval"),
        Need("errors", "1 error in HEARTBEAT.md"),
        Need("failure:task:b", "title of failure:task:b"),
        Need("failure:task:a", "title of failure:task:a"),
    )


def test_a_score_drop_is_news_and_nothing_that_waits() -> None:
    assert needs_of({}, told(SCORE_DROP)) == ()


def test_a_file_that_is_refused_is_one_thing_not_two() -> None:
    assert [need.trouble for need in needs_of({"errors": 1}, told(REFUSED))] == [REFUSED]


def test_to_have_no_model_alone_calls_for_no_attention() -> None:
    assert not is_urging(needs_of({}, told(MODEL)))
    assert is_urging(needs_of({}, told(MODEL, "failure:task:a")))
    assert is_urging(needs_of({"approvals_waiting": 1}, {}))


def test_a_plan_of_another_version_is_read_with_care() -> None:
    assert needs_of({"approvals_waiting": "many", "errors": None}, {}) == ()
