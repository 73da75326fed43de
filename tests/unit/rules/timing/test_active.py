"""Active hours: read, half-open, over midnight, in the person's zone."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest

from core.model.diagnostic import Problem
from core.model.schedule import ALL_DAYS, WEEKDAYS, ActiveHours
from core.rules.timing.active import is_active, next_active, read_active
from tests.unit.rules.timing.active_text import active_text

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "hours", "normal"),
    [
        ("09:00-18:00 mon-fri", ActiveHours(time(9), time(18), WEEKDAYS), "09:00-18:00 mon-fri"),
        ("09:00-18:00", ActiveHours(time(9), time(18), ALL_DAYS), "09:00-18:00"),
        (
            "22:00-07:00 fri-mon",
            ActiveHours(time(22), time(7), frozenset({4, 5, 6, 0})),
            "22:00-07:00 mon,fri,sat,sun",
        ),
        (
            "18:00-24:00 sat,sun",
            ActiveHours(time(18), time(0), frozenset({5, 6})),
            "18:00-00:00 sat-sun",
        ),
        (
            "00:00-24:00 Mon-Wed,fri",
            ActiveHours(time(0), time(0), frozenset({0, 1, 2, 4})),
            "00:00-24:00 mon,tue,wed,fri",
        ),
    ],
)
def test_hours_and_days_are_read(text: str, hours: ActiveHours, normal: str) -> None:
    assert read_active(text) == hours
    assert active_text(hours) == normal
    assert read_active(normal) == hours


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("9:00-18:00 mon-fri", "`09:00-18:00 mon-fri`"),
        ("9-18", "`09:00-18:00`"),
        ("9am to 5pm weekdays", "`09:00-17:00 mon-fri`"),
        ("09:00 – 18:00 mon – fri", "`09:00-18:00 mon-fri`"),
        ("mon-fri 09:00-18:00", "`09:00-18:00 mon-fri`"),
        ("09:00-18:00 Monday-Friday", "`09:00-18:00 mon-fri`"),
        ("09:00-18:00 mon, wed", "`09:00-18:00 mon,wed`"),
        ("09:00-24:30", "`09:00-18:00 mon-fri`"),
        ("09:00-09:00", "Write two different times"),
        ("09:00-18:00 mon-wed-fri", "`mon,wed,fri`"),
        ("09:00-18:00 funday", "Days are mon"),
        ("mornings", "`09:00-18:00 mon-fri`"),
        ("", "`09:00-18:00 mon-fri`"),
        ("9" * 1000, "`09:00-18:00 mon-fri`"),
    ],
)
def test_a_mistake_gets_a_fix(text: str, fix: str) -> None:
    problem = read_active(text)
    assert isinstance(problem, Problem)
    assert fix in problem.hint


@pytest.mark.parametrize(
    ("text", "moment", "active"),
    [
        ("09:00-18:00", "2026-11-16T07:59:59Z", False),
        ("09:00-18:00", "2026-11-16T08:00:00Z", True),  # 09:00 in Berlin
        ("09:00-18:00", "2026-11-16T16:59:59Z", True),
        ("09:00-18:00", "2026-11-16T17:00:00Z", False),
        ("09:00-18:00 mon-fri", "2026-11-15T10:00:00Z", False),  # a Sunday
        ("22:00-07:00 mon-fri", "2026-11-16T21:00:00Z", True),
        ("22:00-07:00 mon-fri", "2026-11-21T05:59:59Z", True),  # Saturday morning, opened on Friday
        ("22:00-07:00 mon-fri", "2026-11-21T06:00:00Z", False),
        (
            "22:00-07:00 mon-fri",
            "2026-11-16T05:00:00Z",
            False,
        ),  # Monday morning, would have opened on Sunday
        ("00:00-24:00 mon", "2026-11-16T22:59:59Z", True),
        ("00:00-24:00 mon", "2026-11-16T23:00:00Z", False),
        ("02:30-03:30", "2027-03-28T01:00:00Z", True),  # 02:30 is left out: it opens at 03:00
        ("02:10-02:50", "2027-03-28T01:00:00Z", False),  # left out as a whole
        ("02:00-02:30", "2026-10-25T01:10:00Z", False),  # 02:10 for the second time: it has closed
    ],
)
def test_a_window_is_half_open_and_belongs_to_the_day_on_which_it_opens(
    text: str, moment: str, active: bool
) -> None:
    hours = read_active(text)
    assert isinstance(hours, ActiveHours)
    assert is_active(hours, datetime.fromisoformat(moment), BERLIN) == active


def test_what_comes_outside_waits_for_the_next_opening() -> None:
    hours = ActiveHours(time(9), time(18), WEEKDAYS)
    friday_evening = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
    assert next_active(hours, friday_evening, BERLIN) == datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
    within = datetime(2026, 11, 20, 12, 34, 56, tzinfo=UTC)
    assert next_active(hours, within, BERLIN) == within


def test_a_window_that_the_zone_leaves_out_does_not_open() -> None:
    before = datetime(2027, 3, 28, 0, 0, tzinfo=UTC)
    opens = next_active(ActiveHours(time(2, 10), time(2, 50)), before, BERLIN)
    assert opens == datetime(2027, 3, 29, 0, 10, tzinfo=UTC)
