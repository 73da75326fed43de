"""The ledger as a file: opened when first needed, changed in whole commits, set aside where it is damaged.

Its law: nothing in the file is overwritten or deleted because it could not be read.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from core.adapters.folders import make_private
from core.adapters.ledger_schema import migrate
from core.model.errors import HeartbeatError, LedgerDamagedError

T = TypeVar("T")

HEADER = 100  # bytes that begin every SQLite file
SECONDS_TO_WAIT = 5.0  # for another process to end its commit

DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

SPACE = "Look at the free space and the health of that disk; nothing recorded so far is lost."
RIGHTS = "Look at who owns that folder and whether its disk is read-only; nothing recorded so far is lost."
REFUSALS = {
    sqlite3.SQLITE_FULL: ("the disk is full", SPACE),
    sqlite3.SQLITE_IOERR: ("the disk is full or reported an error", SPACE),
    sqlite3.SQLITE_READONLY: ("it cannot be written to", RIGHTS),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened", RIGHTS),
    sqlite3.SQLITE_PERM: ("it may not be opened", RIGHTS),
    sqlite3.SQLITE_PROTOCOL: ("another program keeps it locked", "Close what has the file open, then try again."),
    sqlite3.SQLITE_BUSY: ("another program keeps it locked", "Close what has the file open, then try again."),
}


class LedgerFile:
    """Connections and commits; what stands in them is SqliteLedger's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None  # of the file that the connection has open
        self._depth = 0  # how many together() are open

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def together(self) -> Iterator[None]:
        with self._writing():
            yield

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One commit; inside another one, a part of that."""
        with self._explaining():
            if self._depth == 0:
                self._connected(create=True).execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield self._connected()
                if self._depth == 1:
                    self._connected().execute("COMMIT")
            finally:
                self._depth -= 1
                if self._depth == 0 and self._connection is not None and self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def _rows(self, convert: Callable[[sqlite3.Row], T], query: str, *parameters: object) -> tuple[T, ...]:
        with self._explaining():
            rows = self._connected().execute(query, parameters).fetchall()
        try:
            return tuple(convert(row) for row in rows)
        except (ValueError, TypeError, OverflowError) as error:  # no program ever wrote such a row
            raise self._damaged() from error

    def _connected(self, *, create: bool = False) -> sqlite3.Connection:
        """A connection to the file that has the ledger's name now: the one of before may be gone or set aside.

        Reading a ledger that was never written to must not make one: it is then an empty one in memory.
        """
        if self._connection is not None and self._depth > 0:
            return self._connection
        try:
            found = identity(self.path)
            if self._connection is not None and found == self._identity and (found or not create):
                return self._connection
            self.close()
            self._identity = found
            if create:
                make_private(self.path.parent)
            self._connection = self._open() if found or create else connect(":memory:")
            self._identity = identity(self.path) if found or create else None
        except OSError as error:
            raise HeartbeatError(f"The ledger {self.path} could not be used: {error.strerror}.", RIGHTS) from error
        return self._connection

    def _open(self) -> sqlite3.Connection:
        if is_stump(self.path):
            self._replace()
        try:
            return connect(self.path)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._replace()
            return connect(self.path)

    def _replace(self) -> None:
        """Move the damaged file aside and start a new one that has a note of it."""
        self.close()
        if identity(self.path) != self._identity:
            return  # another process saw the damage too, and was first
        aside = set_aside(self.path)
        with closing(connect(self.path)) as connection:
            connection.execute("INSERT OR REPLACE INTO note VALUES ('set_aside', ?)", (json.dumps(str(aside)),))

    def _damaged(self) -> HeartbeatError:
        try:
            self._replace()
        except (OSError, sqlite3.DatabaseError) as error:
            return HeartbeatError(f"The ledger {self.path} is damaged and cannot be replaced: {error}.", RIGHTS)
        return LedgerDamagedError(
            f"The ledger was damaged: it was moved to {self.path}.corrupt-…, and a new one was started.",
            "Do again what you were doing. The history up to now is in the file that was moved.",
        )

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Turn what SQLite says into what a person can do about it."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                raise self._damaged() from error
            code = primary_code(error)
            if code not in REFUSALS:
                raise
            what, hint = REFUSALS[code]
            raise HeartbeatError(f"The ledger {self.path} could not be used: {what}.", hint) from error


def connect(path: Path | str) -> sqlite3.Connection:
    """An up-to-date ledger, made if there is none."""
    connection = sqlite3.connect(path, timeout=SECONDS_TO_WAIT, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def set_aside(path: Path) -> Path:
    """Give the damaged file a name of its own, after its last change; the ledger's name is free afterwards."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    name = f"{path.name}.corrupt-{changed:%Y%m%dT%H%M%SZ}"
    aside = path.with_name(name)
    count = 1
    while aside.exists():
        count += 1
        aside = path.with_name(f"{name}-{count}")
    # The ledger itself last: SQLite would delete a log that lies beside a new, empty ledger.
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    return aside


def identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def is_stump(path: Path) -> bool:
    """Whether the file lost its beginning; SQLite would take it for new, write over it and delete its log."""
    if not path.exists():
        return False
    log = path.with_name(path.name + "-wal")
    size = path.stat().st_size
    return 0 < size < HEADER or (size == 0 and log.exists() and log.stat().st_size > 0)


def is_damage(error: sqlite3.Error) -> bool:
    # A text that is no text has no code: SQLite had no complaint, Python could not decode it.
    return primary_code(error) in DAMAGE or str(error).startswith("Could not decode")


def primary_code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF
