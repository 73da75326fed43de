"""Converts rows of the ledger to values and values to rows."""

import json
import sqlite3
from datetime import UTC, date, datetime, timedelta, timezone
from typing import overload

from core.model.cause import Cause
from core.model.ledger import DayScore, ItemPast
from core.model.occurrence import Beat, BeatReason, Occurrence, Outcome, State, Verdict
from core.model.progress import TaskProgress, TaskStatus
from core.model.waiting import AT_LEAST, Wait, WaitReason, Why

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


def offset_of(instant: datetime) -> int:
    """Seconds east of UTC."""
    offset = instant.utcoffset()
    assert offset is not None
    return int(offset.total_seconds())


def text(value: str) -> str:
    """The text as the database can hold it: what is not a character, such as a stray byte of a file
    name, becomes `?`."""
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
        row["kept"],
        row["not_kept"],
    )


def occurrence(row: sqlite3.Row) -> Occurrence:
    return Occurrence(
        item=row["item"],
        kind=row["kind"],
        slot=instant(row["slot"]),
        beat=row["beat"],
        why=why(row),
        attempts=row["attempts"],
        state=State(row["state"]),
        outcome=Outcome(row["outcome"]) if row["outcome"] else None,
        recorded=instant(row["recorded"]),
        day=date.fromisoformat(row["day"]),
        started=instant(row["started"]),
        finished=instant(row["finished"]),
        result=row["result"],
        error=row["error"],
        cause=cause(row),
        verdict=Verdict(row["verdict"]) if row["verdict"] else None,
        contradiction=bool(row["contradiction"]),
        points=row["points"],
        possible=row["possible"],
        check_fails=bool(row["check_fails"]),
        self_reported=bool(row["self_reported"]),
        ruling=row["ruling"],
    )


def why(row: sqlite3.Row) -> Why:
    if row["waits_for"] is None:
        words: str = row["reason"]
        return words

    return read_wait(row["waits_for"], row["details"])


def read_wait(reason: str, details: str) -> Wait:
    """Read a wait; an earlier version kept a sentence as the only detail of some."""
    wait = Wait(WaitReason(reason), tuple(json.loads(details)))
    if not all(isinstance(detail, str) for detail in wait.details):
        raise TypeError("a detail is not a text")
    if len(wait.details) >= wait.reason.number_of_details:
        return wait
    if len(wait.details) == 1 and wait.reason in AT_LEAST:
        return Wait(WaitReason.OTHER, wait.details)

    raise ValueError("its sentence needs more details")


def cause(row: sqlite3.Row) -> Cause:
    """What does not wait keeps the data of its cause where others keep the details of a wait."""
    if row["waits_for"] is not None or row["details"] == "[]":
        return ()

    return tuple(str(part) for part in json.loads(row["details"]))


def storable(wait: Wait) -> Wait:
    """The wait as it comes back from the database."""
    return Wait(wait.reason, tuple(text(detail) for detail in wait.details))


def occurrence_row(occurrence: Occurrence) -> tuple[object, ...]:
    """In the order of the columns of SAVE_OCCURRENCE."""
    wait = storable(occurrence.why) if isinstance(occurrence.why, Wait) else None
    return (
        occurrence.item,
        occurrence.kind,
        number(occurrence.slot),
        occurrence.beat,
        "" if wait else text(occurrence.reason),
        wait and wait.reason,
        json.dumps(wait.details if wait else [text(part) for part in occurrence.cause]),
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
        occurrence.check_fails,
        occurrence.self_reported,
        text(occurrence.ruling),
    )


SAVE_OCCURRENCE = """
    INSERT INTO occurrence
        (item, kind, slot, beat, reason, waits_for, details, attempts, state, outcome,
         recorded, day, started, finished, result, error, verdict, contradiction, points, possible,
         check_fails, self_reported, ruling)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (item, slot) DO UPDATE SET
        kind = excluded.kind,
        beat = excluded.beat,
        reason = excluded.reason,
        waits_for = excluded.waits_for,
        details = excluded.details,
        attempts = excluded.attempts,
        state = excluded.state,
        outcome = excluded.outcome,
        recorded = excluded.recorded,
        day = excluded.day,
        started = excluded.started,
        finished = excluded.finished,
        result = excluded.result,
        error = excluded.error,
        verdict = excluded.verdict,
        contradiction = excluded.contradiction,
        points = excluded.points,
        possible = excluded.possible,
        check_fails = excluded.check_fails,
        self_reported = excluded.self_reported,
        ruling = excluded.ruling
"""


def item_past(row: sqlite3.Row) -> ItemPast:
    return ItemPast(
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
        row["kept"],
        row["due"],
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
