"""Every clock change of 2025-2027 in every zone: no slot twice, none lost, none at a wrong time.

The oracle is the zone's clock itself, read minute by minute around the change. Zones that change
alike are tried once.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import accumulate, takewhile
from zoneinfo import ZoneInfo, available_timezones

import pytest
from cronsim import CronSim

from core.model.schedule import ALL_DAYS, WEEKDAYS, WEEKENDS
from core.rules.timing.due import due
from core.rules.timing.schedule import HOWEVER_LATE, Schedule
from core.rules.timing.words import Cron, Daily, Hourly, Monthly

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
DAYS_AROUND = 3 * DAY
SOME_TIMES = [time(0), time(0, 30), time(1, 59), time(2, 30), time(9), time(23, 30)]


@dataclass(frozen=True)
class Change:
    """A clock change, and what the clock shows at every minute around it."""

    name: str
    at: datetime
    start: datetime
    minutes: list[datetime]  # the naive local time at each minute after start
    latest: list[datetime]  # the latest time that the clock has shown so far

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.name)

    @property
    def end(self) -> datetime:
        return self.start + len(self.minutes) * MINUTE

    def instant(self, wall: datetime) -> datetime:
        """The first minute at which the clock shows this time or has gone past it."""
        return self.start + (bisect_left(self.latest, wall) + 1) * MINUTE

    def dates(self) -> list[date]:
        """The dates that lie as a whole between start and end."""
        first, last = self.minutes[0].date() + DAY, self.minutes[-1].date()
        return [first + number * DAY for number in range((last - first).days)]

    def times(self) -> list[time]:
        """Times of day: some for all, and those just around the change, on both sides and in the
        middle of it."""
        index = (self.at - self.start) // MINUTE - 1
        before, after = self.minutes[index - 1] + MINUTE, self.minutes[index]
        around = {
            moment.time()
            for edge in (before, after)
            for moment in (edge - MINUTE, edge, edge + MINUTE)
        }
        return sorted(
            {*SOME_TIMES, *around, (before + (after - before) / 2).replace(second=0).time()}
        )


@cache
def changes() -> list[Change]:
    alike: dict[tuple[tuple[datetime, timedelta, timedelta], ...], str] = {}
    for name in sorted(available_timezones()):
        alike.setdefault(tuple(transitions(ZoneInfo(name))), name)
    return [around(name, at) for offsets, name in alike.items() for at, _, _ in offsets]


def transitions(zone: ZoneInfo) -> Iterator[tuple[datetime, timedelta, timedelta]]:
    """Found by looking every five days, then halving; no zone changes there and back within five
    days."""
    first = datetime(2025, 1, 1, tzinfo=UTC)
    for start in (first + number * DAY for number in range(0, 3 * 365, 5)):
        before, after = start, start + 5 * DAY
        if offset(before, zone) == offset(after, zone):
            continue
        while after - before > MINUTE:
            middle = before + (after - before) // MINUTE // 2 * MINUTE
            if offset(middle, zone) == offset(after, zone):
                after = middle
            else:
                before = middle
        yield after, offset(before, zone), offset(after, zone)


def offset(moment: datetime, zone: ZoneInfo) -> timedelta:
    found = moment.astimezone(zone).utcoffset()
    assert found is not None
    return found


def around(name: str, at: datetime) -> Change:
    zone, start = ZoneInfo(name), at - DAYS_AROUND
    instants = (start + number * MINUTE for number in range(1, 2 * DAYS_AROUND // MINUTE))
    minutes = [instant.astimezone(zone).replace(tzinfo=None, fold=0) for instant in instants]
    return Change(name, at, start, minutes, list(accumulate(minutes, max)))


def slots_between(
    schedule: Schedule, change: Change, start: datetime, end: datetime
) -> list[datetime]:
    return list(takewhile(lambda slot: slot <= end, schedule.slots_after(start, change.zone)))


def days_of_slots(change: Change, schedule: Daily) -> list[datetime]:
    """What the oracle says: one instant for each date of the schedule."""
    dates = [day for day in change.dates() if day.weekday() in schedule.days]
    return [change.instant(datetime.combine(day, schedule.at)) for day in dates]


def cron_slots(fields: str, change: Change, start: datetime, end: datetime) -> list[datetime]:
    """cronsim's own answers with the zone; what is not after the one before is discarded."""
    found = [start]
    for slot in CronSim(fields, start.astimezone(change.zone)):
        if slot.astimezone(UTC) > end:
            return found[1:]
        if slot.astimezone(UTC) > found[-1]:
            found.append(slot.astimezone(UTC))
    raise AssertionError("cronsim ends only after 50 years")


def test_all_changes_are_found() -> None:
    found = changes()
    assert len(found) >= 180
    assert {"Australia/LHI", "America/Godthab", "Antarctica/Troll"} <= {
        change.name for change in found
    }


@pytest.mark.parametrize(
    ("days", "cron_days"), [(ALL_DAYS, "*"), (WEEKDAYS, "1-5"), (WEEKENDS, "0,6")]
)
def test_a_time_of_day_comes_once_on_each_of_its_dates_as_cronsim_says(
    days: frozenset[int], cron_days: str
) -> None:
    for change in changes():
        for at in change.times():
            schedule = Daily(at, days)
            expected = days_of_slots(change, schedule)
            start = change.instant(datetime.combine(change.dates()[0], time.min)) - MINUTE
            assert slots_between(schedule, change, start, expected[-1]) == expected, (
                change.name,
                schedule,
            )
            fields = f"{at.minute} {at.hour} * * {cron_days}"
            assert cron_slots(fields, change, start, expected[-1]) == expected, (
                change.name,
                schedule,
            )
            assert slots_between(Cron(fields), change, start, expected[-1]) == expected, (
                change.name,
                schedule,
            )


def test_a_time_of_day_that_is_left_out_comes_at_the_end_of_the_gap() -> None:
    """The oracle's own rule, said once more without it."""
    berlin = ZoneInfo("Europe/Berlin")
    slot = Daily(time(2, 30)).slot_after(datetime(2026, 3, 28, 12, tzinfo=UTC), berlin)
    assert slot == datetime(2026, 3, 29, 1, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "fields", ["0,30 1-3 * * *", "15 0,23 * * 1-5", "5 2 * * 0", "45 0-4 29,30,31 * *"]
)
def test_cron_times_of_day_come_once_each(fields: str) -> None:
    for change in changes():
        walls = takewhile(change.minutes[-600].__gt__, CronSim(fields, change.minutes[0]))
        expected = sorted(
            {change.instant(wall) for wall in walls}
        )  # two that are left out come as one
        if expected:
            assert (
                slots_between(Cron(fields), change, change.start + MINUTE, expected[-1]) == expected
            ), change.name


@pytest.mark.parametrize(
    "fields", ["0 * * * *", "30 * * * *", "*/30 * * * *", "0 */2 * * *", "*/15 1-3 * * 0,6"]
)
def test_rhythms_follow_elapsed_time(fields: str) -> None:
    """Not cronsim's answers: with a zone it loses 02:00 on Lord Howe, where clocks go back by
    half an hour, 02:45 on the Chathams, where they change at 02:45, and gives 01:00 for an hour
    0 that is left out (Havana, Azores)."""
    for change in changes():
        calendar = CronSim(fields, change.minutes[0])
        expected = [
            change.start + number * MINUTE
            for number, wall in enumerate(change.minutes, 1)
            if wall.minute in calendar.minutes
            and wall.hour in calendar.hours
            and calendar.match_day(wall.date())
        ]
        assert slots_between(Cron(fields), change, change.start, change.end) == expected, (
            change.name
        )
        if fields == "0 * * * *":
            assert slots_between(Hourly(), change, change.start, change.end) == expected, (
                change.name
            )


def test_the_latest_slot_is_the_last_of_all_slots() -> None:
    for change in changes():
        for schedule in (
            Hourly(),
            Daily(change.times()[3]),
            Cron("*/20 * * * *"),
            Cron("30 1,2 * * *"),
        ):
            slots = slots_between(schedule, change, change.at - 2 * DAY, change.at + DAY)
            for hours in range(-1, 3):
                now = change.at + timedelta(hours=hours, minutes=10)
                expected = [slot for slot in slots if slot <= now][-1]
                assert schedule.latest_slot(now, change.zone, change.at - 2 * DAY) == expected, (
                    change.name,
                    schedule,
                )


def test_a_daily_item_starts_once_per_date_whenever_somebody_looks() -> None:
    """Somebody looks every 50 minutes for days: never before the slot, at the first look after
    it, never twice."""
    look = timedelta(minutes=50)
    for change in changes():
        for at in change.times()[::4]:
            schedule = Daily(at)
            expected = days_of_slots(change, schedule)
            now = seen = change.instant(datetime.combine(change.dates()[0], time.min)) - MINUTE
            slots, last_start, last_slot, last_day = [], None, None, None
            while now < expected[-1] + look:
                decided = due(
                    schedule,
                    now,
                    change.zone,
                    last_start,
                    last_slot,
                    seen,
                    HOWEVER_LATE,
                    last_day=last_day,
                )
                if decided.slot:
                    assert timedelta(0) <= now - decided.slot < look
                    slots.append(decided.slot)
                    last_start, last_slot, last_day = (
                        now,
                        decided.slot,
                        schedule.local_day(decided.slot),
                    )
                now += look
            assert slots == expected, (change.name, schedule)


def test_the_last_day_of_a_month_may_be_the_day_of_the_change() -> None:
    slot = Monthly(time(2, 30), None).slot_after(
        datetime(2024, 3, 30, tzinfo=UTC), ZoneInfo("Europe/Berlin")
    )
    assert slot == datetime(2024, 3, 31, 1, 0, tzinfo=UTC)
