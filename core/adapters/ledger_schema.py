"""The tables of the ledger; a version once published is never edited, the next one is added behind it.

A new word in a column (a state, an outcome, a reason) is a new version too: an older program must refuse what it
cannot read, not take it for damage.

Instants are whole microseconds since 1970 in UTC; days are local calendar dates as YYYY-MM-DD.
"""

import sqlite3
from collections.abc import Sequence

from core.model.errors import HeartbeatError

Migration = Sequence[str]  # the statements that lead from one version to the next

FIRST_VERSION: Migration = (
    """
    CREATE TABLE beat (
        number INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again, also after retention
        reason TEXT NOT NULL,
        pid INTEGER NOT NULL,
        started INTEGER NOT NULL,
        finished INTEGER,
        completed INTEGER NOT NULL DEFAULT 0,
        failed INTEGER NOT NULL DEFAULT 0
    )
    """,
    "CREATE INDEX beat_by_time ON beat (started)",
    """
    CREATE TABLE occurrence (
        id INTEGER PRIMARY KEY,
        item TEXT NOT NULL,
        kind TEXT NOT NULL,
        slot INTEGER NOT NULL,
        beat INTEGER NOT NULL,
        reason TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        state TEXT NOT NULL,
        outcome TEXT,
        recorded INTEGER NOT NULL,
        day TEXT NOT NULL,
        started INTEGER,
        finished INTEGER,
        result TEXT NOT NULL,
        error TEXT NOT NULL,
        verdict TEXT,
        contradiction INTEGER NOT NULL,
        points INTEGER NOT NULL,
        possible INTEGER NOT NULL,
        UNIQUE (item, slot)
    )
    """,
    "CREATE INDEX occurrence_by_time ON occurrence (recorded)",
    "CREATE INDEX occurrence_by_item ON occurrence (item, recorded)",
    "CREATE INDEX occurrence_by_outcome ON occurrence (outcome, recorded)",
    "CREATE INDEX occurrence_by_item_and_outcome ON occurrence (item, outcome, recorded)",
    "CREATE INDEX occurrence_unfinished ON occurrence (id) WHERE state IN ('claimed', 'started')",
    # An item that waits at every tick keeps one row.
    "CREATE UNIQUE INDEX occurrence_open ON occurrence (item) WHERE state IN ('due', 'waiting')",
    """
    CREATE TABLE item (
        item TEXT PRIMARY KEY,
        schedule TEXT NOT NULL,
        first_seen INTEGER NOT NULL,
        last_start INTEGER,
        last_slot INTEGER,
        last_slot_offset INTEGER, -- seconds: where the person was then; NULL: that day is not to count
        last_finished INTEGER,
        last_outcome TEXT,
        attempts INTEGER NOT NULL DEFAULT 0,
        retry_at INTEGER
    ) WITHOUT ROWID
    """,
    # Sums of the verdicts, kept with them so that a score costs a few rows, and kept longer than they are.
    """
    CREATE TABLE day_score (
        day TEXT PRIMARY KEY,
        points INTEGER NOT NULL,
        possible INTEGER NOT NULL,
        verified INTEGER NOT NULL,
        not_verified INTEGER NOT NULL,
        unclear INTEGER NOT NULL,
        contradictions INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE task_progress (
        task_id TEXT PRIMARY KEY,
        status TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        last_attempt_at INTEGER,
        last_result TEXT
    ) WITHOUT ROWID
    """,
    "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",  # values are JSON
    "CREATE TABLE told (trouble TEXT PRIMARY KEY, what TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
)

EVIDENCE_AND_FEEDBACK: Migration = (
    "ALTER TABLE task_progress ADD COLUMN line TEXT NOT NULL DEFAULT ''",  # a mark of the task's line
    "ALTER TABLE day_score ADD COLUMN feedback INTEGER NOT NULL DEFAULT 0",
    """
    CREATE TABLE evidence (
        item TEXT NOT NULL,
        slot INTEGER NOT NULL,
        beat INTEGER NOT NULL,
        value TEXT NOT NULL,  -- JSON
        PRIMARY KEY (item, slot)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE feedback (
        id INTEGER PRIMARY KEY,
        given INTEGER NOT NULL,
        day TEXT NOT NULL,
        item TEXT NOT NULL,
        points INTEGER NOT NULL
    )
    """,
    "CREATE INDEX feedback_by_day ON feedback (day)",
)

# With it the beats that a model asked for came: their reason is a new word.
MODEL_USE: Migration = (
    """
    CREATE TABLE model_use (
        beat INTEGER PRIMARY KEY,
        started INTEGER NOT NULL,
        day TEXT NOT NULL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        items TEXT NOT NULL,  -- JSON
        requests INTEGER NOT NULL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        cache_read_tokens INTEGER NOT NULL,
        cache_write_tokens INTEGER NOT NULL,
        usd REAL,  -- NULL: no price is known
        ending TEXT,  -- NULL: at work, or its process ended before it did
        finished INTEGER,
        problem TEXT NOT NULL,
        retry_after INTEGER  -- seconds
    )
    """,
    "CREATE INDEX model_use_by_day ON model_use (day)",
)

MIGRATIONS: Sequence[Migration] = (FIRST_VERSION, EVIDENCE_AND_FEEDBACK, MODEL_USE)


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring an open ledger to the last of the versions, all steps in one commit; a newer one is refused."""
    if version(connection) == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = version(connection)  # again: another process may have been first
        if found > len(migrations):
            raise HeartbeatError(
                f"The ledger was written by a newer Heartbeat (its version {found}, known here: {len(migrations)}).",
                "Install the newer Heartbeat again; the ledger was not touched.",
            )
        for migration in migrations[found:]:
            for statement in migration:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
