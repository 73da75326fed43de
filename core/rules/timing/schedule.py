"""What every schedule can do: say how it is written and read aloud, when it is due, and why.

Each kind of schedule is a frozen value in core/rules/timing/words. A method that one of them leaves
out is an error for the type checker, and a TypeError that names it when such a schedule is made.

Slots are the instants at which a schedule is due. A slot is always strictly after the instant that
is asked about, and skipping over many slots costs nothing. A wall-clock time that the zone leaves
out is due at the end of the gap, one that comes twice is due the first time. Rhythms (`hourly`,
some cron expressions) follow elapsed time instead: what is left out is left out, what comes twice
is due twice.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple, final

from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass, replace
from core.model.schedule import ActiveHours, Due
from core.model.waiting import DueSince, Wait, WaitReason
from core.rules.timing.active import is_active, next_active
from core.rules.timing.instant_words import instant_words
from core.rules.timing.zones import (
    has_date,
    in_zone,
    instant_of,
    offset,
    offset_change,
    wall_clock,
)

# A record further ahead of now than this was made by a clock that was wrong.
SET_BACK = timedelta(hours=3)
ON_TIME = timedelta(minutes=2)  # no start is later than this unless something was in the way
HOWEVER_LATE = timedelta.max
TICK = timedelta(microseconds=1)
HOUR = timedelta(hours=1)
LAST_YEAR = 9000  # datetime ends at 9999, and one more step may be long


class Recorded(NamedTuple):
    """What the ledger has recorded about the item, in UTC."""

    last_start: datetime | None
    # The latest slot that was started, skipped or missed; a start by hand is its own slot.
    last_slot: datetime | None
    first_seen: datetime | None  # the item with this schedule; None: just now
    # local_day() of the last slot, in the zone of that time: the person may have travelled since.
    last_day: date | None
    resident_start: datetime | None  # None: not in the resident, so no `startup`

    @property
    def latest(self) -> datetime | None:
        return max(filter(None, (self.last_start, self.last_slot)), default=None)


@light_dataclass(frozen=True, slots=True)
class DecisionPoint:
    """When and where the decision is made, with the settings that apply to every schedule."""

    now: datetime
    zone: tzinfo
    catch_up: timedelta
    active: ActiveHours | None

    def text(self, slot: datetime) -> str:
        return instant_words(in_zone(slot, self.zone), in_zone(self.now, self.zone))

    def was_set_back_behind(self, recorded: datetime | None) -> bool:
        return recorded is not None and recorded - self.now > SET_BACK

    def counts_from_now(self, following: datetime | None) -> Due:
        return Due("the clock was set back, so it counts from now", following, counts_from=self.now)

    def lateness(self, slot: datetime) -> timedelta:
        """How long ago it could have started: a slot outside the active hours waits for them."""
        possible = next_active(self.active, slot, self.zone) if self.active else slot
        return self.now - possible

    def not_yet(self, following: datetime) -> Due:
        return Due(f"not before {self.text(following)}", following)

    def has_come(self, slot: datetime, following: datetime | None, limit: timedelta) -> Due:
        """Start it, let it wait for the active hours, or skip it because it is too late."""
        late = self.lateness(slot)
        if late > limit:
            return Due(f"missed at {self.text(slot)} and not caught up", following, missed=slot)

        if self.active and not is_active(self.active, self.now, self.zone):
            opens = next_active(self.active, self.now, self.zone)
            details = (DueSince.SLOT, self.text(slot), self.text(opens))
            return Due(Wait(WaitReason.ACTIVE_HOURS, details), opens, waiting=slot)

        if late > ON_TIME:
            return Due(f"missed at {self.text(slot)}, caught up now", following, slot, late=True)

        return Due(f"due at {self.text(slot)}", following, slot)


class Schedule(ABC):
    """When an item is due."""

    __slots__ = ()

    # -- how it is written and read aloud

    @abstractmethod
    def text(self) -> str:
        """The one way to write it; it reads back as the same schedule."""

    @abstractmethod
    def sentence(self) -> str:
        """In a person's words, without a full stop at its end."""

    @abstractmethod
    def advice(self) -> str | None:
        """What to write instead where some months or years do not have the day; None if all
        have it."""

    # -- what is special about it

    @abstractmethod
    def happens_once(self) -> bool:
        """Whether an item is done after its run: the file then says COMPLETED, and PENDING means
        that the person wants it again. Otherwise PENDING is what the program writes itself."""

    @abstractmethod
    def named_instant(self, zone: tzinfo) -> datetime | None:
        """The instant that its text names, in UTC, where it happens once: a text that names one
        that is past is reported. None if the text names none."""

    @abstractmethod
    def counts_from_last_start(self) -> bool:
        """Whether its next slot depends on when it was last started, and on nothing else."""

    @abstractmethod
    def counts_from_resident_start(self) -> bool:
        """Whether the start of the resident is its slot, whatever the clock says."""

    # -- when it is due

    @abstractmethod
    def next_slot(self, after: datetime, zone: tzinfo) -> datetime | None:
        """The first slot strictly after an instant in UTC; the slot may have any offset.

        Callers use `slot_after`, which takes and returns instants of any zone."""

    @abstractmethod
    def due(self, point: DecisionPoint, recorded: Recorded) -> Due:
        """Decide about the item now."""

    @abstractmethod
    def time_of_day(self) -> time | None:
        """The local time at which a date's slot comes, for at most one slot per date.

        None: the schedule does not depend on local dates.
        """

    @abstractmethod
    def is_slot_shown(self, wall: datetime) -> bool | None:
        """Whether the clock shows the written time at a slot: it does not where the zone leaves
        that time out.

        None: the schedule has no time of day.
        """

    def latest_slot(self, now: datetime, zone: tzinfo, after: datetime) -> datetime | None:
        """The last slot in (after, now]. Looks back in growing steps, then halves: ten years
        cost as much as a day."""
        now = now.astimezone(UTC)
        after = after.astimezone(UTC)

        def first_slot(since: datetime) -> datetime | None:
            slot = self.next_slot(since, zone)
            return in_zone(slot, zone) if slot and slot <= now else None

        if first_slot(after) is None:
            return None

        back = HOUR
        while (latest := first_slot(max(after, now - back))) is None:
            back *= 4

        nothing_after = now
        while following := first_slot(latest.astimezone(UTC)):
            middle = following + (nothing_after - following) / 2
            if later := first_slot(middle.astimezone(UTC)):
                latest = later
            else:
                latest = following
                nothing_after = middle

        return latest

    @final
    def slot_after(self, after: datetime, zone: tzinfo) -> datetime | None:
        """The first slot strictly after an instant, with the zone's offset. Where it counts from
        the last start, the instant is that start."""
        slot = self.next_slot(after.astimezone(UTC), zone)
        return in_zone(slot, zone) if slot else None

    @final
    def slots_after(self, after: datetime, zone: tzinfo) -> Iterator[datetime]:
        """All slots strictly after an instant, with the zone's offset."""
        while slot := self.next_slot(after.astimezone(UTC), zone):
            if slot.year >= LAST_YEAR:
                return

            yield in_zone(slot, zone)
            after = slot

    @final
    def local_day(self, start: datetime) -> date | None:
        """The local date that a start at this instant counts for.

        None if the schedule does not depend on local dates. The start must have the offset of
        the zone in which it happened.
        """
        at = self.time_of_day()
        if at is None:
            return None

        # Before that time of day it counts for yesterday, even if a gap at midnight moved
        # yesterday's slot to today.
        today = start.date()
        return today if start.time() >= at else today - timedelta(days=1)

    @final
    def clock_change(self, slot: datetime, zone: tzinfo) -> str | None:
        """A note on a slot whose time of day the zone leaves out or shows twice on that date."""
        wall = wall_clock(slot, zone)
        is_shown = self.is_slot_shown(wall)
        if is_shown is None:
            return None
        if not is_shown:
            return "The clock skips this time; it runs right after the change."

        first = wall.replace(tzinfo=zone, fold=0).utcoffset()
        second = wall.replace(tzinfo=zone, fold=1).utcoffset()
        if first != second:
            return "The clock goes back and shows this time twice; it runs the first time."

        return None


class WallClock(Schedule):
    """Due whenever the clock on the wall shows certain times."""

    __slots__ = ()

    @abstractmethod
    def next_wall(self, wall: datetime) -> datetime:
        """The first of its times after a naive one, as if clocks never changed."""

    @abstractmethod
    def is_rhythm(self) -> bool:
        """Whether it follows elapsed time where the zone changes its clock."""

    def advice(self) -> str | None:
        return None

    def happens_once(self) -> bool:
        return False

    def named_instant(self, _: tzinfo) -> None:
        return None

    def counts_from_last_start(self) -> bool:
        return False

    def counts_from_resident_start(self) -> bool:
        return False

    def is_slot_shown(self, wall: datetime) -> bool | None:
        if self.is_rhythm():
            return None

        return self.next_wall(wall - timedelta(seconds=1)) == wall

    def next_slot(self, after: datetime, zone: tzinfo) -> datetime:
        return self._in_elapsed_time(after, zone) if self.is_rhythm() else self._at(after, zone)

    def _at(self, after: datetime, zone: tzinfo) -> datetime:
        wall = wall_clock(after, zone)
        while True:
            wall = self.next_wall(wall)
            slot = instant_of(wall, zone)
            # A slot that is not after: the zone set its clock back, and the time came before that.
            if slot > after and _is_on_a_date(slot, wall, zone):
                return slot

    def _in_elapsed_time(self, after: datetime, zone: tzinfo) -> datetime:
        wall = wall_clock(after, zone)
        shift = offset(after, zone)
        while True:
            slot = (self.next_wall(wall) - shift).replace(tzinfo=UTC)
            if offset(slot, zone) == shift:
                return slot

            # The zone changes its clock before that: continue from the change, which is itself the
            # first possible instant.
            after = offset_change(after, slot, zone)
            wall = wall_clock(after, zone) - TICK
            shift = offset(after, zone)

    def due(self, point: DecisionPoint, recorded: Recorded) -> Due:
        now = point.now
        latest = recorded.latest
        was_set_back = point.was_set_back_behind
        if was_set_back(latest) or was_set_back(recorded.first_seen):
            return point.counts_from_now(self.slot_after(now, point.zone))

        settled = recorded.last_slot or recorded.last_start
        if latest and latest > now:
            settled = latest

        since = max(filter(None, (settled, recorded.first_seen)), default=now)
        return self._due_since(point, since, recorded.last_day)

    def _due_since(self, point: DecisionPoint, since: datetime, last_day: date | None) -> Due:
        def is_new_day(slot: datetime) -> bool:
            """At most once per local date, also where the person travels west and the date comes
            again."""
            day = self.local_day(slot)
            return last_day is None or day is None or day > last_day

        now = point.now
        zone = point.zone
        coming = self.slots_after(since, zone)
        first = next(coming)
        if first > now:  # what most items find: nothing has to be searched
            return point.not_yet(first if is_new_day(first) else next(filter(is_new_day, coming)))

        following = next(filter(is_new_day, self.slots_after(now, zone)))
        slot = self.latest_slot(now, zone, since)
        assert slot is not None, "the first of them has come"
        if not is_new_day(slot):
            when = point.text(following)
            return Due(f"it has already run on this date; not before {when}", following)

        decided = point.has_come(slot, following, point.catch_up)
        if not decided.late:
            return decided

        return replace(decided, missed=self.latest_slot(slot - TICK, zone, since))


@light_dataclass(frozen=True, slots=True)
class ScheduleWord:
    """A word that an expression starts with; several may make the same kind of schedule."""

    name: str
    example: str
    stands_alone: bool  # nothing follows it
    read: Callable[[str], Schedule | Problem]  # reads what follows the word and its colon
    suggest: Callable[[str], Iterator[str]]  # what was perhaps meant; need not be readable


def next_of_dates(dates: Iterator[date], at: time, wall: datetime) -> datetime:
    """The first of the dates, at that time of day, that is after a naive datetime."""
    times = (datetime.combine(day, at) for day in dates)
    return next(one for one in times if one > wall)


def _is_on_a_date(slot: datetime, wall: datetime, zone: tzinfo) -> bool:
    """Whether the zone has the date of the slot; most slots show it by themselves."""
    return wall_clock(slot, zone).date() == wall.date() or has_date(wall.date(), zone)
