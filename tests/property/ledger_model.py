"""The ledger's beats, occurrences and items once more, as plain lists and dictionaries: what
test_ledger_states.py compares the real one with, and nothing else uses."""

from dataclasses import replace
from datetime import UTC, datetime, timezone
from typing import Any

from core.model.cause import Cause
from core.model.ledger import ItemPast
from core.model.occurrence import (
    OPEN,
    TRANSITIONS,
    UNFINISHED,
    Beat,
    BeatReason,
    IllegalTransitionError,
    Occurrence,
    Outcome,
    State,
    Verdict,
)
from core.model.waiting import Wait, data_of


class LedgerModel:
    def __init__(self) -> None:
        self.beats = BeatsModel()
        self.items = ItemsModel()
        self.occurrences = OccurrencesModel(self.items)

    def forget_before(self, cutoff: datetime, batch: int = 1000) -> int:
        return self.occurrences.forget_before(cutoff, batch) + self.beats.forget_before(
            cutoff, batch
        )


class BeatsModel:
    def __init__(self) -> None:
        self._beats: list[Beat] = []
        self._last = 0

    def open(self, reason: BeatReason, pid: int, now: datetime) -> Beat:
        self._last += 1
        self._beats.append(Beat(self._last, reason, pid, utc(now)))
        return self._beats[-1]

    def recent(self, limit: int) -> tuple[Beat, ...]:
        return tuple(reversed(self._beats))[:limit]

    def forget_before(self, cutoff: datetime, batch: int) -> int:
        ended = [beat for beat in self._beats if beat.finished and beat.started < cutoff][:batch]
        self._beats = [beat for beat in self._beats if beat not in ended]
        return len(ended)


class ItemsModel:
    def __init__(self) -> None:
        self._memory: dict[str, ItemPast] = {}

    def see(self, schedules: dict[str, str], now: datetime) -> dict[str, ItemPast]:
        for item, schedule in schedules.items():
            if item not in self._memory or self._memory[item].schedule != schedule:
                known = self._memory.get(item, ItemPast(item, schedule, now))
                if known.last_start is None:
                    known = replace(known, last_slot=None, last_slot_zone=None)
                self._memory[item] = replace(known, schedule=schedule, first_seen=utc(now))
        return {item: self._memory[item] for item in schedules}

    def all(self) -> dict[str, ItemPast]:
        return dict(self._memory)

    def use_slot(self, occurrence: Occurrence, now: datetime) -> None:
        slot = utc(occurrence.slot)
        offset = now.utcoffset()
        assert offset is not None
        known = self._memory.setdefault(occurrence.item, ItemPast(occurrence.item, "", utc(now)))
        if known.last_slot is None or slot >= known.last_slot:
            self.remember(occurrence.item, last_slot=slot, last_slot_zone=timezone(offset))

    def remember(self, item: str, **changes: Any) -> None:
        self._memory[item] = replace(self._memory[item], **changes)


class OccurrencesModel:
    def __init__(self, items: ItemsModel) -> None:
        self._items = items
        self._rows: dict[tuple[str, datetime], Occurrence] = {}  # in the order of their making

    def claim(self, occurrence: Occurrence, now: datetime) -> Occurrence | None:
        taken = self._recorded(occurrence, now)
        if State.CLAIMED not in TRANSITIONS[taken.state]:
            return None
        return self._save(taken.advanced(State.CLAIMED), ends_wait=True)

    def start(self, occurrence: Occurrence, now: datetime) -> Occurrence:
        started = self._save(self._stored(occurrence).advanced(State.STARTED, started=now))
        self._items.use_slot(started, now)
        self._items.remember(started.item, last_start=started.started, retry_at=None)
        return started

    def finish(
        self,
        occurrence: Occurrence,
        outcome: Outcome,
        now: datetime,
        *,
        result: str = "",
        retry_at: datetime | None = None,
    ) -> Occurrence:
        finished = self._stored(occurrence).advanced(
            State.FINISHED, outcome=outcome, finished=now, result=result
        )
        attempts = self._items.all()[finished.item].attempts
        if outcome is Outcome.COMPLETED:
            attempts = 0
        elif outcome in (Outcome.FAILED, Outcome.INTERRUPTED):
            attempts = finished.attempts
        saved = self._save(finished)
        self._items.remember(
            finished.item,
            last_outcome=outcome,
            last_finished=saved.finished,
            attempts=attempts,
            retry_at=retry_at and utc(retry_at),
        )
        return saved

    def verify(
        self,
        occurrence: Occurrence,
        verdict: Verdict,
        *,
        contradiction: bool,
        points: int,
        possible: int,
        self_reported: bool = False,
        ruling: str = "",
    ) -> Occurrence:
        return self._save(
            self._stored(occurrence).advanced(
                State.VERIFIED,
                verdict=verdict,
                contradiction=contradiction,
                points=points,
                possible=possible,
                self_reported=self_reported,
                ruling=ruling,
            )
        )

    def notify(self, occurrence: Occurrence) -> Occurrence:
        return self._save(self._stored(occurrence).advanced(State.NOTIFIED))

    def release(self, occurrence: Occurrence) -> Occurrence:
        return self._save(self._stored(occurrence).advanced(State.DUE), ends_wait=True)

    def wait(
        self, occurrence: Occurrence, outcome: Outcome, wait: Wait, now: datetime
    ) -> Occurrence:
        for row in self._rows.values():
            is_its_wait = row.state is State.WAITING and row.item == occurrence.item
            if is_its_wait and (row.outcome, data_of(row.why)) == (outcome, wait.data):
                return self._save(replace(row, why=wait))
        waiting = self._recorded(occurrence, now).advanced(State.WAITING, outcome=outcome, why=wait)
        return self._save(waiting, ends_wait=True)

    def skip(self, occurrence: Occurrence, reason: str, cause: Cause, now: datetime) -> Occurrence:
        before = self._rows.get(key(occurrence))
        if before and before.state is State.SKIPPED and before.cause == cause:
            return before
        skipped = self._recorded(occurrence, now).advanced(
            State.SKIPPED, outcome=Outcome.SKIPPED, why=reason, cause=cause
        )
        self._items.use_slot(skipped, now)
        return self._save(skipped, ends_wait=True)

    def miss(self, occurrence: Occurrence, reason: str, now: datetime) -> Occurrence:
        missed = self._recorded(occurrence, now).advanced(
            State.MISSED, outcome=Outcome.MISSED, why=reason
        )
        self._items.use_slot(missed, now)
        return self._save(missed)

    def unfinished(self) -> tuple[Occurrence, ...]:
        return tuple(row for row in self._rows.values() if row.state in UNFINISHED)

    def history(self) -> tuple[Occurrence, ...]:
        newest_first = [*reversed(self._rows.values())]
        newest_first.sort(key=recorded_at, reverse=True)  # stable: of equal instants the later row
        return tuple(newest_first)

    def forget_before(self, cutoff: datetime, batch: int) -> int:
        ended = [
            row
            for row in self._rows.values()
            if row.state not in OPEN | UNFINISHED and recorded_at(row) < cutoff
        ]
        oldest = sorted(ended, key=recorded_at)[:batch]
        for row in oldest:
            del self._rows[key(row)]
        return len(oldest)

    def _recorded(self, occurrence: Occurrence, now: datetime) -> Occurrence:
        found = self._rows.get(key(occurrence))
        state = found.state if found else State.DUE
        return replace(occurrence, state=state, outcome=None, recorded=now, day=now.date())

    def _stored(self, occurrence: Occurrence) -> Occurrence:
        if key(occurrence) not in self._rows:
            raise IllegalTransitionError(f"{occurrence.item} was never claimed")
        return self._rows[key(occurrence)]

    def _save(self, occurrence: Occurrence, *, ends_wait: bool = False) -> Occurrence:
        if ends_wait:
            for row in list(self._rows.values()):
                if (
                    row.item == occurrence.item
                    and row.state in OPEN
                    and key(row) != key(occurrence)
                ):
                    del self._rows[key(row)]
        saved = replace(
            occurrence,
            slot=utc(occurrence.slot),
            recorded=occurrence.recorded and utc(occurrence.recorded),
            started=occurrence.started and utc(occurrence.started),
            finished=occurrence.finished and utc(occurrence.finished),
        )
        self._rows[key(saved)] = saved
        return saved


def utc(instant: datetime) -> datetime:
    return instant.astimezone(UTC)


def key(occurrence: Occurrence) -> tuple[str, datetime]:
    return occurrence.item, utc(occurrence.slot)


def recorded_at(occurrence: Occurrence) -> datetime:
    assert occurrence.recorded is not None
    return occurrence.recorded
