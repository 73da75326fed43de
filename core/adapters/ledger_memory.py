"""What the ledger remembers of items, tasks, days, the plan and the person's wishes; core/ports.py has the contract."""

import json
import sqlite3
from collections.abc import Collection, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from core.adapters import ledger_rows as rows
from core.adapters.ledger_file import LedgerFile
from core.adapters.ledger_rows import instant, number, text
from core.model.memory import DayScore, ItemMemory, Look, Pause, PlanNote, RunRequest
from core.model.progress import Progress


class MemoryTables(LedgerFile):
    # Items and tasks

    def see(self, schedules: Mapping[str, str], now: datetime) -> dict[str, ItemMemory]:
        known = self.items()
        unseen = [
            (item, schedule, number(now))
            for item, schedule in schedules.items()
            if item not in known or known[item].schedule != schedule
        ]
        if unseen:
            with self._writing() as connection:
                connection.executemany(
                    "INSERT INTO item (item, schedule, first_seen) VALUES (?, ?, ?) ON CONFLICT (item)"
                    " DO UPDATE SET schedule = excluded.schedule, first_seen = excluded.first_seen,"
                    " last_slot = iif(last_start IS NULL, NULL, last_slot),"
                    " last_slot_offset = iif(last_start IS NULL, NULL, last_slot_offset)",
                    unseen,
                )
            known = self.items()
        return {item: known[item] for item in schedules}

    def start_anew(self, item: str, now: datetime) -> None:
        with self._writing() as connection:
            connection.execute(
                "UPDATE item SET attempts = 0, retry_at = ?"
                " WHERE item = ? AND last_outcome IN ('failed', 'interrupted')",
                (number(now), item),
            )

    def take_back(self, item: str) -> None:
        with self._writing() as connection:
            connection.execute(
                "UPDATE item SET last_outcome = 'skipped', last_finished = NULL, retry_at = NULL WHERE item = ?",
                (item,),
            )

    def count_from(self, item: str, moment: datetime) -> None:
        with self._writing() as connection:
            connection.execute(
                "UPDATE item SET last_start = min(last_start, :moment), last_slot = min(last_slot, :moment),"
                " first_seen = min(first_seen, :moment), last_slot_offset = NULL WHERE item = :item",
                {"moment": number(moment), "item": item},
            )

    def items(self) -> dict[str, ItemMemory]:
        return {memory.item: memory for memory in self._rows(rows.item_memory, "SELECT * FROM item")}

    def progress(self) -> Progress:
        cycle = self._note("cycle") or {"last": None, "count": 0}
        tasks = self._rows(rows.task_progress, "SELECT * FROM task_progress ORDER BY task_id")
        return Progress(instant(cycle["last"]), cycle["count"], tasks)

    def save_progress(self, progress: Progress) -> None:
        with self._writing() as connection:
            self._set_note("cycle", {"last": number(progress.last_cycle_at), "count": progress.cycle_count})
            connection.execute("DELETE FROM task_progress")
            connection.executemany(
                "INSERT INTO task_progress VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (
                        task.task_id,
                        task.status,
                        task.attempts,
                        number(task.last_attempt_at),
                        task.last_result and text(task.last_result),
                        task.line,
                    )
                    for task in progress.tasks
                ],
            )

    # Approvals

    def approvals_number(self) -> int:
        return self._note("approvals_number") or 0

    def set_approvals_number(self, number: int) -> None:
        self._set_note("approvals_number", number)

    def last_look(self) -> Look | None:
        note = self._note("look")
        return note and Look(instant(note["watched_since"]), note["beat"], note["seen"])

    def save_look(self, look: Look) -> None:
        note = {"watched_since": number(look.watched_since), "beat": look.beat, "seen": dict(look.seen)}
        self._set_note("look", note)

    # Score

    def points_between(self, since: datetime, until: datetime) -> int:
        query = "SELECT coalesce(sum(points), 0) FROM occurrence WHERE recorded >= ? AND recorded < ?"
        return self._rows(first_number, query, number(since), number(until))[0]

    def day_scores(self, first_day: date, last_day: date) -> tuple[DayScore, ...]:
        query = "SELECT * FROM day_score WHERE day BETWEEN ? AND ? ORDER BY day"
        return self._rows(rows.day_score, query, first_day.isoformat(), last_day.isoformat())

    # The plan and the person's wishes

    def plan(self) -> PlanNote | None:
        note = self._note("plan")
        return note and PlanNote(instant(note["made"]), instant(note["next_wake"]), note["summary"])

    def save_plan(self, plan: PlanNote) -> None:
        self._set_note(
            "plan",
            {"made": number(plan.made), "next_wake": number(plan.next_wake), "summary": dict(plan.summary)},
        )

    def tick_anchor(self) -> datetime | None:
        anchor: int | None = self._note("tick_anchor")
        return instant(anchor)

    def set_tick_anchor(self, anchor: datetime) -> None:
        self._set_note("tick_anchor", number(anchor))

    def paused(self) -> Pause | None:
        note = self._note("pause")
        return note and Pause(instant(note["since"]), instant(note["until"]))

    def pause(self, pause: Pause) -> None:
        self._set_note("pause", {"since": number(pause.since), "until": number(pause.until)})

    def resume(self) -> None:
        self._drop_note("pause")

    def run_requested(self) -> RunRequest | None:
        note = self._note("run_request")
        return note and RunRequest(tuple(note["items"]), instant(note["since"]), note.get("by_agent", False))

    def request_run(self, items: Collection[str], now: datetime, *, by_agent: bool = False) -> None:
        with self.together():
            earlier = self.run_requested() or RunRequest(tuple(items), now, by_agent)
            everything = not items or not earlier.items
            wanted = [] if everything else sorted({*earlier.items, *items})
            note = {"items": wanted, "since": number(earlier.since), "by_agent": by_agent and earlier.by_agent}
            self._set_note("run_request", note)

    def take_run_request(self) -> RunRequest | None:
        if self.run_requested() is None:
            return None
        with self.together():
            wish = self.run_requested()  # again: another process may have been first
            self._drop_note("run_request")
            return wish

    # What was told

    def tell(self, trouble: str, what: str, now: datetime) -> bool:
        words = text(what)
        if self._rows(first_text, "SELECT what FROM told WHERE trouble = ?", trouble) == (words,):
            return False
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO told VALUES (?, ?, ?)", (trouble, words, number(now)))
        return True

    def is_over(self, trouble: str) -> bool:
        if not self._rows(first_text, "SELECT what FROM told WHERE trouble = ?", trouble):
            return False
        with self._writing() as connection:
            return connection.execute("DELETE FROM told WHERE trouble = ?", (trouble,)).rowcount == 1

    def set_aside(self) -> Path | None:
        note = self._note("set_aside")
        return note and Path(note)

    # Notes: small values under a name, as JSON

    def _note(self, name: str) -> Any:
        found = self._rows(first_json, "SELECT value FROM note WHERE name = ?", name)
        return found[0] if found else None

    def _set_note(self, name: str, value: object) -> None:
        written = json.dumps(value)
        if self._rows(first_text, "SELECT value FROM note WHERE name = ?", name) == (written,):
            return
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO note VALUES (?, ?)", (name, written))

    def _drop_note(self, name: str) -> None:
        if self._note(name) is not None:
            with self._writing() as connection:
                connection.execute("DELETE FROM note WHERE name = ?", (name,))


def first_number(row: sqlite3.Row) -> int:
    return int(row[0])


def first_text(row: sqlite3.Row) -> str:
    return str(row[0])


def first_json(row: sqlite3.Row) -> Any:
    return json.loads(row[0])
