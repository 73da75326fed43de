"""Ledger rows as values and values as rows."""

import sqlite3
from datetime import UTC, date, datetime, timedelta, timezone
from typing import overload

from core.model.memory import DayScore, ItemMemory
from core.model.occurrence import Beat, BeatReason, Occurrence, Outcome, State
from core.model.progress import TaskProgress, TaskStatus
from core.model.verdict import Verdict

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


@overload
def number(instant: datetime) -> int: ...
@overload
def number(instant: datetime | None) -> int | None: ...
def number(instant: datetime | None) -> int | None:
    """An aware instant as whole microseconds since 1970; a naive one is a TypeError."""
    return None if instant is None else (instant - EPOCH) // MICROSECOND


@overload
def instant(number: int) -> datetime: ...
@overload
def instant(number: int | None) -> datetime | None: ...
def instant(number: int | None) -> datetime | None:
    return None if number is None else EPOCH + number * MICROSECOND


def zone(offset: int | None) -> timezone | None:
    return None if offset is None else timezone(timedelta(seconds=offset))


def offset_of(moment: datetime) -> int:
    """Seconds east of UTC."""
    offset = moment.utcoffset()
    assert offset is not None
    return int(offset.total_seconds())


def text(value: str) -> str:
    """Text as the file can hold it: what is no character, such as a stray byte of a file name, becomes `?`."""
    return value.encode(errors="replace").decode()


def beat(row: sqlite3.Row) -> Beat:
    return Beat(
        row["number"],
        BeatReason(row["reason"]),
        row["pid"],
        instant(row["started"]),
        instant(row["finished"]),
        row["completed"],
        row["failed"],
    )


def occurrence(row: sqlite3.Row) -> Occurrence:
    return Occurrence(
        item=row["item"],
        kind=row["kind"],
        slot=instant(row["slot"]),
        beat=row["beat"],
        reason=row["reason"],
        attempts=row["attempts"],
        state=State(row["state"]),
        outcome=Outcome(row["outcome"]) if row["outcome"] else None,
        recorded=instant(row["recorded"]),
        day=date.fromisoformat(row["day"]),
        started=instant(row["started"]),
        finished=instant(row["finished"]),
        result=row["result"],
        error=row["error"],
        verdict=Verdict(row["verdict"]) if row["verdict"] else None,
        contradiction=bool(row["contradiction"]),
        points=row["points"],
        possible=row["possible"],
    )


def occurrence_row(occurrence: Occurrence) -> tuple[object, ...]:
    """In the order of the columns of SAVE_OCCURRENCE."""
    return (
        occurrence.item,
        occurrence.kind,
        number(occurrence.slot),
        occurrence.beat,
        text(occurrence.reason),
        occurrence.attempts,
        occurrence.state,
        occurrence.outcome,
        number(occurrence.recorded),
        occurrence.day.isoformat() if occurrence.day else None,
        number(occurrence.started),
        number(occurrence.finished),
        text(occurrence.result),
        text(occurrence.error),
        occurrence.verdict,
        occurrence.contradiction,
        occurrence.points,
        occurrence.possible,
    )


SAVE_OCCURRENCE = """
    INSERT INTO occurrence (item, kind, slot, beat, reason, attempts, state, outcome, recorded, day,
                            started, finished, result, error, verdict, contradiction, points, possible)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (item, slot) DO UPDATE SET
        kind = excluded.kind, beat = excluded.beat, reason = excluded.reason, attempts = excluded.attempts,
        state = excluded.state, outcome = excluded.outcome, recorded = excluded.recorded, day = excluded.day,
        started = excluded.started, finished = excluded.finished, result = excluded.result, error = excluded.error,
        verdict = excluded.verdict, contradiction = excluded.contradiction, points = excluded.points,
        possible = excluded.possible
"""


def item_memory(row: sqlite3.Row) -> ItemMemory:
    return ItemMemory(
        item=row["item"],
        schedule=row["schedule"],
        first_seen=instant(row["first_seen"]),
        last_start=instant(row["last_start"]),
        last_slot=instant(row["last_slot"]),
        last_slot_zone=zone(row["last_slot_offset"]),
        last_finished=instant(row["last_finished"]),
        last_outcome=Outcome(row["last_outcome"]) if row["last_outcome"] else None,
        attempts=row["attempts"],
        retry_at=instant(row["retry_at"]),
    )


def day_score(row: sqlite3.Row) -> DayScore:
    return DayScore(
        date.fromisoformat(row["day"]),
        row["points"],
        row["possible"],
        row["verified"],
        row["not_verified"],
        row["unclear"],
        row["contradictions"],
        row["feedback"],
    )


def task_progress(row: sqlite3.Row) -> TaskProgress:
    return TaskProgress(
        row["task_id"],
        TaskStatus(row["status"]),
        row["attempts"],
        instant(row["last_attempt_at"]),
        row["last_result"],
        row["line"],
    )
