"""Notes in the ledger: small values under a name, as JSON.

Four themes are kept as notes: the last plan, what the person asked the resident for, what the
approvals file alone cannot prove, and since when files have had their content.
"""

import json
import sqlite3
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from core.adapters.ledger.connection import LedgerDatabase
from core.adapters.ledger.rows import instant, number
from core.model.ledger import Inspection, Pause, PlanNote, RunRequest

if TYPE_CHECKING:
    from core.model.file_work import KnownContent

T = TypeVar("T")


class Notes:
    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database

    def read(self, name: str) -> Any:
        """Return the note's value, or None without such a note."""
        found = self._database.query(as_json, "SELECT value FROM note WHERE name = ?", name)
        return found[0] if found else None

    def write(self, name: str, value: object) -> None:
        """Write the note, unless it has this value already."""
        written = json.dumps(value)
        before = self._database.query(as_text, "SELECT value FROM note WHERE name = ?", name)
        if before == (written,):
            return

        with self._database.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO note VALUES (?, ?)", (name, written))

    def remove(self, name: str) -> None:
        if self.read(name) is None:
            return

        with self._database.writing() as connection:
            connection.execute("DELETE FROM note WHERE name = ?", (name,))


def as_text(row: sqlite3.Row) -> str:
    return str(row[0])


def as_json(row: sqlite3.Row) -> Any:
    return json.loads(row[0])


def mark_undone(database: LedgerDatabase, item: str, beat: int) -> None:
    """Note that the item's run in this beat was undone. Beats that the ledger has forgotten are
    forgotten here too."""
    (oldest,) = database.query(oldest_beat, "SELECT min(number) FROM beat")
    known = {one for one in undone_runs(database) if one[0] >= oldest}
    Notes(database).write("undone", sorted({*known, (beat, item)}))


def undone_runs(database: LedgerDatabase) -> frozenset[tuple[int, str]]:
    """The beat and the item of each run that was undone."""
    found = Notes(database).read("undone") or ()
    return frozenset((beat, item) for beat, item in found)


def oldest_beat(row: sqlite3.Row) -> int:
    return int(row[0] or 0)


class PlanNotes:
    """What the last plan left for the resident."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._notes = Notes(database)

    def note(self) -> PlanNote | None:
        return plan_note_from_json(self._notes.read("plan"))

    def save(self, note: PlanNote) -> None:
        self._notes.write(
            "plan",
            {
                "made": number(note.made),
                "next_wake": number(note.next_wake),
                # As they are: JSON holds every file name, and a name that came back changed would
                # make the next plan write the same note again.
                "summary": {
                    "file": note.file,
                    "timezone": note.timezone,
                    "enabled": note.is_enabled,
                    "errors": note.errors,
                    "refused": note.is_refused,
                    "approvals_waiting": note.approvals_waiting,
                    "unapproved": note.unapproved,
                    "scripts": note.scripts,
                },
            },
        )

    def tick_anchor(self) -> datetime | None:
        anchor: int | None = self._notes.read("tick_anchor")
        return instant(anchor)

    def set_tick_anchor(self, anchor: datetime) -> None:
        self._notes.write("tick_anchor", number(anchor))


def plan_note_from_json(note: Any) -> PlanNote | None:
    """Read a note with care: one of another version may lack something, or mean another thing.

    None if it does not say when to wake: it is as if there were no plan yet, and the next one
    writes the note again.
    """
    try:
        made = instant(note["made"])
        next_wake = instant(note["next_wake"])
    except (LookupError, TypeError, ValueError, OverflowError):
        return None

    if made is None:
        return None

    summary: dict[str, Any] = same_type(note.get("summary"), {})
    return PlanNote(
        made=made,
        next_wake=next_wake,
        file=same_type(summary.get("file"), ""),
        timezone=same_type(summary.get("timezone"), ""),
        is_enabled=same_type(summary.get("enabled"), True),
        errors=same_type(summary.get("errors"), 0),
        is_refused=same_type(summary.get("refused"), False),
        approvals_waiting=same_type(summary.get("approvals_waiting"), 0),
        unapproved=names(summary.get("unapproved")),
        scripts=names(summary.get("scripts")),
    )


def same_type(value: Any, default: T) -> T:
    """Return the value where it is of the default's type, else the default."""
    return value if type(value) is type(default) else default


def names(value: Any) -> tuple[str, ...]:
    """Return the texts of a list; none if it is not a list."""
    found: list[Any] = same_type(value, [])
    return tuple(name for name in found if isinstance(name, str))


class RequestNotes:
    """What the person asked the resident for: a pause, or a beat right away."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database
        self._notes = Notes(database)

    def paused(self) -> Pause | None:
        note = self._notes.read("pause")
        return note and Pause(instant(note["since"]), instant(note["until"]))

    def pause(self, pause: Pause) -> None:
        self._notes.write("pause", {"since": number(pause.since), "until": number(pause.until)})

    def resume(self) -> None:
        self._notes.remove("pause")

    def run_requested(self) -> RunRequest | None:
        note = self._notes.read("run_request")
        return note and RunRequest(
            tuple(note["items"]), instant(note["since"]), note.get("by_agent", False)
        )

    def request_run(self, items: Collection[str], now: datetime, *, by_agent: bool = False) -> None:
        with self._database.writing():
            earlier = self.run_requested() or RunRequest(tuple(items), now, by_agent)
            everything = not items or not earlier.items
            wanted = [] if everything else sorted({*earlier.items, *items})
            note = {
                "items": wanted,
                "since": number(earlier.since),
                "by_agent": by_agent and earlier.by_agent,
            }
            self._notes.write("run_request", note)

    def take_run_request(self) -> RunRequest | None:
        if self.run_requested() is None:
            return None

        with self._database.writing():
            request = self.run_requested()  # read again: another process may have been first
            self._notes.remove("run_request")
            return request

    def note_cancel(self, now: datetime) -> None:
        self._notes.write("cancelled", number(now))

    def take_cancel(self) -> datetime | None:
        noted: int | None = self._notes.read("cancelled")
        if noted is not None:
            self._notes.remove("cancelled")

        return instant(noted)


class ApprovalNotes:
    """The number of the newest approvals file, and the last inspection."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._notes = Notes(database)

    def number(self) -> int:
        return self._notes.read("approvals_number") or 0

    def set_number(self, number: int) -> None:
        self._notes.write("approvals_number", number)

    def last_inspection(self) -> Inspection | None:
        note = self._notes.read("look")
        return note and Inspection(instant(note["watched_since"]), note["beat"], note["seen"])

    def save_inspection(self, inspection: Inspection) -> None:
        note = {
            "watched_since": number(inspection.watched_since),
            "beat": inspection.beat,
            "seen": dict(inspection.seen),
        }
        self._notes.write("look", note)

    def model_tasks(self) -> frozenset[str]:
        return frozenset(self._notes.read("model_tasks") or ())

    def save_model_tasks(self, hashes: Collection[str]) -> None:
        self._notes.write("model_tasks", sorted(hashes))


class ContentNotes:
    """Since when the files that checks name have had their content."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database
        self._notes = Notes(database)

    def known(self) -> "dict[str, KnownContent]":
        # Imported here: the resident opens the ledger and looks at no file.
        from core.model.file_work import KnownContent

        note: dict[str, Any] = self._notes.read("contents") or {}
        # Earlier versions did not know what is gone.
        padded = ((path, [*values, None, None][:5]) for path, values in note.items())
        return {
            path: KnownContent(
                fingerprint, instant(since), instant(looked), gone, instant(gone_since)
            )
            for path, (fingerprint, since, looked, gone, gone_since) in padded
        }

    def save(self, looks: "Mapping[str, KnownContent]", named: Collection[str]) -> None:
        with self._database.writing():
            known = self.known()
            for path, look in looks.items():
                if path not in known or known[path].looked <= look.looked:
                    known[path] = look

            note = {
                path: (
                    one.fingerprint,
                    number(one.since),
                    number(one.looked),
                    one.gone,
                    number(one.gone_since),
                )
                for path, one in sorted(known.items())
                if path in named
            }
            self._notes.write("contents", note)
