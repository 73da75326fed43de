"""What is due now: one test per sentence of the rules."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from core.model.diagnostic import Problem
from core.model.schedule import Due
from core.rules.timing.active import read_active
from core.rules.timing.due import due, read_catch_up
from core.rules.timing.expressions import read_schedule
from core.rules.timing.schedule import HOWEVER_LATE, ON_TIME, Schedule

BERLIN = ZoneInfo("Europe/Berlin")


def schedule(text: str) -> Schedule:
    read = read_schedule(text)
    assert not isinstance(read, Problem)
    return read


def at(text: str) -> datetime:
    """`16 09:00`: a day of November 2026 in Berlin, where it is UTC+1."""
    day, clock = text.split()
    return datetime.fromisoformat(f"2026-11-{day}T{clock}+01:00")


def decide(
    text: str,
    now: str,
    *,
    start: str | None = None,
    slot: str | None = None,
    seen: str | None = "01 00:00",
    catch_up: timedelta = HOWEVER_LATE,
    active: str | None = None,
    **more: Any,
) -> Due:
    hours = read_active(active) if active else None
    assert not isinstance(hours, Problem)
    last_start, last_slot, first_seen = (
        at(moment) if moment else None for moment in (start, slot, seen)
    )
    return due(
        schedule(text),
        at(now),
        BERLIN,
        last_start,
        last_slot,
        first_seen,
        catch_up,
        active=hours,
        **more,
    )


# -- every:


def test_every_is_due_at_once_where_it_never_ran() -> None:
    decided = decide("every:5m", "16 10:00", seen=None)
    assert decided.slot == at("16 10:00")
    assert decided.next == at("16 10:05")
    assert decided.reason == "it has never run"


def test_every_is_due_one_period_after_the_last_start() -> None:
    assert decide("every:5m", "16 10:04:59", start="16 10:00").next == at("16 10:05")
    assert decide("every:5m", "16 10:04:59", start="16 10:00").slot is None
    assert decide("every:5m", "16 10:05:00", start="16 10:00").slot == at("16 10:05")


@pytest.mark.parametrize(
    ("text", "slot", "start", "following"),
    [
        (
            "every:1h",
            "16 10:00",
            "16 10:00:30",
            "16 11:00:00",
        ),  # 30 s late: counts from the due time
        ("every:1h", "16 10:00", "16 10:00:31", "16 11:00:31"),  # later: from the start
        ("every:1m", "16 10:00", "16 10:00:06", "16 10:01:00"),  # 10 % of a minute
        ("every:1m", "16 10:00", "16 10:00:07", "16 10:01:07"),
    ],
)
def test_a_little_lateness_keeps_the_rhythm_of_every(
    text: str, slot: str, start: str, following: str
) -> None:
    assert decide(text, "16 10:00:40", slot=slot, start=start).next == at(following)


def test_every_says_its_next_as_if_it_started_now() -> None:
    assert decide("every:10m", "16 10:10:20", start="16 10:00").next == at("16 10:20")
    assert decide("every:10m", "16 10:13:00", start="16 10:00").next == at("16 10:23")


def test_every_missed_for_days_runs_once_for_its_one_due_time() -> None:
    decided = decide("every:5m", "20 10:00", start="16 10:00")
    assert decided.slot == at("16 10:05")
    assert decided.late


def test_every_leaves_out_what_was_missed_and_keeps_the_rhythm_where_catch_up_is_skip() -> None:
    decided = decide("every:2h", "20 11:00", start="16 10:00", catch_up=ON_TIME)
    assert decided.slot is None
    assert decided.missed == at("20 10:00")
    assert decided.next == at("20 12:00")
    assert decide("every:2h", "20 12:00:01", start="16 10:00", catch_up=ON_TIME).slot == at(
        "20 12:00"
    )


@pytest.mark.parametrize("ahead", ["16 10:30", "16 12:59", "16 18:00", "30 10:00"])
def test_every_counts_a_last_start_ahead_of_the_clock_as_now(ahead: str) -> None:
    decided = decide("every:5m", "16 10:00", start=ahead, slot=ahead)
    assert decided.slot is None
    assert decided.next == at("16 10:05")
    assert decided.counts_from == at("16 10:00")


def test_every_with_a_new_shorter_period_is_due_when_the_change_is_seen() -> None:
    assert decide("every:5m", "16 10:00:10", start="16 09:00", seen="16 10:00").slot == at(
        "16 10:00"
    )


# -- slots


def test_only_slots_after_the_first_sight_count() -> None:
    assert decide("daily:09:00", "16 10:00", seen="16 09:30").slot is None
    assert decide("daily:09:00", "16 10:00", seen="16 09:00").slot is None
    assert decide("daily:09:00", "16 10:00", seen="16 08:59").slot == at("16 09:00")
    assert decide("daily:09:00", "16 10:00", seen=None).slot is None


def test_a_slot_that_has_had_its_run_is_not_due_again() -> None:
    decided = decide("daily:09:00", "16 10:00", start="16 09:00:02", slot="16 09:00")
    assert decided.slot is None
    assert decided.next == at("17 09:00")
    assert decided.reason == "not before Tue 17 Nov 09:00"


def test_a_slot_that_came_while_its_beat_was_running_is_made_up_for() -> None:
    assert decide("hourly", "16 10:01", start="16 10:00:30", slot="16 09:00").slot == at("16 10:00")


def test_a_start_by_hand_counts_for_the_slots_before_it() -> None:
    assert decide("daily:09:00", "16 10:30", start="16 10:00", slot="16 10:00").slot is None
    assert decide("daily:09:00", "16 09:00", start="16 04:00", slot="16 04:00").slot == at(
        "16 09:00"
    )


def test_missed_slots_run_once_for_the_latest() -> None:
    decided = decide("daily:09:00", "16 10:00", start="10 09:00", slot="10 09:00")
    assert decided.slot == at("16 09:00")
    assert decided.missed == at("15 09:00")
    assert decided.late
    assert decided.reason == "missed at Mon 16 Nov 09:00, caught up now"


def test_one_missed_slot_leaves_none_behind() -> None:
    decided = decide("daily:09:00", "16 10:00", start="15 09:00", slot="15 09:00")
    assert (decided.slot, decided.missed, decided.late) == (at("16 09:00"), None, True)


@pytest.mark.parametrize(
    ("catch_up", "now", "is_due"),
    [
        ("run", "20 08:00", True),
        ("skip", "19 09:00:01", True),
        ("skip", "19 09:02:01", False),
        ("2h", "19 11:00", True),
        ("2h", "19 11:00:01", False),
    ],
)
def test_catch_up_says_how_late_a_slot_may_start(catch_up: str, now: str, is_due: bool) -> None:
    limit = read_catch_up(catch_up)
    assert isinstance(limit, timedelta)
    decided = decide("daily:09:00", now, start="16 09:00", slot="16 09:00", catch_up=limit)
    assert decided.slot == (at("19 09:00") if is_due else None)
    assert decided.missed == (
        at("18 09:00") if decided.late else None if is_due else at("19 09:00")
    )


def test_catch_up_that_cannot_be_read_says_what_is_possible() -> None:
    problem = read_catch_up("sometimes")
    assert isinstance(problem, Problem)
    assert "`run`, `skip`" in problem.hint


# -- a clock that was set back


def test_a_clock_set_back_by_up_to_three_hours_repeats_nothing() -> None:
    decided = decide("hourly", "16 09:30", start="16 12:00:05", slot="16 12:00")
    assert decided.slot is None
    assert decided.next == at("16 13:00")
    assert decided.counts_from is None
    assert decide("hourly", "16 11:00:05", start="16 12:00:05", slot="16 12:00").slot is None
    assert decide("hourly", "16 13:00:05", start="16 12:00:05", slot="16 12:00").slot == at(
        "16 13:00"
    )


def test_a_clock_set_back_during_a_late_start_repeats_nothing_up_to_that_start() -> None:
    decided = decide("hourly", "16 10:00:10", start="16 10:00:30", slot="16 09:00")
    assert (decided.slot, decided.next) == (None, at("16 11:00"))


def test_after_a_clock_set_back_by_more_everything_counts_from_now() -> None:
    decided = decide("hourly", "16 09:30", start="16 12:30:01", slot="16 12:00")
    assert decided.slot is None
    assert decided.next == at("16 10:00")
    assert decided.counts_from == at("16 09:30")


def test_a_first_seen_time_from_a_clock_years_ahead_is_corrected() -> None:
    future = datetime(2030, 1, 1, tzinfo=UTC)
    decided = due(schedule("daily:09:00"), at("16 08:00"), BERLIN, None, None, future, HOWEVER_LATE)
    assert decided.next == at("16 09:00")
    assert decided.counts_from == at("16 08:00")


# -- travelling


def test_a_date_has_one_run_also_where_the_person_travels_west() -> None:
    """It ran at 09:00 in Berlin; at 09:00 in New York it is still the same date."""
    new_york = ZoneInfo("America/New_York")
    daily, ran = schedule("daily:09:00"), at("16 09:00")
    now = datetime(2026, 11, 16, 9, 0, 5, tzinfo=new_york)
    decided = due(
        daily, now, new_york, ran, ran, at("01 00:00"), HOWEVER_LATE, last_day=daily.local_day(ran)
    )
    assert decided.slot is None
    assert decided.next == datetime(2026, 11, 17, 9, tzinfo=new_york)
    tomorrow = now + timedelta(days=1)
    decided = due(
        daily,
        tomorrow,
        new_york,
        ran,
        ran,
        at("01 00:00"),
        HOWEVER_LATE,
        last_day=daily.local_day(ran),
    )
    assert decided.slot == datetime(2026, 11, 17, 9, tzinfo=new_york)


def test_a_run_of_yesterdays_slot_after_midnight_does_not_cost_today_its_run() -> None:
    daily, start = schedule("daily:23:00"), at("16 00:30")
    decided = decide(
        "daily:23:00",
        "16 23:00:05",
        start="16 00:30",
        slot="15 23:00",
        last_day=daily.local_day(start),
    )
    assert decided.slot == at("16 23:00")


def test_hourly_does_not_depend_on_dates_and_goes_on_in_the_new_zone() -> None:
    assert schedule("hourly").local_day(at("16 09:00")) is None


# -- at:


def test_at_is_due_from_its_time_on_for_a_day() -> None:
    text = "at:2026-11-16T14:00"
    assert decide(text, "16 13:59").next == at("16 14:00")
    assert decide(text, "16 14:00").slot == at("16 14:00")
    assert decide(text, "17 14:00").slot == at("16 14:00")
    too_late = decide(text, "17 14:00:01")
    assert (too_late.slot, too_late.missed, too_late.next) == (None, at("16 14:00"), None)


def test_at_that_was_past_when_first_seen_never_runs_and_is_reported() -> None:
    decided = decide("at:2026-11-16T14:00", "16 14:10", seen="16 14:05")
    assert (decided.slot, decided.missed, decided.next) == (None, at("16 14:00"), None)
    assert "had already passed when it was first seen" in decided.reason
    later = decide(
        "at:2026-11-16T14:00", "16 15:00", seen="16 14:05", slot="16 14:00"
    )  # when that is recorded
    assert (later.slot, later.missed, later.reason) == (None, None, decided.reason)
    by_hand = decide(
        "at:2026-11-16T14:00", "16 15:00", seen="16 14:05", slot="16 14:30", start="16 14:30"
    )
    assert (by_hand.slot, by_hand.missed, by_hand.reason) == (
        None,
        None,
        "it was due once, and that is over",
    )


def test_at_runs_only_once_whatever_the_clock_does() -> None:
    for now in ("16 14:00:10", "16 15:00", "16 06:00", "10 00:00"):
        decided = decide("at:2026-11-16T14:00", now, start="16 14:00:05", slot="16 14:00")
        assert (decided.slot, decided.next, decided.counts_from) == (None, None, None)


def test_at_without_an_offset_does_not_come_again_in_a_zone_further_west() -> None:
    once, ran, new_york = (
        schedule("at:2026-11-16T14:00"),
        at("16 14:00"),
        ZoneInfo("America/New_York"),
    )
    now = datetime(2026, 11, 16, 14, 0, 5, tzinfo=new_york)
    decided = due(
        once, now, new_york, ran, ran, at("01 00:00"), HOWEVER_LATE, last_day=once.local_day(ran)
    )
    assert decided.slot is None
    assert once.local_day(at("16 13:59")) == date(
        2026, 11, 15
    )  # a start by hand before it settles nothing


def test_at_with_catch_up_skip_is_missed_when_it_is_late() -> None:
    assert decide("at:2026-11-16T14:00", "16 15:00", catch_up=ON_TIME).missed == at("16 14:00")


# -- startup


def test_startup_is_due_once_per_start_of_the_resident() -> None:
    started = at("16 08:00")
    assert decide("startup", "16 08:00:05", resident_start=started).slot == started
    assert (
        decide("startup", "16 18:00", resident_start=started).slot == started
    )  # paused until then
    assert decide("startup", "16 08:00:05", resident_start=None).slot is None
    ran = decide(
        "startup", "16 09:00", start="16 08:00:05", slot="16 08:00", resident_start=started
    )
    assert ran.slot is None
    again = decide(
        "startup", "17 08:00", start="16 08:00:05", slot="16 08:00", resident_start=at("17 08:00")
    )
    assert again.slot == at("17 08:00")


def test_startup_that_was_added_later_waits_for_the_next_start() -> None:
    assert (
        decide("startup", "16 10:00", seen="16 09:00", resident_start=at("16 08:00")).slot is None
    )


def test_startup_is_due_after_a_start_by_a_clock_that_was_far_ahead() -> None:
    started = at("16 08:00")
    assert (
        decide(
            "startup", "16 08:01", start="30 08:00", slot="30 08:00", resident_start=started
        ).slot
        == started
    )


# -- active hours


def test_a_slot_outside_the_active_hours_waits_for_them_and_is_not_late_meanwhile() -> None:
    night = decide(
        "daily:03:00", "16 03:00:01", active="09:00-18:00", catch_up=ON_TIME, start="15 03:00"
    )
    assert (night.slot, night.waiting, night.next) == (None, at("16 03:00"), at("16 09:00"))
    assert "waits for the active hours at Mon 16 Nov 09:00" in night.reason
    morning = decide(
        "daily:03:00", "16 09:00:01", active="09:00-18:00", catch_up=ON_TIME, start="15 03:00"
    )
    assert (morning.slot, morning.late) == (at("16 03:00"), False)
    noon = decide(
        "daily:03:00", "16 12:00", active="09:00-18:00", catch_up=ON_TIME, start="15 03:00"
    )
    assert (noon.slot, noon.missed) == (None, at("16 03:00"))


def test_every_outside_the_active_hours_waits_without_a_wake_up_each_period() -> None:
    decided = decide("every:1s", "16 20:00", active="09:00-18:00 mon-fri", start="16 17:59:59")
    assert (decided.slot, decided.next) == (None, at("17 09:00"))
