"""The history file as text."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.occurrence import Occurrence, Outcome, State, Verdict
from core.rules.reporting.history import BEGIN, END, MOST_LINES, history_entry, history_file

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 16, 11, 0, tzinfo=UTC)
DAY = date(2026, 11, 16)
DONE = Occurrence(
    "backup",
    "action",
    NOON,
    7,
    "hourly",
    state=State.VERIFIED,
    outcome=Outcome.COMPLETED,
    recorded=NOON,
    day=DAY,
    started=NOON,
    finished=NOON + timedelta(seconds=1.25),
    result="12 files",
    verdict=Verdict.VERIFIED,
    points=10,
)
HELD = Occurrence(
    "report",
    "prompt",
    NOON,
    7,
    "no model is set up",
    state=State.WAITING,
    outcome=Outcome.NEEDS_MODEL,
    recorded=NOON,
)
NOTED = "# 2026-11-16\n\nMy own note.\n"


def test_a_new_day_has_a_title_and_a_line_per_occurrence_oldest_first() -> None:
    lied = replace(
        DONE,
        outcome=Outcome.FAILED,
        error="exit 1",
        verdict=Verdict.NOT_VERIFIED,
        contradiction=True,
        points=-45,
    )
    text = history_file("", DAY, [HELD, lied, DONE], BERLIN)
    assert text.splitlines() == [
        "# 2026-11-16",
        "",
        BEGIN,
        "- 12:00:00 backup: verified +10 in 1.2 s · 12 files",
        "- 12:00:00 backup: contradiction -45 in 1.2 s · exit 1",
        "- 12:00:00 report: needs a model · no model is set up",
        END,
    ]


def test_a_line_says_why_a_verdict_is_so_and_what_was_measured_from_itself() -> None:
    denied = replace(
        DONE, kind="task", verdict=Verdict.NOT_VERIFIED, points=-15, ruling="> 0; it found 0"
    )
    own = replace(DONE, kind="task", self_reported=True)
    broken = replace(
        denied, verdict=None, points=0, outcome=Outcome.SKIPPED, result="", check_fails=True
    )
    calm = replace(broken, check_fails=False, ruling="")
    lines = history_file("", DAY, [calm, broken, own, denied], BERLIN)
    assert lines.splitlines()[3:-1] == [
        "- 12:00:00 backup: not verified -15 in 1.2 s · > 0; it found 0 · it said: “12 files”",
        "- 12:00:00 backup: verified +10 in 1.2 s · self-reported · 12 files",
        "- 12:00:00 backup: skipped, but its check fails in 1.2 s · > 0; it found 0",
        "- 12:00:00 backup: skipped in 1.2 s · it was skipped",
    ]


def test_what_is_still_running_is_not_listed_yet() -> None:
    running = replace(DONE, state=State.STARTED, outcome=None, finished=None)
    assert "backup" not in history_file("", DAY, [running], BERLIN)


def test_writing_again_changes_nothing_and_new_rows_come_behind() -> None:
    once = history_file("", DAY, [DONE], BERLIN)
    assert history_file(once, DAY, [DONE], BERLIN) == once
    assert history_file(once, DAY, [HELD, DONE], BERLIN) == history_file(
        "", DAY, [HELD, DONE], BERLIN
    )


@given(before=st.text(), behind=st.text())
def test_a_persons_own_lines_stay(before: str, behind: str) -> None:
    first = history_file(before, DAY, [DONE], BERLIN)
    assert first.startswith(before)
    second = history_file(first + behind, DAY, [HELD, DONE], BERLIN)
    assert second.startswith(before)
    assert second.endswith(behind)
    assert history_file(second, DAY, [HELD, DONE], BERLIN) == second


def test_a_lost_mark_loses_no_note() -> None:
    first = history_file(NOTED, DAY, [DONE], BERLIN)
    text = first.replace(END + "\n", "") + "Behind it.\n"
    fixed = history_file(text, DAY, [DONE], BERLIN)
    assert fixed.startswith(text)
    assert fixed.endswith(END + "\n")


@pytest.mark.parametrize(
    "printed", [f"x\n{END}\n- forged", "a\u2028b\x85c\x0bd\re", "\x1b[31mred\x00", "y" * 5000]
)
def test_whatever_a_command_printed_stays_in_its_line(printed: str) -> None:
    text = history_file("", DAY, [replace(DONE, result=printed)], BERLIN)
    lines = text.splitlines()
    assert len(lines) == 5
    assert lines[-1] == END
    assert len(lines[3]) < 300
    assert all(letter.isprintable() for letter in lines[3])


def test_a_day_of_a_busy_item_stays_readable() -> None:
    lines = history_file("", DAY, [DONE] * (MOST_LINES + 5), BERLIN).splitlines()
    assert len(lines) == MOST_LINES + 5
    assert "heartbeat history" in lines[3]


def test_the_json_of_an_occurrence_is_as_pinned() -> None:
    entry = history_entry(DONE, BERLIN)
    assert json.loads(json.dumps(entry)) == {
        "beat": 7,
        "id": "backup",
        "kind": "action",
        "slot": "2026-11-16T12:00:00+01:00",
        "started": "2026-11-16T12:00:00+01:00",
        "finished": "2026-11-16T12:00:01.250000+01:00",
        "outcome": "completed",
        "reason": "hourly",
        "verdict": "verified",
        "contradiction": False,
        "check_fails": False,
        "self_reported": False,
        "ruling": None,
        "points": 10,
        "result": "12 files",
        "error": None,
        "undone": False,
    }
    assert history_entry(HELD, BERLIN)["started"] is None
