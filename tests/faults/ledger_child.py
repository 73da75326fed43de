"""Writes to a ledger and says after each commit what it was; `python -m tests.faults.ledger_child
LEDGER ITEM COUNT`.

One line per acknowledged commit, `STATE NUMBER`; a refusal of the disk ends it with `refused
SENTENCE`, exit code 2.
"""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.adapters.ledger import SqliteLedger
from core.model.errors import HeartbeatError
from core.model.occurrence import Occurrence, Outcome, Verdict

START = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


def slot(number: int) -> datetime:
    return START + number * timedelta(minutes=1)


def write(ledger: SqliteLedger, item: str, number: int) -> None:
    now = slot(number)
    claimed = ledger.occurrences.claim(Occurrence(item, "action", now, 1, "every:1m"), now)
    if claimed is None:
        print("taken", number, flush=True)
        return
    print("claimed", number, flush=True)
    started = ledger.occurrences.start(claimed, now)
    print("started", number, flush=True)
    finished = ledger.occurrences.finish(started, Outcome.COMPLETED, now, result="x" * 300)
    print("finished", number, flush=True)
    ledger.occurrences.verify(
        finished, Verdict.VERIFIED, contradiction=False, points=10, possible=10
    )
    print("verified", number, flush=True)


def main(path: str, item: str, count: str) -> None:
    ledger = SqliteLedger(Path(path))
    try:
        for number in range(int(count)):
            write(ledger, item, number)
        ledger.close()
    except HeartbeatError as error:
        print("refused", error.message, flush=True)
        sys.exit(2)


if __name__ == "__main__":
    main(*sys.argv[1:])
