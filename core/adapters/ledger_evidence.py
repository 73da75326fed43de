"""Evidence, the person's thumbs and what was told, in the ledger; core/ports.py has the contract."""

import json
import sqlite3
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from core.adapters.ledger_memory import MemoryTables
from core.adapters.ledger_rows import instant, number, text
from core.model.announcements import Announcements, Message, Told
from core.model.memory import Feedback
from core.model.occurrence import Occurrence
from core.model.report import Notice

if TYPE_CHECKING:
    from core.model.evidence import Evidence

MOST_MESSAGES = 50


class EvidenceTables(MemoryTables):
    def keep_evidence(self, occurrence: Occurrence, evidence: "Evidence") -> None:
        from core.rules.reporting.evidence import evidence_json  # here: the always-on process has no use for it

        written = json.dumps(evidence_json(evidence))
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO evidence (item, slot, beat, value) VALUES (?, ?, ?, ?)",
                (occurrence.item, number(occurrence.slot), occurrence.beat, written),
            )

    def evidence(self, item: str, beat: int) -> "Evidence | None":
        query = "SELECT value FROM evidence WHERE item = ? AND beat = ? ORDER BY slot DESC LIMIT 1"
        found = self._rows(one_evidence, query, item, beat)
        return found[0] if found else None

    def give_feedback(self, item: str, points: int, now: datetime) -> None:
        day = now.date().isoformat()
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO feedback (given, day, item, points) VALUES (?, ?, ?, ?)",
                (number(now), day, text(item), points),
            )
            connection.execute(
                "INSERT INTO day_score (day, points, possible, verified, not_verified, unclear, contradictions,"
                " feedback) VALUES (?, 0, 0, 0, 0, 0, 0, ?)"
                " ON CONFLICT (day) DO UPDATE SET feedback = feedback + excluded.feedback",
                (day, points),
            )

    def feedback(self, first_day: date, last_day: date) -> tuple[Feedback, ...]:
        query = "SELECT * FROM feedback WHERE day BETWEEN ? AND ? ORDER BY id"
        return self._rows(one_feedback, query, first_day.isoformat(), last_day.isoformat())

    def announcements(self) -> Announcements:
        note = self._note("announcements")
        return read_announcements(note) if note else Announcements()

    def save_announcements(self, announcements: Announcements) -> None:
        if announcements != self.announcements():
            self._set_note("announcements", announcements_json(announcements))

    def leave_message(self, message: Message) -> None:
        notice = message.notice
        left = [notice.kind, text(notice.title), text(notice.message), message.urgency, text(message.trouble)]
        with self.together():
            self._set_note("messages", [*(self._note("messages") or []), left][-MOST_MESSAGES:])

    def take_messages(self) -> tuple[Message, ...]:
        if self._note("messages") is None:
            return ()
        with self.together():
            left = self._note("messages") or []  # again: another process may have been first
            self._drop_note("messages")
        return tuple(Message(Notice(kind, title, words), urgency, key) for kind, title, words, urgency, key in left)


def one_evidence(row: sqlite3.Row) -> "Evidence":
    from core.rules.reporting.evidence import read_evidence

    return read_evidence(json.loads(row["value"]))


def one_feedback(row: sqlite3.Row) -> Feedback:
    return Feedback(instant(row["given"]), date.fromisoformat(row["day"]), row["item"], row["points"])


def announcements_json(one: Announcements) -> dict[str, Any]:
    return {
        "told": {key: [told.words, told.title, told.says_when_over] for key, told in one.told.items()},
        "held": {key: [notice.kind, notice.title, notice.message] for key, notice in one.held.items()},
        "sent": [number(moment) for moment in one.sent],
        "snoozed": {key: number(until) for key, until in one.snoozed.items()},
        "delivered": [[number(moment), text(words)] for moment, words in one.delivered],
    }


def read_announcements(note: dict[str, Any]) -> Announcements:
    return Announcements(
        {key: Told(*told) for key, told in note["told"].items()},
        {key: Notice(*notice) for key, notice in note["held"].items()},
        tuple(instant(moment) for moment in note["sent"]),
        {key: instant(until) for key, until in note["snoozed"].items()},
        tuple((instant(moment), words) for moment, words in note.get("delivered", ())),
    )
