"""The ledger: one SQLite database and one class per theme; core/ports/ledger.py has the contract.

Its law: themes share the database and nothing else, so that what they change together is one
commit.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from core.adapters.ledger.announcements import AnnouncementTables
from core.adapters.ledger.connection import LedgerDatabase, LedgerFile, LedgerInMemory
from core.adapters.ledger.items import EvidenceTable, ItemTable, TaskTable
from core.adapters.ledger.notes import ApprovalNotes, ContentNotes, Notes, PlanNotes, RequestNotes
from core.adapters.ledger.occurrences import BeatTable, OccurrenceTable, forget_before
from core.adapters.ledger.scores import ModelUseTable, ScoreTables


class SqliteLedger:
    """The `Ledger` port: a file that is opened when it is first needed; without a path a database
    in memory, which is gone when it is closed."""

    def __init__(self, path: Path | None = None) -> None:
        self.database: LedgerDatabase = LedgerInMemory() if path is None else LedgerFile(path)
        self._notes = Notes(self.database)

        self.beats = BeatTable(self.database)
        self.occurrences = OccurrenceTable(self.database)
        self.items = ItemTable(self.database)
        self.tasks = TaskTable(self.database)
        self.evidence = EvidenceTable(self.database)
        self.contents = ContentNotes(self.database)
        self.scores = ScoreTables(self.database)
        self.model_use = ModelUseTable(self.database)
        self.announcements = AnnouncementTables(self.database)
        self.approvals = ApprovalNotes(self.database)
        self.plan = PlanNotes(self.database)
        self.requests = RequestNotes(self.database)

    @contextmanager
    def together(self) -> Iterator[None]:
        with self.database.writing():
            yield

    def forget_before(self, cutoff: datetime, batch: int = 1000) -> int:
        return forget_before(self.database, cutoff, batch)

    def set_aside(self) -> Path | None:
        note = self._notes.read("set_aside")
        return note and Path(note)

    def close(self) -> None:
        self.database.close()
