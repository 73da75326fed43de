"""Which buttons a notification has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.trouble import TroubleKind, read_trouble_key
from tray_app.tray.commands import MenuAction, ResidentAction, answers_to


@pytest.mark.parametrize(
    ("trouble", "labels"),
    [
        ("failure:action:backup", ["Open", "Run again", "Snooze 1 h"]),
        ("contradiction:task:mail", ["Open", "Run again", "Snooze 1 h"]),
        ("exhausted:task:mail", ["Open", "Snooze 1 h"]),
        (TroubleKind.SCORE_DROP, ["Open", "Snooze 1 h"]),
        (TroubleKind.APPROVAL, ["Approve…", "Snooze 1 h"]),
        (TroubleKind.MODEL, ["Set API key…", "Snooze 1 h"]),
        (TroubleKind.REFUSED, ["Open", "Snooze 1 h"]),
        ("message:2026-11-16T09:00:00+01:00:0", ["Open"]),
        ("", ["Open"]),
    ],
)
def test_the_buttons_of_each_trouble(trouble: str, labels: list[str]) -> None:
    assert [button.label for button in answers_to(read_trouble_key(trouble))] == labels


def test_a_failure_is_run_again_and_shown_by_the_key_of_its_item() -> None:
    backup = read_trouble_key("failure:action:backup")
    opened, again, snoozed = (button.command for button in answers_to(backup))
    assert (opened.act, opened.argument) == (MenuAction.RECEIPT, "action:backup")
    assert (again.act, again.argument) == (ResidentAction.RUN, "action:backup")
    assert (snoozed.act, snoozed.argument) == (ResidentAction.SNOOZE, "failure:action:backup")


@given(st.text(max_size=40))
def test_every_trouble_has_an_answer_and_none_quits_or_pauses(trouble: str) -> None:
    acts = [button.command.act for button in answers_to(read_trouble_key(trouble))]
    assert acts
    assert not {ResidentAction.QUIT, ResidentAction.PAUSE, MenuAction.AUTOSTART} & set(acts)
