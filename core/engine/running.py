"""What is running now: which beat, which items, since when, and what each of them printed last.

The ledger has the items and the locks say whether their process lives; what a killed beat left in
the ledger is not running. Cheap enough for the resident.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from core.model.holder import Holder, Purpose
from core.model.item import identifier_of_key
from core.model.occurrence import Occurrence, State
from core.model.status import Running, RunningItem

if TYPE_CHECKING:
    from core.engine.variables import Variables
    from core.ports.ledger import Ledger
    from core.ports.processes import Background, LastLines, Lock
    from core.ports.world import World

# How many beats are searched for those of the holders: as many as may run during one batch.
RECENT_BEATS = 100


class Runs(Protocol):
    """The part of a world that shows what is running."""

    @property
    def ledger(self) -> "Ledger": ...

    @property
    def lock(self) -> "Lock": ...

    @property
    def model_lock(self) -> "Lock": ...

    @property
    def background(self) -> "Background": ...

    @property
    def last_lines(self) -> "LastLines": ...


def running_now(world: Runs) -> Running | None:
    """What is running; None if nothing is."""
    holders = beats_at_work(world)
    numbers = {one.pid: beat_of(world, one) for one in holders}
    rows = [
        row
        for row in world.ledger.occurrences.unfinished()
        if row.state is State.STARTED
        and (row.beat in numbers.values() or world.background.is_running(row.item))
    ]
    rows.sort(key=_since)
    items = tuple(
        RunningItem(identifier_of_key(row.item), _since(row), world.last_lines.of(row.item))
        for row in rows
    )

    started = [one.since for one in holders if one.since]
    if holders:
        number = next(filter(None, numbers.values()), None)
        since = min([*started, *(item.since for item in items)], default=None)
        return Running(number, since, items) if since else None

    return Running(None, items[0].since, items, is_beat=False) if items else None


def beats_at_work(world: Runs) -> tuple[Holder, ...]:
    """The processes that do a beat now: one has the workspace's lock, another may have its batch
    with the model."""
    with_workspace = world.lock.holder()
    with_model = world.model_lock.holder()
    found: dict[int, Holder] = {}
    if with_workspace and with_workspace.purpose is Purpose.BEAT:
        found[with_workspace.pid] = with_workspace
    if with_model:
        found.setdefault(with_model.pid, with_model)

    return tuple(found.values())


def beat_of(world: Runs, holder: Holder) -> int | None:
    """The number of the beat that this process does; None before it has one."""
    for beat in world.ledger.beats.recent(RECENT_BEATS):
        if beat.finished is None and beat.pid == holder.pid:
            return beat.number

    return None


def items_of(world: Runs, beat: int | None) -> tuple[str, ...]:
    """The ids of what a beat is doing."""
    rows = sorted(world.ledger.occurrences.unfinished(), key=_since)
    started = [row for row in rows if row.state is State.STARTED and row.beat == beat]
    return tuple(identifier_of_key(row.item) for row in started)


@contextmanager
def showing_lines(
    world: "World", item: str, variables: "Variables"
) -> Iterator[Callable[[str], None]]:
    """Show what the item prints for as long as the block lasts; each line as it would be
    recorded, and without tokens of known forms."""
    from core.rules.redacting import without_tokens  # imported here: the resident shows no line

    world.last_lines.forget(item)  # what a crash left
    try:
        yield lambda line: world.last_lines.tell(item, variables.as_record(without_tokens(line)))
    finally:
        world.last_lines.forget(item)


def _since(row: Occurrence) -> datetime:
    return row.started or row.slot
