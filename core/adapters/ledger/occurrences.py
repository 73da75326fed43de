"""Beats and their occurrences in the ledger, and how old ones are deleted.

Each method is one commit or one query.
"""

import sqlite3
from datetime import UTC, date, datetime, time, timedelta
from typing import assert_never

from core.adapters.ledger import rows
from core.adapters.ledger.connection import LedgerDatabase
from core.adapters.ledger.notes import undone_runs
from core.adapters.ledger.rows import number
from core.model.cause import Cause
from core.model.light_dataclass import replace
from core.model.occurrence import (
    TRANSITIONS,
    Beat,
    BeatReason,
    IllegalTransitionError,
    Occurrence,
    Outcome,
    State,
    Verdict,
)
from core.model.waiting import Wait, data_of

# SQLite uses the index of open rows only where the query has the index's own condition.
OPEN_ROWS = "SELECT * FROM occurrence WHERE state IN ('due', 'waiting')"
SAVE_AND_RETURN = f"{rows.SAVE_OCCURRENCE} RETURNING *"
# A local day may begin this long before or after the same day in UTC.
WIDEST_ZONE = timedelta(hours=14)

ENDED_BEFORE = """
    FROM occurrence
    WHERE recorded < ? AND state NOT IN ('due', 'waiting', 'claimed', 'started')
    ORDER BY recorded LIMIT ?
"""
SLOT_ENDED_BEFORE = f"(item, slot) IN (SELECT item, slot {ENDED_BEFORE})"
ID_ENDED_BEFORE = f"id IN (SELECT id {ENDED_BEFORE})"


class BeatTable:
    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database

    def open(self, reason: BeatReason, pid: int, now: datetime) -> Beat:
        with self._database.writing() as connection:
            done = connection.execute(
                "INSERT INTO beat (reason, pid, started) VALUES (?, ?, ?)",
                (reason, pid, rows.number(now)),
            )

        assert done.lastrowid is not None
        return Beat(done.lastrowid, reason, pid, now.astimezone(UTC))

    def close(
        self,
        number: int,
        now: datetime,
        *,
        completed: int = 0,
        failed: int = 0,
        kept: int = 0,
        not_kept: int = 0,
    ) -> None:
        with self._database.writing() as connection:
            connection.execute(
                """
                UPDATE beat SET finished = ?, completed = ?, failed = ?, kept = ?, not_kept = ?
                WHERE number = ? AND finished IS NULL
                """,
                (rows.number(now), completed, failed, kept, not_kept, number),
            )

    def recent(self, limit: int) -> tuple[Beat, ...]:
        return self._database.query(
            rows.beat, "SELECT * FROM beat ORDER BY number DESC LIMIT ?", limit
        )


class OccurrenceTable:
    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database

    def claim(self, occurrence: Occurrence, now: datetime) -> Occurrence | None:
        with self._database.writing() as connection:
            found = self._state(occurrence)
            if State.CLAIMED not in TRANSITIONS[found]:
                return None

            self._end_wait(connection, occurrence)
            return self._save(recorded(occurrence, found, now).advanced(State.CLAIMED))

    def start(self, occurrence: Occurrence, now: datetime) -> Occurrence:
        with self._database.writing() as connection:
            started = self._save(self._stored(occurrence).advanced(State.STARTED, started=now))
            use_slot(connection, started, now)
            connection.execute(
                "UPDATE item SET last_start = ?, retry_at = NULL WHERE item = ?",
                (number(now), occurrence.item),
            )

            return started

    def finish(
        self,
        occurrence: Occurrence,
        outcome: Outcome,
        now: datetime,
        *,
        result: str = "",
        error: str = "",
        cause: Cause = (),
        retry_at: datetime | None = None,
    ) -> Occurrence:
        with self._database.writing() as connection:
            stored = self._stored(occurrence)
            finished = stored.advanced(
                State.FINISHED,
                outcome=outcome,
                finished=now,
                result=result,
                error=error,
                cause=cause,
            )
            connection.execute(
                """
                UPDATE item SET
                    last_outcome = ?, last_finished = ?, retry_at = ?,
                    attempts = coalesce(?, attempts)
                WHERE item = ?
                """,
                (outcome, number(now), number(retry_at), tries_in_a_row(finished), occurrence.item),
            )
            add_promise(connection, stored, finished)
            return self._save(finished)

    def verify(
        self,
        occurrence: Occurrence,
        verdict: Verdict | None,
        *,
        contradiction: bool = False,
        points: int = 0,
        possible: int = 0,
        self_reported: bool = False,
        ruling: str = "",
    ) -> Occurrence:
        with self._database.writing() as connection:
            stored = self._stored(occurrence)
            if verdict is None:
                noted = replace(stored, check_fails=True, ruling=ruling)
                add_promise(connection, stored, noted)
                return self._save(noted)

            verified = stored.advanced(
                State.VERIFIED,
                verdict=verdict,
                contradiction=contradiction,
                points=points,
                possible=possible,
                self_reported=self_reported,
                ruling=ruling,
            )
            add_to_day(connection, verified)
            add_promise(connection, stored, verified)
            return self._save(verified)

    def notify(self, occurrence: Occurrence) -> Occurrence:
        with self._database.writing():
            return self._save(self._stored(occurrence).advanced(State.NOTIFIED))

    def release(self, occurrence: Occurrence) -> Occurrence:
        with self._database.writing() as connection:
            released = self._stored(occurrence).advanced(State.DUE)
            self._end_wait(connection, occurrence)
            return self._save(released)

    def wait(
        self, occurrence: Occurrence, outcome: Outcome, wait: Wait, now: datetime
    ) -> Occurrence:
        before = self._one_of(f"{OPEN_ROWS} AND state = 'waiting' AND item = ?", occurrence.item)
        wait = rows.storable(wait)
        if before is not None and before.outcome is outcome and data_of(before.why) == wait.data:
            return before if before.why == wait else self._reworded(before, wait)

        with self._database.writing() as connection:
            waiting = recorded(occurrence, self._state(occurrence), now).advanced(
                State.WAITING, outcome=outcome, why=wait
            )
            self._end_wait(connection, occurrence)
            return self._save(waiting)

    def _reworded(self, before: Occurrence, wait: Wait) -> Occurrence:
        """The same row, with the words that are shown now."""
        with self._database.writing():
            return self._save(replace(before, why=wait))

    def skip(self, occurrence: Occurrence, reason: str, cause: Cause, now: datetime) -> Occurrence:
        before = self._at(occurrence)
        # Without a cause, an earlier version recorded it: that is taken for the same.
        same = ((), tuple(rows.text(part) for part in cause))
        if before is not None and before.state is State.SKIPPED and before.cause in same:
            return before

        with self._database.writing() as connection:
            skipped = recorded(occurrence, self._state(occurrence), now).advanced(
                State.SKIPPED, outcome=Outcome.SKIPPED, why=reason, cause=cause
            )
            self._end_wait(connection, occurrence)
            use_slot(connection, skipped, now)

            return self._save(skipped)

    def miss(
        self, occurrence: Occurrence, reason: str, now: datetime, *, uses_slot: bool = True
    ) -> Occurrence:
        with self._database.writing() as connection:
            missed = recorded(occurrence, self._state(occurrence), now).advanced(
                State.MISSED, outcome=Outcome.MISSED, why=reason
            )
            if uses_slot:
                use_slot(connection, missed, now)

            return self._save(missed)

    def unfinished(self) -> tuple[Occurrence, ...]:
        return self._database.query(
            rows.occurrence,
            "SELECT * FROM occurrence WHERE state IN ('claimed', 'started') ORDER BY id",
        )

    def waiting(self) -> tuple[Occurrence, ...]:
        return self._database.query(
            rows.occurrence, f"{OPEN_ROWS} AND state = 'waiting' ORDER BY item"
        )

    def history(
        self,
        *,
        item: str | None = None,
        outcome: Outcome | None = None,
        first_day: date | None = None,
        last_day: date | None = None,
        limit: int | None = None,
    ) -> tuple[Occurrence, ...]:
        # The days decide; the instants only let SQLite use the index.
        earliest = first_day and number(datetime.combine(first_day, time(), UTC) - WIDEST_ZONE)
        latest = last_day and number(
            datetime.combine(last_day, time(), UTC) + timedelta(days=1) + WIDEST_ZONE
        )
        conditions = {
            "item = ?": item and rows.text(item),
            "outcome = ?": outcome,
            "recorded >= ?": earliest,
            "recorded < ?": latest,
            "day >= ?": first_day and first_day.isoformat(),
            "day <= ?": last_day and last_day.isoformat(),
        }

        chosen = {condition: value for condition, value in conditions.items() if value is not None}

        where = " AND ".join(chosen) or "TRUE"  # only words from above, and never a value
        found = self._database.query(
            rows.occurrence,
            f"SELECT * FROM occurrence WHERE {where}"  # noqa: S608 - see `where`
            " ORDER BY recorded DESC, id DESC LIMIT ?",
            *chosen.values(),
            -1 if limit is None else limit,
        )

        undone = undone_runs(self._database) if found else frozenset()
        if not undone:
            return found

        return tuple(
            replace(one, is_undone=True) if (one.beat, one.item) in undone else one for one in found
        )

    def _one_of(self, query: str, *parameters: object) -> Occurrence | None:
        found = self._database.query(rows.occurrence, query, *parameters)
        return found[0] if found else None

    def _at(self, occurrence: Occurrence) -> Occurrence | None:
        return self._one_of(
            "SELECT * FROM occurrence WHERE item = ? AND slot = ?",
            occurrence.item,
            number(occurrence.slot),
        )

    def _state(self, occurrence: Occurrence) -> State:
        found = self._at(occurrence)
        return found.state if found else State.DUE

    def _stored(self, occurrence: Occurrence) -> Occurrence:
        found = self._at(occurrence)
        if found is None:
            raise IllegalTransitionError(
                f"{occurrence.item} at {occurrence.slot.isoformat()} was never claimed"
            )

        return found

    def _end_wait(self, connection: sqlite3.Connection, occurrence: Occurrence) -> None:
        connection.execute(
            "DELETE FROM occurrence WHERE item = ? AND slot <> ? AND state IN ('due', 'waiting')",
            (occurrence.item, number(occurrence.slot)),
        )

    def _save(self, occurrence: Occurrence) -> Occurrence:
        """As the ledger has it now."""
        (saved,) = self._database.query(
            rows.occurrence, SAVE_AND_RETURN, *rows.occurrence_row(occurrence)
        )
        return saved


def recorded(occurrence: Occurrence, state: State, now: datetime) -> Occurrence:
    """The occurrence in the state that the ledger has it in, recorded now."""
    return replace(occurrence, state=state, outcome=None, recorded=now, day=now.date())


def tries_in_a_row(finished: Occurrence) -> int | None:
    """The item's new count of failed tries in a row; None: it does not change."""
    match finished.outcome:
        case Outcome.FAILED | Outcome.INTERRUPTED:
            return finished.attempts
        case Outcome.COMPLETED:
            return 0
        case (
            Outcome.SKIPPED
            | Outcome.WAITING
            | Outcome.NEEDS_MODEL
            | Outcome.NEEDS_APPROVAL
            | Outcome.NEEDS_CLARIFICATION
            | Outcome.MISSED
            | None
        ):
            return None
        case unknown:
            assert_never(unknown)


def use_slot(connection: sqlite3.Connection, occurrence: Occurrence, now: datetime) -> None:
    """Mark the slot as used. The last used slot only moves ahead, even where the clock was set
    back."""
    connection.execute(
        """
        INSERT INTO item (item, schedule, first_seen, last_slot, last_slot_offset)
        VALUES (?, '', ?, ?, ?)
        ON CONFLICT (item) DO UPDATE SET
            last_slot = excluded.last_slot,
            last_slot_offset = excluded.last_slot_offset
        WHERE last_slot IS NULL OR excluded.last_slot >= last_slot
        """,
        (occurrence.item, number(now), number(occurrence.slot), rows.offset_of(now)),
    )


def add_to_day(connection: sqlite3.Connection, verified: Occurrence) -> None:
    """Add the verdict and its points to the score of the day."""
    connection.execute(
        """
        INSERT INTO day_score
            (day, points, possible, verified, not_verified, unclear, contradictions)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (day) DO UPDATE SET
            points = points + excluded.points,
            possible = possible + excluded.possible,
            verified = verified + excluded.verified,
            not_verified = not_verified + excluded.not_verified,
            unclear = unclear + excluded.unclear,
            contradictions = contradictions + excluded.contradictions
        """,
        (
            verified.day and verified.day.isoformat(),
            verified.points,
            verified.possible,
            verified.verdict is Verdict.VERIFIED,
            verified.verdict is Verdict.NOT_VERIFIED,
            verified.verdict is Verdict.UNCLEAR,
            verified.contradiction,
        ),
    )


def add_promise(connection: sqlite3.Connection, before: Occurrence, after: Occurrence) -> None:
    """Count the promise of an occurrence to its day, once, however many steps it takes."""
    from core.rules.scoring.promises import Promise, promise_of  # the resident ends no occurrence

    was = promise_of(before)
    now = promise_of(after)
    kept = (now is Promise.KEPT) - (was is Promise.KEPT)
    due = (now is not Promise.NONE) - (was is not Promise.NONE)
    if not kept and not due:
        return

    connection.execute(
        """
        INSERT INTO day_score
            (day, points, possible, verified, not_verified, unclear, contradictions, kept, due)
        VALUES (?, 0, 0, 0, 0, 0, 0, ?, ?)
        ON CONFLICT (day) DO UPDATE SET kept = kept + excluded.kept, due = due + excluded.due
        """,
        (after.day and after.day.isoformat(), kept, due),
    )


def forget_before(database: LedgerDatabase, cutoff: datetime, batch: int) -> int:
    """Delete what is older than the cutoff: the oldest `batch` occurrences with their evidence, as
    many beats, and all feedback and model use. Return how many occurrences and beats that were."""
    oldest_kept = number(cutoff)

    with database.writing() as connection:
        connection.execute(
            f"DELETE FROM evidence WHERE {SLOT_ENDED_BEFORE}",  # noqa: S608 - a constant
            (oldest_kept, batch),
        )
        connection.execute("DELETE FROM feedback WHERE given < ?", (oldest_kept,))
        connection.execute("DELETE FROM model_use WHERE started < ?", (oldest_kept,))

        occurrences = connection.execute(
            f"DELETE FROM occurrence WHERE {ID_ENDED_BEFORE}",  # noqa: S608 - a constant
            (oldest_kept, batch),
        )
        beats = connection.execute(
            """
            DELETE FROM beat WHERE number IN (
                SELECT number FROM beat
                WHERE started < ? AND finished IS NOT NULL
                ORDER BY started LIMIT ?
            )
            """,
            (oldest_kept, batch),
        )

        return occurrences.rowcount + beats.rowcount
