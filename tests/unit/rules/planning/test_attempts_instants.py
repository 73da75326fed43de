"""Instants in the lines of an action: written in the file's zone, recognized in every zone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from core.kinds import read_document
from core.model.document import Action
from core.rules.planning.attempts import instant_text, shows_end

END = datetime(2026, 7, 1, 12, 30, 15, 250_000, tzinfo=UTC)


def action(written: str) -> Action:
    text = f"## Pending Actions\n### [LOW] A\n- id: a\n- command: a\n- completed_at: {written}\n"
    (found,) = read_document(text.encode()).actions
    return found


def test_an_instant_is_written_in_the_zone_of_the_file() -> None:
    assert instant_text(END, ZoneInfo("Europe/Berlin")) == "2026-07-01T14:30:15+02:00"
    assert instant_text(END, ZoneInfo("UTC")) == "2026-07-01T12:30:15Z"


@pytest.mark.parametrize(
    "written",
    ["2026-07-01T12:30:15Z", "2026-07-01T14:30:15+02:00", "2026-07-01T05:30:15-07:00"],
)
def test_the_same_end_is_recognized_in_every_zone(written: str) -> None:
    assert shows_end(action(written), END)


@pytest.mark.parametrize(
    "written", ["2026-07-01T12:30:16Z", "2026-07-01T14:30:15", "2026-07-01", "yesterday", ""]
)
def test_another_instant_or_none_is_not_taken_for_it(written: str) -> None:
    assert not shows_end(action(written), END)
