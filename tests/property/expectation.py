"""What docs/spec.md says about one action, worked out from what was observed: an oracle that
shares no code.

Slots are found by walking day by day, or ten minutes by ten minutes: slow, and easy to believe.
Times of day are chosen so that no zone of the tests leaves them out; the gaps have tests of
their own.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from itertools import count
from typing import NamedTuple
from zoneinfo import ZoneInfo

from core.model.occurrence import Occurrence, Outcome

SET_BACK = timedelta(hours=3)
STEP = timedelta(minutes=10)
DAY = timedelta(days=1)
LONGEST_RETRY = timedelta(minutes=15)
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
PERIODS = {"every:10m": 10, "every:1h": 60, "every:1d": 24 * 60}
# Schedules with slots of their own.
TIMES = ("hourly", "cron", "daily", "weekdays", "weekly", "monthly")
INVALID = "sometimes"


def slot_after(schedule: str, instant: datetime, zone: tzinfo) -> datetime:
    """The first slot after an instant."""
    if rhythm := minutes_of(schedule):
        instant = rounded(instant)
        while True:
            instant += STEP
            if instant.astimezone(zone).minute in rhythm:
                return instant
    today = instant.astimezone(zone).date() - DAY
    walls = (slot_on(schedule, today + number * DAY, zone) for number in count())
    return next(slot for slot in walls if slot and slot > instant)


def slot_until(schedule: str, instant: datetime, zone: tzinfo) -> datetime:
    """The latest slot at or before an instant."""
    if rhythm := minutes_of(schedule):
        instant = rounded(instant)
        while instant.astimezone(zone).minute not in rhythm:
            instant -= STEP
        return instant
    today = instant.astimezone(zone).date() + DAY
    walls = (slot_on(schedule, today - number * DAY, zone) for number in count())
    return next(slot for slot in walls if slot and slot <= instant)


def minutes_of(schedule: str) -> tuple[int, ...]:
    return {"hourly": (0,), "cron:'*/20 * * * *'": (0, 20, 40)}.get(schedule, ())


def rounded(instant: datetime) -> datetime:
    instant = instant.astimezone(UTC)
    return instant.replace(minute=instant.minute // 10 * 10, second=0, microsecond=0)


def slot_on(schedule: str, day: date, zone: tzinfo) -> datetime | None:
    """The slot of a local date, for schedules with a time of day."""
    kind = schedule.partition(":")[0]
    fits = {
        "daily": True,
        "weekdays": day.weekday() < 5,
        "weekly": WEEKDAYS[day.weekday()] in schedule,
        "monthly": (day + DAY).month != day.month,  # monthly:last
        "cron": day.weekday() == 0,  # cron:'15 9 * * MON'
    }[kind]
    return datetime.combine(day, time_of(schedule), zone).astimezone(UTC) if fits else None


def time_of(schedule: str) -> time:
    return time(9, 15) if schedule.startswith("cron") else time.fromisoformat(schedule[-5:])


class Start(NamedTuple):
    slot: datetime
    attempt: int


@dataclass
class Expectation:
    """One action: what the file says of it, and what was seen of its runs."""

    id: str
    seen: datetime  # since when, with this schedule
    schedule: str = ""
    retry: int = 1
    delay: timedelta = timedelta(seconds=30)
    status: str = "PENDING"
    instants: frozenset[str] = frozenset()  # what its completed_at and failed_at lines say
    start: datetime | None = None
    slot: datetime | None = None  # the latest that was used
    place: tzinfo = UTC  # where the person was then
    is_day_known: bool = False
    finished: datetime | None = None
    outcome: Outcome | None = None
    attempts: int = 0
    retry_at: datetime | None = None
    again_since: datetime | None = None  # `seen`, as the beat under way found it

    @property
    def recorded(self) -> datetime | None:
        return max(filter(None, (self.start, self.slot)), default=None)

    @property
    def is_once(self) -> bool:
        return self.schedule == "" or self.schedule.startswith("at:")

    # -- what was seen

    def use(self, slot: datetime, place: tzinfo, instant: datetime) -> None:
        """A slot was started or missed."""
        if self.slot is None or slot >= self.slot:
            offset = instant.astimezone(place).utcoffset()
            assert offset is not None
            self.slot = slot
            self.place = timezone(offset)
            self.is_day_known = True

    def started(self, row: Occurrence) -> None:
        self.start = row.started
        self.retry_at = None

    def ended(self, row: Occurrence) -> None:
        self.finished = row.finished
        self.outcome = row.outcome
        self.attempts = 0 if row.outcome is Outcome.COMPLETED else row.attempts
        self.retry_at = None
        if 0 < self.attempts < self.retry and row.finished:
            delay = self.delay * 2 ** (self.attempts - 1)
            self.retry_at = row.finished + min(delay, max(LONGEST_RETRY, self.delay))

    def notice_clock(self, now: datetime, resident_start: datetime | None) -> None:
        """A clock set back by more than three hours (for `every:`: at all): the last start counts
        as now.

        Whether the person wants it again is still judged by what the beat found."""
        self.again_since = self.seen
        if self.schedule.startswith("every:"):
            is_behind = self.start is not None and self.start > now
        elif self.schedule.startswith("at:"):
            is_behind = self.seen - now > SET_BACK and not self.is_over()
        else:
            is_behind = (
                self.schedule.startswith(TIMES)
                and max(self.recorded or now, self.seen) - now > SET_BACK
            )
        if self.schedule == "startup" and (start := self._at_startup(now, resident_start)):
            is_behind = self.slot is not None and self.slot >= start
            now = start - timedelta.resolution  # so that this start is not taken for the one before
        if is_behind:
            self.seen = min(self.seen, now)
            if self.start and self.start > now:
                self.start = now
                self.slot = now  # also where its slot is earlier: nothing before now is due
            elif self.slot:
                self.slot = min(self.slot, now)

            self.is_day_known = False

    # -- what follows

    @property
    def attempt(self) -> int:
        """The number of the next try, apart from a new slot."""
        return self.attempts + 1 if self.retry_at and self.attempts < self.retry else 1

    def due(self, now: datetime, zone: ZoneInfo, resident_start: datetime | None) -> Start | None:
        """How it starts now; None: not now. The caller checks the active hours."""
        if self.schedule == INVALID:
            return None
        regular = self._regular(now, zone, resident_start)
        if regular:
            return Start(regular, 1)
        if self.attempt > 1:
            assert self.finished
            assert self.retry_at
            retry_at = now if self.finished - now > SET_BACK else self.retry_at
            return Start(retry_at, self.attempt) if retry_at <= now else None
        return Start(now, 1) if self._is_wanted_again() else None

    def _regular(
        self, now: datetime, zone: ZoneInfo, resident_start: datetime | None
    ) -> datetime | None:
        if self.schedule == "":
            fresh = self.outcome is None and self.status in (
                "PENDING",
                "SKIPPED",
                "NEEDS_CLARIFICATION",
            )
            return min(self.seen, now) if fresh else None
        if self.schedule == "startup":
            return self._at_startup(now, resident_start)
        if self.schedule.startswith("at:"):
            instant = datetime.fromisoformat(self.schedule[3:])
            comes = self.seen <= instant <= now <= instant + DAY
            return instant if comes and not self.is_over() else None
        if self.schedule in PERIODS:
            slot = self._next_period(now)
            return slot if slot <= now else None
        slot = slot_until(self.schedule, now, zone)
        return slot if slot > self._settled(now) and self._is_new_day(slot, zone) else None

    def _at_startup(self, now: datetime, resident_start: datetime | None) -> datetime | None:
        if resident_start is None or self.slot == resident_start or self.seen > resident_start:
            return None
        recorded = self.recorded
        has_run = recorded is not None and recorded >= resident_start and recorded - now <= SET_BACK
        return None if has_run else resident_start

    def is_over(self) -> bool:
        return self.recorded is not None and self.recorded >= datetime.fromisoformat(
            self.schedule[3:]
        )

    def next(self, now: datetime, zone: ZoneInfo) -> datetime | None:
        """When it will be due, where it is not now."""
        candidates: list[datetime] = []
        if self.schedule == INVALID:
            return None
        if self.retry_at and self.attempt > 1:
            candidates.append(self.retry_at)
        if self.schedule in PERIODS:
            candidates.append(self._next_period(now))
        elif self.schedule.startswith("at:"):
            instant = datetime.fromisoformat(self.schedule[3:])
            candidates += [instant] if instant > now and not self.is_over() else []
        elif self.schedule.startswith(TIMES):
            slot = slot_after(self.schedule, max(now, self._settled(now)), zone)
            while not self._is_new_day(slot, zone):
                slot = slot_after(self.schedule, slot, zone)
            candidates.append(slot)
        return min(candidates, default=None)

    def _next_period(self, now: datetime) -> datetime:
        period = timedelta(minutes=PERIODS[self.schedule])
        if self.start is None:
            return min(self.seen, now)
        late = self.start - self.slot if self.slot else DAY
        keeps = timedelta() <= late <= min(period / 10, timedelta(seconds=30))
        base = self.slot if keeps and self.slot else self.start
        seen = min(self.seen, now)
        has_run_since = self.slot is not None and self.slot >= seen
        return base + period if has_run_since else max(base + period, seen)

    def _settled(self, now: datetime) -> datetime:
        recorded = self.recorded
        settled = recorded if recorded and recorded > now else self.slot
        return max(filter(None, (settled, self.seen)))

    def _is_new_day(self, slot: datetime, zone: ZoneInfo) -> bool:
        if (
            minutes_of(self.schedule)
            or self.schedule.startswith("cron")
            or not self.is_day_known
            or self.slot is None
        ):
            return True
        return self._day(slot.astimezone(zone)) > self._day(self.slot.astimezone(self.place))

    def _day(self, instant: datetime) -> date:
        """A start before the time of day belongs to the day before."""
        return instant.date() if instant.time() >= time_of(self.schedule) else instant.date() - DAY

    def _is_wanted_again(self) -> bool:
        if (
            self.finished is None
            or self.status != "PENDING"
            or self.finished < (self.again_since or self.seen)
        ):
            return False
        may = self.is_once or self.outcome is not Outcome.COMPLETED
        return may and f"{self.finished:%Y-%m-%dT%H:%M:%SZ}" in self.instants
