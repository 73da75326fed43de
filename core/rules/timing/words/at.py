"""`at:2026-01-15T14:00:00Z`: one time only."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, tzinfo

from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass
from core.model.schedule import Due
from core.rules.timing.instants import read_iso
from core.rules.timing.schedule import DecisionPoint, Recorded, Schedule, ScheduleWord
from core.rules.timing.times import time_words
from core.rules.timing.zones import in_zone, instant_of

LATEST_AT = timedelta(hours=24)


@light_dataclass(frozen=True, slots=True)
class At(Schedule):
    when: datetime  # without an offset: in the file's zone

    def text(self) -> str:
        text = self.when.isoformat()
        return f"at:{text.removesuffix('+00:00')}Z" if text.endswith("+00:00") else f"at:{text}"

    def sentence(self) -> str:
        when = self.when
        zone = f" {when.tzname()}" if when.tzinfo else ""
        return f"Once, on {when.day} {when:%B %Y} at {time_words(when.time())}{zone}"

    def advice(self) -> None:
        return None

    def happens_once(self) -> bool:
        return True

    def named_instant(self, zone: tzinfo) -> datetime:
        """A time without an offset is in the zone."""
        when = self.when
        return when.astimezone(UTC) if when.tzinfo else instant_of(when, zone)

    def counts_from_last_start(self) -> bool:
        return False

    def counts_from_resident_start(self) -> bool:
        return False

    def time_of_day(self) -> time | None:
        return self.when.time() if self.when.tzinfo is None else None

    def is_slot_shown(self, wall: datetime) -> bool | None:
        return wall == self.when if self.when.tzinfo is None else None

    def next_slot(self, after: datetime, zone: tzinfo) -> datetime | None:
        instant = self.named_instant(zone)
        return instant if instant > after else None

    def due(self, point: DecisionPoint, recorded: Recorded) -> Due:
        slot = in_zone(self.named_instant(point.zone), point.zone)
        first_seen = recorded.first_seen
        if self._was_past_when_recorded(slot, recorded):
            return Due(_past_already(point, slot), None)
        if self._is_over(slot, recorded):
            return Due("it was due once, and that is over", None)
        if point.was_set_back_behind(first_seen):
            return point.counts_from_now(slot if slot > point.now else None)
        if slot < (first_seen or point.now):
            return Due(_past_already(point, slot), None, missed=slot)
        if slot > point.now:
            return point.not_yet(slot)

        return point.has_come(slot, None, min(point.catch_up, LATEST_AT))

    def _is_over(self, slot: datetime, recorded: Recorded) -> bool:
        latest = recorded.latest
        if latest and latest >= slot:
            return True

        return bool(recorded.last_day and recorded.last_day >= self.when.date())

    @staticmethod
    def _was_past_when_recorded(slot: datetime, recorded: Recorded) -> bool:
        latest = recorded.latest
        if not latest or latest < slot or recorded.last_start is not None:
            return False

        return bool(recorded.first_seen and slot < recorded.first_seen)


def _past_already(point: DecisionPoint, slot: datetime) -> str:
    return f"{point.text(slot)} had already passed when it was first seen, so it never runs"


def _read(text: str) -> At | Problem:
    when = read_iso(text)
    return when if isinstance(when, Problem) else At(when)


def _suggest(rest: str) -> Iterator[str]:
    yield f"at:{rest.upper()}"
    yield f"at:{rest.upper()}T09:00:00"


AT = ScheduleWord("at", "at:2026-01-15T14:00:00Z", False, _read, _suggest)
