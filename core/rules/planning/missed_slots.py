"""Which slots of an item passed without a start. Pure."""

from datetime import datetime, tzinfo
from itertools import islice, takewhile

from core.model.ledger import ItemPast
from core.model.light_dataclass import light_dataclass
from core.rules.timing.schedule import Schedule
from core.rules.timing.words.every import counted_from

MOST = 1000  # slots that are counted


@light_dataclass(frozen=True, slots=True)
class MissedSlots:
    """A run of slots without a start, besides the one that is made up for."""

    first: datetime
    last: datetime
    count: int  # MOST: that many or more


def missed_slots(
    schedule: Schedule, past: ItemPast, slot: datetime, now: datetime, zone: tzinfo
) -> MissedSlots | None:
    """What was missed besides `slot`, which starts now; None if nothing was."""
    if past.last_start is None:
        return None

    coming = islice(schedule.slots_after(_settled(schedule, past, zone), zone), MOST)
    passed = [one for one in takewhile(lambda one: one <= now, coming) if one != slot]
    return MissedSlots(passed[0], passed[-1], len(passed)) if passed else None


def _settled(schedule: Schedule, past: ItemPast, zone: tzinfo) -> datetime:
    """The instant after which slots count."""
    assert past.last_start
    if not schedule.counts_from_last_start():
        return max(past.last_slot or past.last_start, past.first_seen)

    following = schedule.slot_after(past.last_start, zone)
    assert following
    return counted_from(following - past.last_start, past.last_slot, past.last_start)
