"""The tables of the ledger. A published version is never edited; the next one is added after it.

A new word in a column (a state, an outcome, a reason) is a new version too: an older program must
refuse what it cannot read, instead of taking it for damage.

Instants are whole microseconds since 1970 in UTC; days are local calendar dates as YYYY-MM-DD.
"""

import json
import re
import sqlite3
from collections.abc import Callable, Sequence

from core.model.errors import HeartbeatError

# The steps from one version to the next: statements, and functions for what SQL cannot do.
Migration = Sequence[str | Callable[[sqlite3.Connection], None]]

FIRST_VERSION: Migration = (
    """
    CREATE TABLE beat (
        number INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again, even after retention
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
        -- seconds east of UTC, where the person was then; NULL: that day is not to count
        last_slot_offset INTEGER,
        last_finished INTEGER,
        last_outcome TEXT,
        attempts INTEGER NOT NULL DEFAULT 0,
        retry_at INTEGER
    ) WITHOUT ROWID
    """,
    # Sums of the verdicts, kept with them so that a score costs a few rows, and kept longer than
    # they are.
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
    # values are JSON
    "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    (
        "CREATE TABLE told (trouble TEXT PRIMARY KEY, what TEXT NOT NULL, at INTEGER NOT NULL) "
        "WITHOUT ROWID"
    ),
)

EVIDENCE_AND_FEEDBACK: Migration = (
    # a mark of the task's line
    "ALTER TABLE task_progress ADD COLUMN line TEXT NOT NULL DEFAULT ''",
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

# Beats that a model asked for came with this version: their reason is a new word.
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


def type_waits(connection: sqlite3.Connection) -> None:
    """Give waiting rows a typed reason: before this version they had a sentence, and beats decided
    by it."""
    waiting = connection.execute(
        "SELECT id, outcome, reason FROM occurrence WHERE state = 'waiting'"
    ).fetchall()

    for number, outcome, sentence in waiting:
        waits_for, details = typed_wait(outcome, sentence)
        connection.execute(
            "UPDATE occurrence SET waits_for = ?, details = ?, reason = '' WHERE id = ?",
            (waits_for, json.dumps(details), number),
        )


def typed_wait(outcome: str, sentence: str) -> tuple[str, list[str]]:
    for of_outcome, pattern, waits_for in OLD_SENTENCES:
        found = re.fullmatch(pattern, sentence, re.DOTALL) if outcome == of_outcome else None
        if found:
            return waits_for, list(found.groups())

    return "other", [sentence]


# Outcome, sentence, and its meaning: what earlier versions wrote, so never reword them.
OLD_SENTENCES = (
    ("needs_approval", r"(.*)", "unapproved"),
    ("needs_model", r"needs a language model: (.*)", "no_model"),
    ("needs_clarification", r"its condition cannot be decided: (.*)", "undecided"),
    ("needs_clarification", r"(.*)", "unclear"),
    ("waiting", r"the beat stopped, because (.*) failed", "stopped_by"),
    ("waiting", r"it is still running", "still_running"),
    ("waiting", r"it waits for (.*), which has not run yet", "dependency_never_ran"),
    ("waiting", r"it waits for (.*)", "dependency"),
    ("waiting", r"the beat's time is used up", "time_used_up"),
    ("waiting", r"work for a model starts at most once a minute", "once_a_minute"),
    ("waiting", r"another beat's batch is with the model", "other_batch"),
    ("waiting", r"the model (.*); it is asked again at (.*)", "model_failed"),
    ("waiting", r"today's (.*) USD for the model are used up \(budget\.daily_usd\)", "money"),
    ("waiting", r"paused", "paused"),
    ("waiting", r"it failed and is tried again later", "retry"),
    ("waiting", r"(.*waits for the active hours at .*)", "active_hours"),
)

TYPED_WAITS: Migration = (
    "ALTER TABLE occurrence ADD COLUMN waits_for TEXT",  # NULL: it does not wait; `reason` says why
    # JSON: a list of texts
    "ALTER TABLE occurrence ADD COLUMN details TEXT NOT NULL DEFAULT '[]'",
    type_waits,
)

# How an occurrence counts as a promise: in words of this version, so never change them.
IS_PROMISE = """
    kind IN ('task', 'action') AND (
        verdict IS NOT NULL
        OR outcome IN ('failed', 'interrupted')
        OR (kind = 'action' AND outcome = 'completed')
    )
"""
IS_KEPT = "CASE WHEN verdict IS NULL THEN outcome = 'completed' ELSE verdict = 'verified' END"

FAIR_VERDICTS: Migration = (
    # a task that was skipped, and its check fails
    "ALTER TABLE occurrence ADD COLUMN check_fails INTEGER NOT NULL DEFAULT 0",
    # measured from what the model itself wrote
    "ALTER TABLE occurrence ADD COLUMN self_reported INTEGER NOT NULL DEFAULT 0",
    # Whether a task has earned its points lately must not take longer the longer its history is.
    "CREATE INDEX occurrence_earned ON occurrence (item, slot) WHERE points > 0",
    "ALTER TABLE day_score ADD COLUMN kept INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE day_score ADD COLUMN due INTEGER NOT NULL DEFAULT 0",
    # Days whose occurrences are no longer there have their verdicts only.
    "UPDATE day_score SET kept = verified, due = verified + not_verified + unclear",
    f"""
    INSERT INTO day_score
        (day, points, possible, verified, not_verified, unclear, contradictions, kept, due)
    SELECT day, 0, 0, 0, 0, 0, 0, sum({IS_KEPT}), count(*)
    FROM occurrence WHERE {IS_PROMISE} GROUP BY day
    ON CONFLICT (day) DO UPDATE SET kept = excluded.kept, due = excluded.due
    """,  # noqa: S608 - constants
)


def note_rulings(connection: sqlite3.Connection) -> None:
    """Give the verdicts of earlier versions their reason, which only their evidence had."""
    found = connection.execute(
        """
        SELECT id, value FROM occurrence JOIN evidence USING (item, slot)
        WHERE check_fails OR verdict IN ('not_verified', 'unclear')
            OR (verdict = 'verified' AND points = 0)
        """
    ).fetchall()

    for number, value in found:
        connection.execute(
            "UPDATE occurrence SET ruling = ? WHERE id = ?", (ruling_in(value), number)
        )


def ruling_in(evidence: str) -> str:
    """The reason in evidence as JSON; empty where that is damaged."""
    try:
        reason = json.loads(evidence)["reason"]
    except (ValueError, KeyError, TypeError):
        return ""

    return reason if isinstance(reason, str) else ""


RULINGS: Migration = (
    # why it got its verdict, in words
    "ALTER TABLE occurrence ADD COLUMN ruling TEXT NOT NULL DEFAULT ''",
    note_rulings,
    # promises of the beat; how its items ended is something else
    "ALTER TABLE beat ADD COLUMN kept INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE beat ADD COLUMN not_kept INTEGER NOT NULL DEFAULT 0",
    "UPDATE beat SET kept = completed, not_kept = failed",
)

MIGRATIONS: Sequence[Migration] = (
    FIRST_VERSION,
    EVIDENCE_AND_FEEDBACK,
    MODEL_USE,
    TYPED_WAITS,
    FAIR_VERDICTS,
    RULINGS,
)


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring an open ledger to the last version, all steps in one commit; refuse a newer one."""
    if version(connection) == len(migrations):
        return

    connection.execute("BEGIN IMMEDIATE")
    try:
        found = version(connection)  # read again: another process may have been first
        if found > len(migrations):
            raise HeartbeatError(
                (
                    f"The ledger was written by a newer Heartbeat (its version {found}, known "
                    f"here: {len(migrations)})."
                ),
                "Install the newer Heartbeat again; the ledger was not touched.",
            )

        for migration in migrations[found:]:
            for step in migration:
                if isinstance(step, str):
                    connection.execute(step)
                else:
                    step(connection)

        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
