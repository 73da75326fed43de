"""What was announced to the person and what is still to be shown, in the ledger."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from core.adapters.ledger.connection import LedgerDatabase
from core.adapters.ledger.notes import Notes, as_text, same_type
from core.adapters.ledger.rows import instant, number, text
from core.model.announcements import Announced, Announcements, Message
from core.model.cause import Cause
from core.model.report import Notice, NoticeKind, Urgency
from core.model.trouble import TroubleKey, TroubleKind, read_trouble_key

MOST_MESSAGES = 50
# Of these troubles earlier versions kept data as well, as one text; of all others a sentence.
ONCE_KEPT_AS_ONE_TEXT = (
    TroubleKind.MODEL,
    TroubleKind.SCORE_DROP,
    TroubleKind.BUDGET,
    TroubleKind.PROVIDER,
)


class AnnouncementTables:
    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database
        self._notes = Notes(database)

    def current(self) -> Announcements:
        note = self._notes.read("announcements")
        return announcements_from_json(note) if note else Announcements()

    def save(self, announcements: Announcements) -> None:
        if announcements != self.current():
            self._notes.write("announcements", announcements_json(announcements))

    def leave_message(self, message: Message) -> None:
        notice = message.notice
        entry = [
            notice.kind,
            text(notice.title),
            text(notice.message),
            message.urgency,
            text(message.trouble.text) if message.trouble else "",
        ]

        with self._database.writing():
            earlier: list[Any] = same_type(self._notes.read("messages"), [])
            self._notes.write("messages", [*earlier, entry][-MOST_MESSAGES:])

    def take_messages(self) -> tuple[Message, ...]:
        if self._notes.read("messages") is None:
            return ()

        with self._database.writing():
            # Read again: another process may have been first.
            entries: list[Any] = same_type(self._notes.read("messages"), [])
            messages = tuple(filter(None, map(message_from_json, entries)))
            self._notes.remove("messages")

        return messages

    def announce(self, trouble: TroubleKey, what: Cause, now: datetime) -> bool:
        written = json.dumps([text(part) for part in what])
        known = self._told(trouble)
        if known == (written,):
            return False

        with self._database.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO told VALUES (?, ?, ?)", (trouble.text, written, number(now))
            )

        # An earlier version kept a sentence: that counts as the same.
        return not known or known[0].startswith("[")

    def settle(self, trouble: TroubleKey) -> bool:
        if not self._told(trouble):
            return False

        with self._database.writing() as connection:
            done = connection.execute("DELETE FROM told WHERE trouble = ?", (trouble.text,))
            return done.rowcount == 1

    def _told(self, trouble: TroubleKey) -> tuple[str, ...]:
        return self._database.query(
            as_text, "SELECT what FROM told WHERE trouble = ?", trouble.text
        )


def message_from_json(entry: Any) -> Message | None:
    """Read a message with care; None if it is not one that could be shown."""
    match entry:
        case [str(kind), str(title), str(words), str(urgency), str(key)]:
            return Message(
                Notice(NoticeKind.read(kind), title, words),
                Urgency.read(urgency),
                read_trouble_key(key),
            )

    return None


def by_key(note: dict[str, Any]) -> Iterator[tuple[TroubleKey, Any]]:
    """The entries of a note, without kinds of trouble that only another version knows."""
    for written, value in note.items():
        key = read_trouble_key(written)
        if key:
            yield key, value


def announced_from_json(key: TroubleKey, told: list[Any]) -> Announced:
    return Announced(sameness_from_json(key, told[0]), *told[1:])


def sameness_from_json(key: TroubleKey, kept: Any) -> Cause | None:
    """Read what a trouble is recognized by; None if an earlier version kept a sentence."""
    if isinstance(kept, list):
        return tuple(text(str(part)) for part in kept)
    if isinstance(kept, str) and key.kind in ONCE_KEPT_AS_ONE_TEXT:
        return tuple(kept.split(" ", 2))

    return None


def announcements_json(announcements: Announcements) -> dict[str, Any]:
    return {
        "told": {
            key.text: [
                announced.sameness and [text(part) for part in announced.sameness],
                announced.title,
                announced.says_when_over,
            ]
            for key, announced in announcements.announced.items()
        },
        "held": {
            key.text: [notice.kind, notice.title, notice.message]
            for key, notice in announcements.held.items()
        },
        "sent": [number(sent) for sent in announcements.sent],
        "snoozed": {key.text: number(until) for key, until in announcements.snoozed.items()},
        "delivered": [[number(shown), text(words)] for shown, words in announcements.delivered],
    }


def announcements_from_json(note: dict[str, Any]) -> Announcements:
    return Announcements(
        {key: announced_from_json(key, told) for key, told in by_key(note["told"])},
        {
            key: Notice(NoticeKind.read(kind), title, words)
            for key, (kind, title, words) in by_key(note["held"])
        },
        tuple(instant(sent) for sent in note["sent"]),
        {key: instant(until) for key, until in by_key(note["snoozed"])},
        tuple((instant(shown), words) for shown, words in note.get("delivered", ())),
    )
