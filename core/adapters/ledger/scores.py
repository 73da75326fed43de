"""The points of each day, the person's thumbs up and down, and what models used, in the ledger."""

import json
import sqlite3
from datetime import date, datetime, timedelta

from core.adapters.ledger import rows
from core.adapters.ledger.connection import LedgerDatabase
from core.adapters.ledger.rows import instant, number, text
from core.model.agent import BatchEnding, ModelUse, Usage
from core.model.ledger import DayScore, Feedback

SECOND = timedelta(seconds=1)


class ScoreTables:
    """The points of each day, and the person's thumbs that count towards them."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database

    def days(self, first_day: date, last_day: date) -> tuple[DayScore, ...]:
        return self._database.query(
            rows.day_score,
            "SELECT * FROM day_score WHERE day BETWEEN ? AND ? ORDER BY day",
            first_day.isoformat(),
            last_day.isoformat(),
        )

    def last_earned(self, item: str) -> datetime | None:
        found = self._database.query(
            lambda row: instant(row["slot"]),
            "SELECT slot FROM occurrence WHERE item = ? AND points > 0 ORDER BY slot DESC LIMIT 1",
            text(item),
        )
        return found[0] if found else None

    def give_feedback(self, item: str, points: int, now: datetime) -> None:
        day = now.date().isoformat()

        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO feedback (given, day, item, points) VALUES (?, ?, ?, ?)",
                (number(now), day, text(item), points),
            )
            connection.execute(
                """
                INSERT INTO day_score
                    (day, points, possible, verified, not_verified, unclear, contradictions,
                     feedback)
                VALUES (?, 0, 0, 0, 0, 0, 0, ?)
                ON CONFLICT (day) DO UPDATE SET feedback = feedback + excluded.feedback
                """,
                (day, points),
            )

    def feedback(self, first_day: date, last_day: date) -> tuple[Feedback, ...]:
        return self._database.query(
            one_feedback,
            "SELECT * FROM feedback WHERE day BETWEEN ? AND ? ORDER BY id",
            first_day.isoformat(),
            last_day.isoformat(),
        )


def one_feedback(row: sqlite3.Row) -> Feedback:
    return Feedback(
        instant(row["given"]), date.fromisoformat(row["day"]), row["item"], row["points"]
    )


class ModelUseTable:
    """One row per beat that asked a model."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database

    def keep(self, use: ModelUse) -> None:
        usage = use.usage
        row = (
            use.beat,
            number(use.started),
            use.day.isoformat(),
            text(use.provider),
            text(use.model),
            json.dumps(use.items),
            usage.requests,
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            usage.usd,
            use.ending,
            number(use.finished),
            text(use.problem or ""),
            use.retry_after // SECOND if use.retry_after is not None else None,
        )
        marks = ", ".join("?" * len(row))
        statement = f"INSERT OR REPLACE INTO model_use VALUES ({marks})"  # noqa: S608 - no value

        with self._database.writing() as connection:
            connection.execute(statement, row)

    def history(
        self,
        *,
        first_day: date | None = None,
        last_day: date | None = None,
        limit: int | None = None,
    ) -> tuple[ModelUse, ...]:
        return self._database.query(
            one_use,
            "SELECT * FROM model_use WHERE day BETWEEN ? AND ? ORDER BY beat DESC LIMIT ?",
            (first_day or date.min).isoformat(),
            (last_day or date.max).isoformat(),
            -1 if limit is None else limit,
        )


def one_use(row: sqlite3.Row) -> ModelUse:
    return ModelUse(
        row["beat"],
        instant(row["started"]),
        date.fromisoformat(row["day"]),
        row["provider"],
        row["model"],
        tuple(json.loads(row["items"])),
        Usage(
            row["requests"],
            row["input_tokens"],
            row["output_tokens"],
            row["cache_read_tokens"],
            row["cache_write_tokens"],
            row["usd"],
        ),
        row["ending"] and BatchEnding(row["ending"]),
        instant(row["finished"]),
        row["problem"] or None,
        None if row["retry_after"] is None else row["retry_after"] * SECOND,
    )
