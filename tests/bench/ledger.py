"""What the ledger costs with 1,000 and with 1,000,000 occurrences; `python -m tests.bench.ledger`.

The figures to look at are the ratios: `status` and `history --limit 20` may take 3 times as long
with a thousand times the rows.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from core.adapters.ledger import SqliteLedger
from core.adapters.ledger.rows import SAVE_OCCURRENCE, occurrence_row
from core.model.ledger import PlanNote
from core.model.occurrence import BeatReason, Occurrence, Outcome, State, Verdict
from core.model.waiting import Wait, WaitReason
from tests.bench.figure import Figure, report

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
ITEMS = 50
SPACING = timedelta(days=400) / 1_000_000  # a million fill the 400 days of history_days
OUTCOMES = [Outcome.COMPLETED] * 18 + [Outcome.FAILED, Outcome.SKIPPED]
MOST = 3.0


def occurrences(count: int) -> Iterator[Occurrence]:
    for number in range(count):
        moment = NOW - (count - number) * SPACING
        yield Occurrence(
            item=f"item-{number % ITEMS}",
            kind="action",
            slot=moment,
            beat=1 + number // 10,
            why="every:30m",
            state=State.VERIFIED,
            outcome=OUTCOMES[number % len(OUTCOMES)],
            recorded=moment,
            day=moment.date(),
            started=moment,
            finished=moment + timedelta(seconds=1),
            result="OK: 12 files copied to the other disk",
            verdict=Verdict.VERIFIED,
            points=10,
            possible=10,
        )


def fill(path: Path, count: int) -> None:
    with closing(SqliteLedger(path)) as ledger:
        ledger.items.see({f"item-{number}": "every:30m" for number in range(ITEMS)}, NOW)
        ledger.plan.save(PlanNote(NOW, NOW))
        ledger.occurrences.wait(
            Occurrence("held", "prompt", NOW, 1, ""),
            Outcome.NEEDS_APPROVAL,
            Wait(WaitReason.UNAPPROVED, ("new", "action")),
            NOW,
        )
        with ledger.database.writing() as connection:
            connection.executemany(SAVE_OCCURRENCE, map(occurrence_row, occurrences(count)))
            connection.execute(
                "INSERT INTO day_score SELECT day, sum(points), sum(possible), count(*), 0, 0, 0, 0,"
                " count(*), count(*) FROM occurrence WHERE verdict IS NOT NULL GROUP BY day"
            )
            connection.execute(
                "INSERT INTO beat (number, reason, pid, started, finished)"
                " SELECT beat, ?, 1, min(started), max(finished) FROM occurrence WHERE started > "
                "0 GROUP BY beat",
                (BeatReason.TIMER,),
            )


def status(ledger: SqliteLedger) -> None:
    assert ledger.beats.recent(1)
    assert ledger.plan.note()
    ledger.requests.paused()
    ledger.requests.run_requested()
    assert len(ledger.occurrences.waiting()) == 1
    ledger.occurrences.unfinished()
    assert ledger.scores.days((NOW - timedelta(days=7)).date(), NOW.date())


def milliseconds(work: Callable[[], object], times: int = 50) -> float:
    work()
    spent = []
    for _ in range(times):
        before = time.perf_counter()
        work()
        spent.append(time.perf_counter() - before)
    return median(spent) * 1000


def freshly(path: Path, question: Callable[[SqliteLedger], object]) -> Callable[[], object]:
    def work() -> None:
        with closing(SqliteLedger(path)) as ledger:
            question(ledger)

    return work


QUESTIONS: dict[str, Callable[[SqliteLedger], object]] = {
    "status": status,
    "history --limit 20": lambda ledger: ledger.occurrences.history(limit=20),
    "history of an item": lambda ledger: ledger.occurrences.history(item="item-7", limit=20),
    "history of failures": lambda ledger: ledger.occurrences.history(
        outcome=Outcome.FAILED, limit=20
    ),
    "history of an item's failures": lambda ledger: ledger.occurrences.history(
        item="item-19", outcome=Outcome.FAILED, limit=20
    ),
    "memory of all items": lambda ledger: ledger.items.all(),
}


def queries(folder: Path) -> list[Figure]:
    small, large = folder / "small" / "ledger.db", folder / "large" / "ledger.db"
    fill(small, 1_000)
    before = time.perf_counter()
    fill(large, 1_000_000)
    size = large.stat().st_size / 1e6
    print(f"1,000,000 rows filled in {time.perf_counter() - before:.0f} s, {size:.0f} MB")
    print(f"{'ms, open + ask + close':34}{'1,000':>8}{'1,000,000':>11}{'ratio':>7}")
    measured = []
    for name, question in QUESTIONS.items():
        few, many = (milliseconds(freshly(path, question)) for path in (small, large))
        pinned = name in ("status", "history --limit 20")
        print(
            f"{name:34}{few:8.2f}{many:11.2f}{many / few:7.2f}"
            f"{f'  (at most {MOST})' if pinned else ''}"
        )
        if pinned:
            what = f"`{name}` with 1,000,000 rows, as a multiple of 1,000 rows"
            measured.append(Figure(what, many / few, MOST))
    with closing(SqliteLedger(large)) as ledger:
        print(f"an open ledger answers status in {milliseconds(lambda: status(ledger)):.2f} ms")
        before = time.perf_counter()
        removed = ledger.forget_before(NOW - timedelta(days=399))
        print(
            f"retention: a batch of {removed} rows in {(time.perf_counter() - before) * 1000:.0f} "
            "ms"
        )
        commit = milliseconds(
            lambda: ledger.plan.set_tick_anchor(datetime.fromtimestamp(time.time(), UTC))
        )
        print(f"one commit: {commit:.2f} ms")
    return measured


def resident_kilobytes(program: str) -> int:
    """The memory of a fresh interpreter after the program; median of five."""
    ending = (
        "\nprint(next(line.split()[1] for line in open('/proc/self/status') if "
        "line.startswith('VmRSS')))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program + ending], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(5)
    ]
    return int(median(int(run) for run in runs))


def memory(folder: Path) -> None:
    path = folder / "large" / "ledger.db"
    imported = "from core.adapters.ledger import SqliteLedger; from pathlib import Path"
    asked = (
        f"{imported}\nledger = SqliteLedger(Path({str(path)!r}))\nledger.plan.note(); "
        "ledger.beats.recent(5)"
    )
    bare = resident_kilobytes("pass")
    print(f"memory: bare interpreter {bare / 1024:.1f} MB")
    for name, program in (
        ("with the ledger imported", imported),
        ("and open, with a few answers", asked),
    ):
        used = resident_kilobytes(program)
        print(f"  {name}: +{(used - bare) / 1024:.1f} MB ({used / bare:.2f} times)")


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        measured = queries(Path(folder))
        memory(Path(folder))

    return measured


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
