"""What the ledger remembers about each item, the progress of tasks, and the evidence for an
occurrence: what was said, done and measured."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from core.adapters.ledger import rows
from core.adapters.ledger.connection import LedgerDatabase
from core.adapters.ledger.notes import Notes, mark_undone
from core.adapters.ledger.rows import instant, number, text
from core.model.ledger import ItemPast
from core.model.occurrence import Occurrence
from core.model.progress import Progress

if TYPE_CHECKING:
    from core.model.evidence import Evidence


class ItemTable:
    """When each item was seen, ran and failed."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database

    def see(self, schedules: Mapping[str, str], now: datetime) -> dict[str, ItemPast]:
        known = self.all()
        unseen = [
            (item, schedule, number(now))
            for item, schedule in schedules.items()
            if item not in known or known[item].schedule != schedule
        ]

        if unseen:
            with self._database.writing() as connection:
                connection.executemany(
                    """
                    INSERT INTO item (item, schedule, first_seen) VALUES (?, ?, ?)
                    ON CONFLICT (item) DO UPDATE SET
                        schedule = excluded.schedule,
                        first_seen = excluded.first_seen,
                        last_slot = iif(last_start IS NULL, NULL, last_slot),
                        last_slot_offset = iif(last_start IS NULL, NULL, last_slot_offset)
                    """,
                    unseen,
                )

            known = self.all()

        return {item: known[item] for item in schedules}

    def all(self) -> dict[str, ItemPast]:
        pasts = self._database.query(rows.item_past, "SELECT * FROM item")
        return {past.item: past for past in pasts}

    def start_over(self, item: str, now: datetime) -> None:
        with self._database.writing() as connection:
            connection.execute(
                """
                UPDATE item SET attempts = 0, retry_at = ?
                WHERE item = ? AND last_outcome IN ('failed', 'interrupted')
                """,
                (number(now), item),
            )

    def take_back(self, item: str, beat: int) -> None:
        with self._database.writing() as connection:
            mark_undone(self._database, item, beat)
            connection.execute(
                """
                UPDATE item SET last_outcome = 'skipped', last_finished = NULL, retry_at = NULL
                WHERE item = ?
                """,
                (item,),
            )

    def count_from(self, item: str, since: datetime) -> None:
        # If the start is moved back, so is its slot, even an earlier one: otherwise a slot between
        # the two would be due in a zone that the person has travelled to.
        with self._database.writing() as connection:
            connection.execute(
                """
                UPDATE item SET
                    first_seen = min(first_seen, :since),
                    last_start = min(last_start, :since),
                    last_slot = iif(last_start > :since, :since, min(last_slot, :since)),
                    last_slot_offset = NULL
                WHERE item = :item
                """,
                {"since": number(since), "item": item},
            )


class TaskTable:
    """The progress of tasks, and of the cycles over them."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database
        self._notes = Notes(database)

    def progress(self) -> Progress:
        cycle = self._notes.read("cycle") or {"last": None, "count": 0}
        tasks = self._database.query(
            rows.task_progress, "SELECT * FROM task_progress ORDER BY task_id"
        )
        return Progress(instant(cycle["last"]), cycle["count"], tasks)

    def save(self, progress: Progress) -> None:
        cycle = {"last": number(progress.last_cycle_at), "count": progress.cycle_count}
        tasks = [
            (
                task.task_id,
                task.status,
                task.attempts,
                number(task.last_attempt_at),
                task.last_result and text(task.last_result),
                task.line,
            )
            for task in progress.tasks
        ]

        with self._database.writing() as connection:
            self._notes.write("cycle", cycle)
            connection.execute("DELETE FROM task_progress")
            connection.executemany("INSERT INTO task_progress VALUES (?, ?, ?, ?, ?, ?)", tasks)


class EvidenceTable:
    """What was said, done and measured for an occurrence."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database

    def keep(self, occurrence: Occurrence, evidence: "Evidence") -> None:
        # imported here: the resident does not need it
        from core.rules.reporting.evidence import evidence_record

        written = json.dumps(evidence_record(evidence))
        with self._database.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO evidence (item, slot, beat, value) VALUES (?, ?, ?, ?)",
                (occurrence.item, number(occurrence.slot), occurrence.beat, written),
            )

    def of(self, item: str, beat: int) -> "Evidence | None":
        found = self._database.query(
            one_evidence,
            "SELECT value FROM evidence WHERE item = ? AND beat = ? ORDER BY slot DESC LIMIT 1",
            item,
            beat,
        )
        return found[0] if found else None


def one_evidence(row: sqlite3.Row) -> "Evidence":
    from core.rules.reporting.evidence import read_evidence  # imported here: as above

    return read_evidence(json.loads(row["value"]))
