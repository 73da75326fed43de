"""What holds for every schedule at every moment: never too early, never too late, never twice,
read as written."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from core.model.diagnostic import Problem
from core.model.schedule import ActiveHours, Due
from core.rules.timing.active import is_active, next_active, read_active
from core.rules.timing.due import due
from core.rules.timing.durations import duration_text, duration_words, read_duration
from core.rules.timing.expressions import read_schedule
from core.rules.timing.schedule import HOWEVER_LATE, Schedule
from core.rules.timing.words import At, Cron, Daily, Every, Hourly, Monthly, Startup, Yearly
from tests.unit.rules.timing.active_text import active_text

UNHURRIED = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # the machine may be busy
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)

times = st.builds(time, st.integers(0, 23), st.integers(0, 59))
days = st.frozensets(st.integers(0, 6), min_size=1)
zones = st.sampled_from(sorted(available_timezones())).map(ZoneInfo)
moments = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis wants it bare
waits = st.timedeltas(timedelta(0), timedelta(days=40))


def cron_field(first: int, last: int) -> st.SearchStrategy[str]:
    number = st.integers(first, last)
    span = st.tuples(number, number).map(lambda pair: f"{min(pair)}-{max(pair)}")
    star = st.just("*") | st.integers(1, last).map(lambda step: f"*/{step}")
    stepped = st.tuples(span, st.integers(1, 9)).map(lambda pair: f"{pair[0]}/{pair[1]}")
    return (
        star
        | number.map(str)
        | span
        | stepped
        | st.lists(number | span, min_size=2, max_size=3).map(joined)
    )


def joined(parts: list[int | str]) -> str:
    return ",".join(map(str, parts))


cron_fields = st.tuples(
    cron_field(0, 59), cron_field(0, 23), cron_field(1, 31), cron_field(1, 12), cron_field(0, 7)
)
crons = (
    cron_fields.map(" ".join)
    .map(lambda fields: read_schedule(f"cron:{fields}"))
    .filter(lambda schedule: isinstance(schedule, Cron))
)
dates = st.dates(date(2000, 1, 1), date(2000, 12, 31))
calendars = st.one_of(
    st.builds(Daily, times, days),
    st.builds(Monthly, times, st.none() | st.integers(1, 31)),
    st.builds(lambda at, day: Yearly(at, day.month, day.day), times, dates),
)
recurring = st.one_of(st.just(Hourly()), calendars, crons)
everies = st.timedeltas(timedelta(seconds=1), timedelta(days=50)).map(
    lambda t: Every(timedelta(seconds=t // timedelta(seconds=1)))
)
onces = st.builds(At, moments | st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1)))  # noqa: DTZ001 - hypothesis wants it bare
schedules = st.one_of(recurring, everies, onces, st.just(Startup()))

LIKELY = [
    *"0123456789:-,*/ 'TZL#",
    "every",
    "daily",
    "weekly",
    "monthly",
    "cron:",
    "at:",
    "mon",
    "last",
    "2026-01-15",
    "5m",
    "09:00",
]
likely_texts = st.lists(st.sampled_from(LIKELY), max_size=12).map("".join)
texts = st.text() | likely_texts


@given(texts)
@settings(UNHURRIED, max_examples=1000)
def test_any_text_is_a_schedule_or_a_problem_with_a_fix(text: str) -> None:
    read = read_schedule(text)
    if isinstance(read, Problem):
        assert read.message.endswith(".")
        assert read.hint.endswith((".", "?"))
        assert "\n" not in read.message + read.hint
    else:
        assert read_schedule(read.text()) == read


@given(texts)
@settings(UNHURRIED, max_examples=500)
def test_a_fix_can_be_read(text: str) -> None:
    read = read_schedule(text)
    if isinstance(read, Problem) and read.hint.startswith("Write `") and read.hint.endswith("`."):
        meant = read.hint.removeprefix("Write `").removesuffix("`.")
        if "`" not in meant:
            assert not isinstance(read_schedule(meant), Problem)


@given(schedules)
@settings(UNHURRIED, max_examples=1000)
def test_the_normalized_form_reads_back_as_the_same_schedule(schedule: Schedule) -> None:
    again = read_schedule(schedule.text())
    assert again == schedule
    assert not isinstance(again, Problem)
    assert again.text() == schedule.text()
    assert schedule.sentence()[0].isupper()


@given(st.integers(0, 36_500 * 86_400))
@settings(UNHURRIED)
def test_a_duration_reads_back_as_the_same_seconds(seconds: int) -> None:
    duration = timedelta(seconds=seconds)
    assert read_duration(duration_text(duration)) == duration
    assert len(duration_words(duration).split()) in (2, 4)


@given(st.text() | st.text("0123456789dhms. "))
@settings(UNHURRIED, max_examples=500)
def test_any_text_is_a_duration_or_a_problem(text: str) -> None:
    read = read_duration(text)
    assert isinstance(read, Problem) or read_duration(duration_text(read)) == read


@given(recurring, moments, zones)
@settings(UNHURRIED, max_examples=500)
def test_slots_come_after_the_moment_and_strictly_increase(
    schedule: Schedule, now: datetime, zone: ZoneInfo
) -> None:
    slots = list(islice(schedule.slots_after(now, zone), 6))
    assert len(slots) == 6
    assert all(earlier < later for earlier, later in pairwise([now, *slots]))
    for slot in slots:
        assert slot.utcoffset() == slot.astimezone(zone).utcoffset()
        schedule.clock_change(slot, zone)


@given(recurring, moments, zones, waits)
@settings(UNHURRIED, max_examples=500)
def test_nothing_lies_between_a_moment_and_the_next_slot(
    schedule: Schedule, now: datetime, zone: ZoneInfo, wait: timedelta
) -> None:
    """Asked a little later, but before the slot, the answer is the same."""
    slot = schedule.slot_after(now, zone)
    assert slot
    between = min(now + wait, slot - timedelta(microseconds=1))
    assert schedule.slot_after(between, zone) == slot


@given(recurring, moments, zones, waits)
@settings(UNHURRIED, max_examples=500)
def test_the_latest_slot_is_the_last_one_up_to_now(
    schedule: Schedule, after: datetime, zone: ZoneInfo, wait: timedelta
) -> None:
    now = after + wait
    latest = schedule.latest_slot(now, zone, after)
    if latest is None:
        following = schedule.slot_after(after, zone)
    else:
        assert after < latest <= now
        following = schedule.slot_after(latest, zone)
    assert following
    assert following > now


@given(recurring, moments, zones, waits, waits)
@settings(UNHURRIED, max_examples=500)
def test_due_exactly_when_a_slot_has_come_since_the_last_one(
    schedule: Schedule, seen: datetime, zone: ZoneInfo, before_last: timedelta, wait: timedelta
) -> None:
    """Never too early, never too late."""
    last = seen + before_last
    now = last + wait
    decided = due(schedule, now, zone, last, None, seen, HOWEVER_LATE)
    first = schedule.slot_after(last, zone)
    assert first
    assert (decided.slot is not None) == (first <= now)
    if decided.slot:
        assert last < decided.slot <= now
    assert decided.next
    assert decided.next > now


@given(everies, moments, waits, waits)
@settings(UNHURRIED)
def test_every_is_due_exactly_when_its_period_is_over(
    schedule: Every, last: datetime, late: timedelta, wait: timedelta
) -> None:
    now = last + wait
    decided = due(schedule, now, UTC, last, last - late, None, HOWEVER_LATE)
    tolerance = min(schedule.period / 10, timedelta(seconds=30))
    slot = (last - late if late <= tolerance else last) + schedule.period
    assert decided.slot == (slot if slot <= now else None)
    assert decided.next
    assert decided.next > now


class Ledger:
    """The few facts that the ledger keeps of one item, and a look at it."""

    def __init__(self, schedule: Schedule, seen: datetime) -> None:
        self.schedule = schedule
        self.seen = seen
        self.last_start: datetime | None = None
        self.last_slot: datetime | None = None
        self.last_day: date | None = None
        self.slots: list[datetime] = []

    def look(self, now: datetime, zone: ZoneInfo) -> Due:
        decided = due(
            self.schedule,
            now,
            zone,
            self.last_start,
            self.last_slot,
            self.seen,
            HOWEVER_LATE,
            last_day=self.last_day,
        )
        if decided.counts_from:
            self.last_start = self.last_slot = self.seen = decided.counts_from
            self.last_day = None
        if decided.slot:
            assert decided.slot <= now
            self.slots.append(decided.slot)
            self.last_start, self.last_slot = now, decided.slot
            self.last_day = self.schedule.local_day(decided.slot)
        return decided


steps = st.lists(st.timedeltas(timedelta(seconds=1), timedelta(days=2)), min_size=1, max_size=30)


@given(recurring | onces, moments, zones, steps, st.data())
@settings(UNHURRIED, max_examples=300)
def test_a_clock_set_back_by_up_to_three_hours_repeats_nothing(
    schedule: Schedule,
    seen: datetime,
    zone: ZoneInfo,
    forward: list[timedelta],
    data: st.DataObject,
) -> None:
    ledger = Ledger(schedule, seen)
    now = furthest = seen
    for step in forward:
        now += step
        furthest = max(furthest, now)
        ledger.look(now, zone)
        now = max(
            seen,
            data.draw(st.datetimes(naive(furthest - 3 * HOUR), naive(now))).replace(tzinfo=UTC),
        )
        ledger.look(now, zone)
    assert all(earlier < later for earlier, later in pairwise(ledger.slots))


def naive(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)


@given(
    calendars,
    moments,
    st.lists(st.tuples(zones, st.timedeltas(HOUR, timedelta(days=2))), min_size=2, max_size=30),
)
@settings(UNHURRIED, max_examples=300)
def test_a_local_date_has_at_most_one_start_wherever_the_person_travels(
    schedule: Schedule, seen: datetime, journey: list[tuple[ZoneInfo, timedelta]]
) -> None:
    ledger, now = Ledger(schedule, seen), seen
    for zone, step in journey:
        now += step
        ledger.look(now, zone)
    days = [schedule.local_day(slot) for slot in ledger.slots]
    assert len(days) == len(set(days))


@given(recurring, moments, zones, st.timedeltas(3 * HOUR + MINUTE, timedelta(days=4000)))
@settings(UNHURRIED, max_examples=300)
def test_after_a_clock_was_far_ahead_the_next_slot_is_not_lost(
    schedule: Schedule, now: datetime, zone: ZoneInfo, ahead: timedelta
) -> None:
    ledger = Ledger(schedule, now - HOUR)
    ledger.last_start = ledger.last_slot = now + ahead
    ledger.last_day = schedule.local_day(now + ahead)
    assert ledger.look(now, zone).slot is None
    expected = schedule.slot_after(now, zone)
    assert expected
    assert ledger.look(expected - timedelta(microseconds=1), zone).slot is None
    assert ledger.look(expected, zone).slot == expected


hours = st.builds(ActiveHours, times, times, days).filter(lambda active: active.start != active.end)


@given(hours, moments, zones, st.floats(0, 1, exclude_max=True))
@settings(UNHURRIED, max_examples=500)
def test_the_next_active_moment_is_active_and_nothing_before_it_is(
    active: ActiveHours, moment: datetime, zone: ZoneInfo, part: float
) -> None:
    opens = next_active(active, moment, zone)
    assert opens >= moment
    assert is_active(active, opens, zone)
    between = moment + (opens - moment) * part
    assume(between < opens)
    assert not is_active(active, between, zone)


@given(hours)
@settings(UNHURRIED)
def test_active_hours_read_back_as_written(active: ActiveHours) -> None:
    assert read_active(active_text(active)) == active


@given(
    st.text()
    | st.lists(st.sampled_from([*"0123456789:-, ", "mon", "fri", "09:00"]), max_size=9).map("".join)
)
@settings(UNHURRIED, max_examples=500)
def test_any_text_is_active_hours_or_a_problem(text: str) -> None:
    read = read_active(text)
    assert isinstance(read, Problem) or read_active(active_text(read)) == read
