"""With twenty times the rows a question takes the same number of SQLite's steps; counted, not
timed."""

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from core.adapters.ledger import SqliteLedger
from core.model.occurrence import BeatReason, Occurrence, Outcome
from core.model.waiting import Wait, WaitReason
from tests.bench.ledger import NOW, QUESTIONS, fill

FEW, MANY = 1_500, 30_000


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    made = {count: tmp_path_factory.mktemp("ledger") / f"{count}.db" for count in (FEW, MANY)}
    for count, path in made.items():
        fill(path, count)
    return made


def whole_way(ledger: SqliteLedger) -> None:
    beat = ledger.beats.open(BeatReason.TIMER, 1, NOW)
    occurrence = Occurrence("item-7", "action", NOW, beat.number, "every:30m")
    ledger.occurrences.wait(
        occurrence, Outcome.WAITING, Wait(WaitReason.DEPENDENCY, ("sync",)), NOW
    )
    claimed = ledger.occurrences.claim(occurrence, NOW)
    assert claimed is not None
    ledger.occurrences.finish(ledger.occurrences.start(claimed, NOW), Outcome.COMPLETED, NOW)
    ledger.beats.close(beat.number, NOW)


WORK: dict[str, Callable[[SqliteLedger], object]] = {
    **QUESTIONS,
    "the whole way of an occurrence": whole_way,
    "retention with nothing to remove": lambda ledger: ledger.forget_before(
        NOW - timedelta(days=4000)
    ),
    "a day without rows": lambda ledger: ledger.occurrences.history(
        first_day=NOW.date() + timedelta(days=9)
    ),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_more_history_makes_nothing_slower(
    paths: dict[int, Path], work: Callable[[SqliteLedger], object]
) -> None:
    steps = {count: steps_of(path, work) for count, path in paths.items()}
    assert steps[FEW] > 0
    assert (
        steps[MANY] <= 1.6 * steps[FEW]
    )  # the few fill one day, the many a week and more of day scores


def steps_of(path: Path, work: Callable[[SqliteLedger], object]) -> int:
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    with closing(SqliteLedger(path)) as ledger:
        ledger.database._connected().set_progress_handler(step, 1)
        work(ledger)
    return steps
