"""Which actions come again."""

import pytest

from core.kinds import read_document
from core.rules.writing.results import is_recurring
from tests.stage import action, actions


@pytest.mark.parametrize(
    ("schedule", "recurs"),
    [
        ("daily:09:00", True),
        ("daily:9 o'clock", True),
        ("at:2026-11-16T09:00", False),
        ("at:tomorrow", False),
        ("AT:2026-13-01", False),
        ("sometimes", True),
    ],
)
def test_a_slip_in_a_schedule_does_not_make_a_one_time_action_come_again(
    schedule: str, recurs: bool
) -> None:
    document = read_document(actions(action("a", f"schedule: {schedule}")).encode())
    assert is_recurring(document.actions[0]) is recurs


def test_an_action_without_a_schedule_comes_once() -> None:
    document = read_document(actions(action("a")).encode())
    assert not is_recurring(document.actions[0])
