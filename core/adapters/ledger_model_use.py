"""What the batches used, in the ledger: one row a beat that asked a model; core/ports.py has the contract."""

import json
import sqlite3
from datetime import date, timedelta

from core.adapters.ledger_file import LedgerFile
from core.adapters.ledger_rows import instant, number, text
from core.model.agent import BatchEnding, ModelUse, Usage

SECOND = timedelta(seconds=1)


class ModelUseTable(LedgerFile):
    def keep_model_use(self, use: ModelUse) -> None:
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
            text(use.problem),
            use.retry_after // SECOND if use.retry_after is not None else None,
        )
        with self._writing() as connection:
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT OR REPLACE INTO model_use VALUES ({marks})", row)  # noqa: S608 - only marks

    def model_uses(
        self, *, first_day: date | None = None, last_day: date | None = None, limit: int | None = None
    ) -> tuple[ModelUse, ...]:
        return self._rows(
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
        row["problem"],
        None if row["retry_after"] is None else row["retry_after"] * SECOND,
    )
