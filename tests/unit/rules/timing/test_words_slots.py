"""Slots: where each kind of schedule lies on the line of instants. Clock changes:
tests/property."""

from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from core.model.diagnostic import Problem
from core.rules.timing.expressions import read_schedule
from core.rules.timing.schedule import Schedule
from core.rules.timing.zones import read_zone


def schedule(text: str) -> Schedule:
    read = read_schedule(text)
    assert not isinstance(read, Problem)
    return read


def first(text: str, after: str, zone: str, count: int = 3) -> str:
    """The next slots in local time: `26-11-16 09:00, 26-11-17 09:00, …`."""
    slots = schedule(text).slots_after(datetime.fromisoformat(after), ZoneInfo(zone))
    return ", ".join(f"{slot:%y-%m-%d %H:%M}" for slot in islice(slots, count))


MONDAY = "2026-11-16T10:00:00Z"  # 11:00 in Berlin


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ("every:90m", MONDAY, "26-11-16 12:30, 26-11-16 14:00, 26-11-16 15:30"),
        ("hourly", MONDAY, "26-11-16 12:00, 26-11-16 13:00, 26-11-16 14:00"),
        ("daily:11:00", MONDAY, "26-11-17 11:00, 26-11-18 11:00, 26-11-19 11:00"),
        ("daily:11:00", "2026-11-16T09:59:59Z", "26-11-16 11:00, 26-11-17 11:00, 26-11-18 11:00"),
        (
            "weekdays:09:00",
            "2026-11-20T10:00:00Z",
            "26-11-23 09:00, 26-11-24 09:00, 26-11-25 09:00",
        ),
        ("weekends:09:00", MONDAY, "26-11-21 09:00, 26-11-22 09:00, 26-11-28 09:00"),
        ("weekly:mon,thu:09:00", MONDAY, "26-11-19 09:00, 26-11-23 09:00, 26-11-26 09:00"),
        ("monthly:1:09:00", MONDAY, "26-12-01 09:00, 27-01-01 09:00, 27-02-01 09:00"),
        ("monthly:31:09:00", MONDAY, "26-12-31 09:00, 27-01-31 09:00, 27-03-31 09:00"),
        (
            "monthly:last:09:00",
            "2027-12-31T10:00:00Z",
            "28-01-31 09:00, 28-02-29 09:00, 28-03-31 09:00",
        ),
        ("yearly:12-24:18:00", MONDAY, "26-12-24 18:00, 27-12-24 18:00, 28-12-24 18:00"),
        ("yearly:02-29:09:00", MONDAY, "28-02-29 09:00, 32-02-29 09:00, 36-02-29 09:00"),
        (
            "cron:'0 9 13 * 5'",
            MONDAY,
            "26-11-20 09:00, 26-11-27 09:00, 26-12-04 09:00",
        ),  # either day
        (
            "cron:'0 9 */2 * 1'",
            MONDAY,
            "26-11-23 09:00, 26-12-07 09:00, 26-12-21 09:00",
        ),  # a star: both
        ("cron:'0 0 * * 7'", MONDAY, "26-11-22 00:00, 26-11-29 00:00, 26-12-06 00:00"),
        ("at:2026-11-16T11:30", MONDAY, "26-11-16 11:30"),
        ("at:2026-11-16T10:00:00Z", MONDAY, ""),
        ("startup", MONDAY, ""),
    ],
)
def test_each_kind_comes_where_it_says_in_berlin(text: str, after: str, expected: str) -> None:
    assert first(text, after, "Europe/Berlin") == expected


def test_a_date_that_a_zone_left_out_has_no_slot() -> None:
    """Samoa went from 29 to 31 December 2011."""
    expected = "11-12-28 09:00, 11-12-29 09:00, 11-12-31 09:00, 12-01-01 09:00"
    assert first("daily:09:00", "2011-12-28T00:00:00Z", "Pacific/Apia", 4) == expected
    assert first("cron:'0 9 * * *'", "2011-12-28T00:00:00Z", "Pacific/Apia", 4) == expected
    assert first("monthly:30:09:00", "2011-12-01T00:00:00Z", "Pacific/Apia", 1) == "12-01-30 09:00"
    assert first("weekly:fri:09:00", "2011-12-24T00:00:00Z", "Pacific/Apia", 1) == "12-01-06 09:00"
    assert (
        first("hourly", "2011-12-30T08:30:00Z", "Pacific/Apia")
        == "11-12-29 23:00, 11-12-31 00:00, 11-12-31 01:00"
    )


def test_a_date_that_a_zone_had_twice_has_one_slot() -> None:
    """Kwajalein crossed the date line to the east at the end of September 1969."""
    slots = first("daily:12:00", "1969-09-28T12:00:00Z", "Pacific/Kwajalein", 4)
    assert slots == "69-09-29 12:00, 69-09-30 12:00, 69-10-01 12:00, 69-10-02 12:00"


def test_a_time_left_out_before_midnight_comes_at_midnight_and_costs_the_next_day_nothing() -> None:
    """Greenland's clocks go forward at 23:00 on a Saturday."""
    slots = first("daily:23:30", "2026-03-28T12:00:00Z", "America/Nuuk", 3)
    assert slots == "26-03-29 00:00, 26-03-29 23:30, 26-03-30 23:30"


@pytest.mark.parametrize(
    ("text", "after", "note"),
    [
        ("daily:02:30", "2027-03-28T00:00:00Z", "skips this time"),
        ("cron:'30 2 * * *'", "2027-03-28T00:00:00Z", "skips this time"),
        ("at:2027-03-28T02:30", "2027-03-28T00:00:00Z", "skips this time"),
        ("daily:02:30", "2026-10-24T12:00:00Z", "shows this time twice"),
        ("cron:'30 2 * * *'", "2026-10-24T12:00:00Z", "shows this time twice"),
        ("daily:09:00", "2027-03-28T00:00:00Z", None),
        ("cron:'30 9 * * *'", "2027-03-28T00:00:00Z", None),
        ("cron:'*/30 * * * *'", "2027-03-28T00:30:00Z", None),
        ("hourly", "2026-10-25T00:30:00Z", None),
        ("at:2027-03-28T02:30:00Z", "2027-03-28T00:00:00Z", None),
    ],
)
def test_a_clock_change_that_moves_a_slot_has_a_note(
    text: str, after: str, note: str | None
) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    slot = schedule(text).slot_after(datetime.fromisoformat(after), berlin)
    assert slot
    found = schedule(text).clock_change(slot, berlin)
    assert (found is None) if note is None else (found is not None and note in found)


@pytest.mark.parametrize(
    "text",
    [
        "every:1s",
        "hourly",
        "daily:09:00",
        "weekly:mon:09:00",
        "cron:'* * * * *'",
        "cron:'* 0-5 1 * *'",
    ],
)
def test_the_latest_of_a_hundred_million_missed_slots_needs_few_questions(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted, not timed: ten years ask no more than a few times as often as a day."""
    questions = 0
    kind = type(schedule(text))
    next_slot = kind.next_slot

    def counting(self: Schedule, after: datetime, zone: tzinfo) -> datetime | None:
        nonlocal questions
        questions += 1
        return next_slot(self, after, zone)

    monkeypatch.setattr(kind, "next_slot", counting)
    now = datetime(2026, 11, 16, 10, 0, 30, tzinfo=UTC)
    latest = schedule(text).latest_slot(now, ZoneInfo("Europe/Berlin"), now - timedelta(days=3650))
    assert latest
    assert latest <= now
    assert questions <= 40


def test_slots_carry_a_plain_offset_so_that_they_compare_as_instants() -> None:
    """Two datetimes of one ZoneInfo compare by their wall clocks: 02:00 would not be after 02:45
    an hour earlier."""
    start = datetime(2026, 10, 25, tzinfo=UTC)
    found = list(
        islice(schedule("cron:'*/15 * * * *'").slots_after(start, ZoneInfo("Europe/Berlin")), 9)
    )
    assert found == sorted(set(found))
    assert [f"{slot:%H:%M%z}" for slot in found[2:5]] == ["02:45+0200", "02:00+0100", "02:15+0100"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Europe/Berln", "Did you mean `Europe/Berlin`?"),
        ("europe/berlin ", "Did you mean `Europe/Berlin`?"),
        ("Europe", "Did you mean"),
        ("../../etc/passwd", "Write an IANA name"),
        ("", "Write an IANA name"),
        ("x" * 5000, "Write an IANA name"),
        ("Zürich\0", ""),
    ],
)
def test_an_unknown_zone_is_a_problem_with_the_nearest_name(name: str, hint: str) -> None:
    problem = read_zone(name)
    assert isinstance(problem, Problem)
    assert hint in problem.hint
