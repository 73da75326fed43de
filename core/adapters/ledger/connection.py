"""The database of the ledger: opened when first needed, changed in whole commits, and moved aside
when its file is damaged.

Its law: nothing in the file is overwritten or deleted because it could not be read.
"""

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from core.adapters.folders import make_private, name_aside
from core.adapters.ledger.schema import migrate
from core.model.errors import HeartbeatError, LedgerDamagedError

T = TypeVar("T")

HEADER = 100  # bytes that begin every SQLite file
SECONDS_TO_WAIT = 5.0  # for another process to finish its commit

DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

SPACE = "Check the free space and the health of that disk; nothing recorded so far is lost."
RIGHTS = (
    "Check who owns that folder and whether its disk is read-only; nothing recorded so far is lost."
)
REFUSALS = {
    sqlite3.SQLITE_FULL: ("the disk is full", SPACE),
    sqlite3.SQLITE_IOERR: ("the disk is full or reported an error", SPACE),
    sqlite3.SQLITE_READONLY: ("it cannot be written to", RIGHTS),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened", RIGHTS),
    sqlite3.SQLITE_PERM: ("it may not be opened", RIGHTS),
    sqlite3.SQLITE_PROTOCOL: (
        "another program keeps it locked",
        "Close the program that has the file open, then try again.",
    ),
    sqlite3.SQLITE_BUSY: (
        "another program keeps it locked",
        "Close the program that has the file open, then try again.",
    ),
}


class LedgerDatabase(ABC):
    """Commits and queries over one connection, which all themes of the ledger share."""

    def __init__(self) -> None:
        self._connection: sqlite3.Connection | None = None
        self._depth = 0  # how many writing() are open

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Make one commit of what happens inside; within another `writing()` it is part of that
        commit."""
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
                if self._depth == 0:
                    self._roll_back()

    def _roll_back(self) -> None:
        """Undo what was not committed."""
        if self._connection is not None and self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def query(
        self, convert: Callable[[sqlite3.Row], T], statement: str, *parameters: object
    ) -> tuple[T, ...]:
        with self._explaining():
            rows = self._connected().execute(statement, parameters).fetchall()

        try:
            return tuple(convert(row) for row in rows)
        except (ValueError, TypeError, OverflowError) as error:  # Heartbeat never wrote such a row
            raise self._damaged() from error

    @abstractmethod
    def _connected(self, *, create: bool = False) -> sqlite3.Connection:
        """Return the connection, opened where it is not open yet."""

    @abstractmethod
    def _damaged(self) -> HeartbeatError:
        """Return the error for a database that holds what the program never wrote."""

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Turn SQLite's errors into errors that say what a person can do."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                raise self._damaged() from error

            code = primary_code(error)
            if code not in REFUSALS:
                raise

            what, hint = REFUSALS[code]
            raise HeartbeatError(f"{self} could not be used: {what}.", hint) from error


class LedgerInMemory(LedgerDatabase):
    """A database that is gone when it is closed."""

    def _connected(self, *, create: bool = False) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(":memory:")

        return self._connection

    def _damaged(self) -> HeartbeatError:
        return LedgerDamagedError(f"{self} holds a row that the program never wrote.", "")

    def __str__(self) -> str:
        return "The ledger in memory"


class LedgerFile(LedgerDatabase):
    """A database at a path, shared with other processes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self._identity: tuple[int, int] | None = None  # of the file that the connection has open

    def __str__(self) -> str:
        return f"The ledger {self.path}"

    def _connected(self, *, create: bool = False) -> sqlite3.Connection:
        """Return a connection to the file that has the ledger's name now: the file of before may be
        deleted or moved aside.

        Reading a ledger that was never written to must not create the file: an empty one in memory
        is read instead.
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

            if found or create:
                self._connection = self._open()
                self._identity = identity(self.path)
            else:
                self._connection = connect(":memory:")
                self._identity = None
        except OSError as error:
            raise HeartbeatError(f"{self} could not be used: {error.strerror}.", RIGHTS) from error

        return self._connection

    def _open(self) -> sqlite3.Connection:
        if lost_its_header(self.path):
            self._replace()

        try:
            return connect(self.path)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise

            self._replace()
            return connect(self.path)

    def _replace(self) -> None:
        """Move the damaged file aside and start a new one with a note about it."""
        self.close()
        if identity(self.path) != self._identity:
            return  # another process has already replaced it

        aside = set_aside(self.path)
        with closing(connect(self.path)) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO note VALUES ('set_aside', ?)", (json.dumps(str(aside)),)
            )

    def _damaged(self) -> HeartbeatError:
        try:
            self._replace()
        except (OSError, sqlite3.DatabaseError) as error:
            return HeartbeatError(f"{self} is damaged and cannot be replaced: {error}.", RIGHTS)

        return LedgerDamagedError(
            (
                f"The ledger was damaged: it was moved to {self.path}.corrupt-…, and a new one was "
                "started."
            ),
            "Run the command again. The history so far is in the file that was moved.",
        )


def connect(path: Path | str) -> sqlite3.Connection:
    """Open a ledger, create it if needed, and bring it up to date."""
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
    """Rename the damaged file after the time of its last change; a new ledger can then have its
    name."""
    aside = name_aside(path, "corrupt")

    # The ledger itself last: SQLite would delete a log next to a new, empty ledger.
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


def lost_its_header(path: Path) -> bool:
    """Whether the file is too short to be a database; SQLite would take it for a new one, write
    over it and delete its log."""
    if not path.exists():
        return False

    log = path.with_name(path.name + "-wal")
    size = path.stat().st_size
    return 0 < size < HEADER or (size == 0 and log.exists() and log.stat().st_size > 0)


def is_damage(error: sqlite3.Error) -> bool:
    # Bytes that are not text have no error code: SQLite accepts them, Python cannot decode them.
    return primary_code(error) in DAMAGE or str(error).startswith("Could not decode")


def primary_code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF
