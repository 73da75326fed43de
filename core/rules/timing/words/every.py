"""`every:5m`: that long, elapsed, after the last start."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, tzinfo

from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass, replace
from core.model.schedule import Due
from core.rules.timing.durations import corrected_duration, duration_text, read_duration
from core.rules.timing.schedule import HOWEVER_LATE, DecisionPoint, Recorded, Schedule, ScheduleWord
from core.rules.timing.zones import in_zone

SHORTEST_PERIOD = timedelta(seconds=1)
UNITS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


@light_dataclass(frozen=True, slots=True)
class Every(Schedule):
    period: timedelta

    def text(self) -> str:
        return f"every:{duration_text(self.period)}"

    def sentence(self) -> str:
        return f"Every {_period_words(self.period)}"

    def advice(self) -> None:
        return None

    def happens_once(self) -> bool:
        return False

    def named_instant(self, _: tzinfo) -> None:
        return None

    def counts_from_last_start(self) -> bool:
        return True

    def counts_from_resident_start(self) -> bool:
        return False

    def time_of_day(self) -> time | None:
        return None

    def is_slot_shown(self, _: datetime) -> None:
        return None

    def next_slot(self, after: datetime, _: tzinfo) -> datetime:
        return after + self.period

    def latest_slot(self, now: datetime, zone: tzinfo, after: datetime) -> datetime | None:
        after = after.astimezone(UTC)
        periods = (now.astimezone(UTC) - after) // self.period
        return in_zone(after + periods * self.period, zone) if periods > 0 else None

    def due(self, point: DecisionPoint, recorded: Recorded) -> Due:
        now = point.now
        zone = point.zone
        catch_up = point.catch_up
        period = self.period
        seen = min(recorded.first_seen or now, now)
        if recorded.last_start is None:
            return self._due_first(point, seen)
        if recorded.last_start > now:
            return point.counts_from_now(in_zone(now + period, zone))

        start = counted_from(period, recorded.last_slot, recorded.last_start)
        slot = start + period
        if recorded.first_seen and not _has_run_since(seen, recorded):
            slot = max(slot, seen)
        if slot > now:
            return point.not_yet(in_zone(slot, zone))

        if point.lateness(slot) > catch_up:
            # Leave out what was missed, keep the rhythm.
            slot = start + (now - start) // period * period

        is_missed = point.lateness(slot) > catch_up
        base = slot if is_missed else counted_from(period, slot, now)
        following = in_zone(base + period, zone)
        return point.has_come(in_zone(slot, zone), following, catch_up)

    def _due_first(self, point: DecisionPoint, seen: datetime) -> Due:
        following = in_zone(point.now + self.period, point.zone)
        decided = point.has_come(in_zone(seen, point.zone), following, HOWEVER_LATE)
        if not decided.slot:
            return decided

        return replace(decided, why="it has never run", late=False)


def _has_run_since(seen: datetime, recorded: Recorded) -> bool:
    """Whether a slot has been used since the item was first seen: the instant of that is not due
    again, also after the clock was set back to before it."""
    return recorded.last_slot is not None and recorded.last_slot >= seen


def counted_from(period: timedelta, slot: datetime | None, start: datetime) -> datetime:
    """Where the next period begins: a start that is a little late keeps the rhythm, a later one
    begins a new rhythm."""
    lateness = start - slot if slot else HOWEVER_LATE
    keeps = timedelta(0) <= lateness <= min(period / 10, timedelta(seconds=30))
    return slot if slot and keeps else start


def _period_words(period: timedelta) -> str:
    seconds = int(period.total_seconds())
    for name, size in UNITS.items():
        if seconds == size:
            return name
        if seconds % size == 0:
            return f"{seconds // size} {name}s"

    raise AssertionError("every whole number of seconds is one of the above")


def _read(text: str) -> Every | Problem:
    period = read_duration(text)
    if isinstance(period, Problem):
        return period
    if period < SHORTEST_PERIOD:
        return Problem("The shortest `every:` is 1 second.", "Write `every:1s` or longer.")

    return Every(period)


def _suggest(rest: str) -> Iterator[str]:
    yield f"every:{corrected_duration(rest)}"


EVERY = ScheduleWord(
    name="every", example="every:5m", stands_alone=False, read=_read, suggest=_suggest
)
