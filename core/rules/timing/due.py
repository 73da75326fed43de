"""Whether an item is due at a moment, and why. What the ledger recorded comes in, what it should record goes out.

Recorded slots decide. A clock set back a little repeats nothing; set back by more, everything counts from now.
"""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo

from core.model.diagnostic import Problem
from core.model.schedule import (
    ActiveHours,
    At,
    Calendar,
    Cron,
    Daily,
    Due,
    Every,
    Hourly,
    Monthly,
    Schedule,
    Startup,
    Yearly,
)
from core.model.value import dataclass
from core.rules.timing.active import is_active, next_active
from core.rules.timing.durations import read_duration
from core.rules.timing.moments import moment_text
from core.rules.timing.slots import latest_slot, moment_of, next_slot, slots_after
from core.rules.timing.zones import in_zone

SET_BACK = timedelta(hours=3)  # a record further ahead of now than this was made by a clock that was wrong
ON_TIME = timedelta(minutes=2)  # no start is later than this unless something was in the way
LATEST_AT = timedelta(hours=24)
HOWEVER_LATE = timedelta.max
TICK = timedelta(microseconds=1)


def read_catch_up(text: str) -> timedelta | Problem:
    """`run`, `skip` or a duration, as how late a missed slot may still start."""
    match text.strip().lower():
        case "run":
            return HOWEVER_LATE
        case "skip":
            return ON_TIME
        case other:
            limit = read_duration(other)
            if isinstance(limit, Problem):
                return Problem(limit.message, "Write `run`, `skip`, or how late it may be, such as `2h`.")
            return limit


def local_day(schedule: Schedule, moment: datetime) -> date | None:
    """The local date whose slot a start at this moment settles; the ledger keeps it as the item's last day.

    None where the schedule is no matter of local dates. The moment must carry the offset of the place where it is.
    """
    match schedule:
        case Daily(at) | Monthly(at) | Yearly(at):
            time_of_day = at
        case At(once) if once.tzinfo is None:
            time_of_day = once.time()
        case _:
            return None
    # Before that time of day it is still yesterday's, also where a gap at midnight moved yesterday's slot to today.
    return moment.date() if moment.time() >= time_of_day else moment.date() - timedelta(days=1)


def due(
    schedule: Schedule,
    now: datetime,
    zone: tzinfo,
    last_start: datetime | None,
    last_slot: datetime | None,  # the latest that was started, skipped or missed; a start by hand is its own slot
    first_seen: datetime | None,  # of this item with this schedule; None: just now
    catch_up: timedelta,
    *,
    last_day: date | None = None,  # local_day() of the last slot, where it was: the person may have travelled since
    active: ActiveHours | None = None,
    resident_start: datetime | None = None,  # None: not in the resident, so no `startup`
) -> Due:
    moment = _Moment(now.astimezone(UTC), zone, catch_up, active)
    last_start, last_slot, first_seen = map(_utc, (last_start, last_slot, first_seen))
    recorded = max(filter(None, (last_start, last_slot)), default=None)
    match schedule:
        case Every():
            return _due_every(schedule, moment, last_start, last_slot, first_seen)
        case At():
            return _due_once(schedule, moment, last_start, recorded, first_seen, last_day)
        case Startup():
            return _due_at_startup(moment, recorded, first_seen, resident_start)
        case _:
            if moment.was_set_back_behind(recorded) or moment.was_set_back_behind(first_seen):
                return moment.counts_from_now(next_slot(schedule, now, zone))
            settled = last_slot or last_start
            if recorded and recorded > moment.now:
                settled = recorded
            since = max(filter(None, (settled, first_seen)), default=moment.now)
            return _due_at_slots(schedule, moment, since, last_day)


def _utc(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC) if moment else None


@dataclass(frozen=True, slots=True)
class _Moment:
    """The moment of the decision, and what holds for every schedule."""

    now: datetime
    zone: tzinfo
    catch_up: timedelta
    active: ActiveHours | None

    def text(self, slot: datetime) -> str:
        return moment_text(in_zone(slot, self.zone), in_zone(self.now, self.zone))

    def was_set_back_behind(self, recorded: datetime | None) -> bool:
        return recorded is not None and recorded - self.now > SET_BACK

    def counts_from_now(self, following: datetime | None) -> Due:
        return Due("the clock was set back, so it counts from now", following, counts_from=self.now)

    def lateness(self, slot: datetime) -> timedelta:
        """How long it could have started already: a slot outside the active hours waits for them."""
        return self.now - (next_active(self.active, slot, self.zone) if self.active else slot)

    def not_yet(self, following: datetime) -> Due:
        return Due(f"not before {self.text(following)}", following)

    def has_come(self, slot: datetime, following: datetime | None, limit: timedelta) -> Due:
        """Start it, let it wait for the active hours, or leave it: it is too late."""
        late = self.lateness(slot)
        if late > limit:
            return Due(f"missed at {self.text(slot)} and not made up for", following, missed=slot)
        if self.active and not is_active(self.active, self.now, self.zone):
            opens = next_active(self.active, self.now, self.zone)
            reason = f"due since {self.text(slot)}, waits for the active hours at {self.text(opens)}"
            return Due(reason, opens, waiting=slot)
        if late > ON_TIME:
            return Due(f"missed at {self.text(slot)}, made up for now", following, slot, late=True)
        return Due(f"due at {self.text(slot)}", following, slot)


def _due_at_slots(schedule: Hourly | Calendar | Cron, moment: _Moment, since: datetime, last_day: date | None) -> Due:
    def is_new_day(slot: datetime) -> bool:
        """At most once a local date, also where the person travels west and the date comes again."""
        day = local_day(schedule, slot)
        return last_day is None or day is None or day > last_day

    now, zone = moment.now, moment.zone
    following = next(filter(is_new_day, slots_after(schedule, max(now, since), zone)))
    slot = latest_slot(schedule, now, zone, since)
    if slot is None:
        return moment.not_yet(following)
    if not is_new_day(slot):
        return Due(f"this date has had its run; not before {moment.text(following)}", following)
    decided = moment.has_come(slot, following, moment.catch_up)
    if not decided.late:
        return decided
    return replace(decided, missed=latest_slot(schedule, slot - TICK, zone, since))


def _due_every(
    schedule: Every,
    moment: _Moment,
    last_start: datetime | None,
    last_slot: datetime | None,
    first_seen: datetime | None,
) -> Due:
    now, zone, period = moment.now, moment.zone, schedule.period
    seen = min(first_seen or now, now)
    if last_start is None:
        decided = moment.has_come(in_zone(seen, zone), in_zone(now + period, zone), HOWEVER_LATE)
        return replace(decided, reason="it has never run", late=False) if decided.slot else decided
    if last_start > now:
        return moment.counts_from_now(in_zone(now + period, zone))
    start = counted_from(period, last_slot, last_start)
    slot = max(start + period, seen) if first_seen else start + period
    if slot > now:
        return moment.not_yet(in_zone(slot, zone))
    if moment.lateness(slot) > moment.catch_up:  # leave out what was missed, and keep the rhythm
        slot = start + (now - start) // period * period
    is_missed = moment.lateness(slot) > moment.catch_up
    following = (slot if is_missed else counted_from(period, slot, now)) + period
    return moment.has_come(in_zone(slot, zone), in_zone(following, zone), moment.catch_up)


def counted_from(period: timedelta, slot: datetime | None, start: datetime) -> datetime:
    """Where the next period of `every:` begins: a little late keeps the rhythm, later begins a new one."""
    lateness = start - slot if slot else HOWEVER_LATE
    keeps = timedelta(0) <= lateness <= min(period / 10, timedelta(seconds=30))
    return slot if slot and keeps else start


def _due_once(
    schedule: At,
    moment: _Moment,
    last_start: datetime | None,
    recorded: datetime | None,
    first_seen: datetime | None,
    last_day: date | None,
) -> Due:
    slot = in_zone(moment_of(schedule.moment, moment.zone), moment.zone)
    if recorded and recorded >= slot and last_start is None and first_seen and slot < first_seen:
        return Due(_past_already(moment, slot), None)
    if (recorded and recorded >= slot) or (last_day and last_day >= schedule.moment.date()):
        return Due("it was due once, and that is over", None)
    if moment.was_set_back_behind(first_seen):
        return moment.counts_from_now(slot if slot > moment.now else None)
    if slot < (first_seen or moment.now):
        return Due(_past_already(moment, slot), None, missed=slot)
    if slot > moment.now:
        return moment.not_yet(slot)
    return moment.has_come(slot, None, min(moment.catch_up, LATEST_AT))


def _past_already(moment: _Moment, slot: datetime) -> str:
    return f"{moment.text(slot)} was past already when it was first seen, so it never runs"


def _due_at_startup(
    moment: _Moment, recorded: datetime | None, first_seen: datetime | None, resident_start: datetime | None
) -> Due:
    if resident_start is None:
        return Due("runs only when Heartbeat starts", None)
    if recorded and recorded >= resident_start and not moment.was_set_back_behind(recorded):
        return Due("has had its run since Heartbeat started", None)
    if first_seen and first_seen > resident_start:
        return Due("is new since Heartbeat started, and runs at its next start", None)
    decided = moment.has_come(in_zone(resident_start, moment.zone), None, HOWEVER_LATE)
    return replace(decided, reason="Heartbeat has started", late=False) if decided.slot else decided
