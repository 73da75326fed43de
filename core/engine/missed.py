"""Slots that passed because another beat held the workspace's lock: one record for all of them,
with their number and what was running."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from core.model.diagnostic import Problem
from core.model.item import identifier_of_key
from core.model.light_dataclass import light_dataclass
from core.model.occurrence import Occurrence
from core.model.plan import Plan
from core.ports.world import World
from core.rules.planning.missed_slots import MOST, MissedSlots, missed_slots
from core.rules.planning.plan_input import written_schedule

LONG_BEAT = timedelta(minutes=1)  # a shorter one makes nobody wonder
RECENT_BEATS = 8  # that are searched for a long one
RECENT_ROWS = 200  # that are searched for what it did


@light_dataclass(frozen=True, slots=True)
class MissedBeside:
    slot: datetime  # the first of those that were missed
    reason: str


@light_dataclass(frozen=True, slots=True)
class _LongBeat:
    number: int
    started: datetime
    ended: datetime  # or gave its lock up for the model's
    item: str  # the key of what ran longest in it; empty if nothing is known


def missed_beside_a_beat(world: World, plan: Plan) -> dict[str, MissedBeside]:
    """What the items that start now missed while another beat was running, by key."""
    found: dict[str, MissedBeside] = {}
    long = _long_beats(world) if plan.runs else []
    past = world.ledger.items.all() if long else {}
    for item in plan.runs:
        known = past.get(item.key)
        schedule = written_schedule(known.schedule) if known else None
        if known is None or schedule is None or isinstance(schedule, Problem):
            continue
        if item.slot is None or item.slot == plan.now:  # the person asked for it by name
            continue

        zone = plan.now.tzinfo
        assert zone
        missed = missed_slots(schedule, known, item.slot, plan.now, zone)
        beside = missed and _beside(long, missed.first)
        if missed and beside:
            reason = _reason(item.key, missed, beside, plan.now)
            found[item.key] = MissedBeside(missed.first, reason)

    return found


def _beside(long: Sequence[_LongBeat], slot: datetime) -> _LongBeat | None:
    return next((one for one in long if one.started <= slot <= one.ended), None)


def _long_beats(world: World) -> list[_LongBeat]:
    """The recent beats that held the lock for long, newest first. One that a crash ended has
    nothing counted: when it ended is not known, only when the next beat found it."""
    recent = world.ledger.beats.recent(RECENT_BEATS)
    beats = [one for one in recent if one.finished and (one.completed or one.failed)]
    if not any(one.finished and one.finished - one.started >= LONG_BEAT for one in beats):
        return []

    rows = world.ledger.occurrences.history(limit=RECENT_ROWS)
    batches = {use.beat: use.started for use in world.ledger.model_use.history(limit=RECENT_BEATS)}
    found = []
    for beat in beats:
        assert beat.finished
        ended = batches.get(beat.number, beat.finished)
        if ended - beat.started >= LONG_BEAT:
            longest = _longest([row for row in rows if row.beat == beat.number], ended)
            found.append(_LongBeat(beat.number, beat.started, ended, longest))

    return found


def _longest(rows: Sequence[Occurrence], ended: datetime) -> str:
    """The key of what ran longest within the beat; what runs in the background ends later."""
    inside = [row for row in rows if row.duration and row.finished and row.finished <= ended]
    return max(inside, key=lambda row: row.duration or timedelta()).item if inside else ""


def _reason(key: str, missed: MissedSlots, beside: _LongBeat, now: datetime) -> str:
    def clock(instant: datetime) -> str:
        return f"{instant.astimezone(now.tzinfo):%H:%M}"

    many = f"{missed.count} slots" if missed.count > 1 else "1 slot"
    count = f"{MOST} slots or more" if missed.count >= MOST - 1 else many
    when = f"at {clock(missed.first)}"
    if missed.count > 1:
        when = f"from {clock(missed.first)} to {clock(missed.last)}"

    since = clock(beside.started)
    if beside.item == key:
        return f"{count} {when}: its own run since {since} was not over"

    name = f" ({identifier_of_key(beside.item)})" if beside.item else ""
    return f"{count} {when}: another beat was running since {since}{name}"
