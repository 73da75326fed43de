"""Any sequence of steps: the ledger and a model of it agree, only legal states follow each other,
restarts lose nothing."""

import sqlite3
import tempfile
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from core.adapters.ledger import SqliteLedger
from core.adapters.ledger.connection import LedgerFile
from core.adapters.ledger.occurrences import OccurrenceTable
from core.adapters.ledger.rows import number
from core.model.occurrence import (
    OPEN,
    TRANSITIONS,
    BeatReason,
    IllegalTransitionError,
    Occurrence,
    Outcome,
    State,
    Verdict,
)
from core.model.waiting import Wait, WaitReason
from tests.property.ledger_model import LedgerModel

START = datetime(2026, 11, 16, 22, 0, tzinfo=UTC)  # so that a run of steps passes midnight
KINDS = {"backup": "action", "report": "task"}

occurrences = st.builds(
    lambda item, hour, attempts: Occurrence(
        item, KINDS[item], START + hour * timedelta(hours=1), 1, "hourly", attempts
    ),
    st.sampled_from(list(KINDS)),
    st.integers(0, 3),
    st.integers(1, 3),
)
reasons = st.sampled_from(["dependency", "budget"])
outcomes = st.sampled_from([outcome for outcome in Outcome if outcome is not Outcome.MISSED])
verdicts = st.sampled_from(Verdict)


def promise(row: Occurrence) -> bool | None:
    """Whether the promise was kept; None where none was due or it is not known yet."""
    if row.verdict is not None:
        return row.verdict is Verdict.VERIFIED
    if row.outcome in (Outcome.FAILED, Outcome.INTERRUPTED):
        return False
    return True if row.outcome is Outcome.COMPLETED and row.kind == "action" else None


class LedgerSteps(RuleBasedStateMachine):
    make: Callable[[Path], SqliteLedger] = staticmethod(SqliteLedger)

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "ledger.db"
        self.real = type(self).make(self.path)
        self.model = LedgerModel()
        self.now = START
        self.starts: set[tuple[str, datetime]] = set()
        self.points: dict[date, int] = {}
        self.kept: dict[date, int] = {}
        self.due: dict[date, int] = {}

    def teardown(self) -> None:
        self.real.close()
        self.folder.cleanup()

    def both(self, step: Callable[[SqliteLedger | LedgerModel], Any]) -> Any:
        """The step on both ledgers: the same answer or the same refusal, and a refusal changes
        nothing."""
        before = self.real.occurrences.history()
        answers: list[Any] = []
        for ledger in (self.real, self.model):
            try:
                answers.append(step(ledger))
            except IllegalTransitionError:
                answers.append(IllegalTransitionError)
        assert answers[0] == answers[1]
        if answers[0] is IllegalTransitionError:
            assert self.real.occurrences.history() == before
        self.only_legal_changes(before)
        self.count_promises(before)
        return answers[0]

    def only_legal_changes(self, before: tuple[Occurrence, ...]) -> None:
        states = {(row.item, row.slot): row.state for row in before}
        for row in self.real.occurrences.history():
            old = states.pop((row.item, row.slot), State.DUE)
            assert row.state is old or row.state in TRANSITIONS[old]
        assert set(states.values()) <= OPEN  # a row that went away was only waiting

    def count_promises(self, before: tuple[Occurrence, ...]) -> None:
        """Add what the step changed: each occurrence is one promise of its day."""
        known = {(row.item, row.slot): promise(row) for row in before}
        for row in self.real.occurrences.history():
            was = known.get((row.item, row.slot))
            now = promise(row)
            if now is not was:
                assert row.day
                due = (now is not None) - (was is not None)
                self.kept[row.day] = self.kept.get(row.day, 0) + bool(now) - bool(was)
                self.due[row.day] = self.due.get(row.day, 0) + due

    @rule(minutes=st.integers(-30, 90))
    def time_passes_or_the_clock_is_set_back(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule(occurrence=occurrences)
    def claim(self, occurrence: Occurrence) -> None:
        self.both(lambda ledger: ledger.occurrences.claim(occurrence, self.now))

    @rule(occurrence=occurrences)
    def start(self, occurrence: Occurrence) -> None:
        if (
            self.both(lambda ledger: ledger.occurrences.start(occurrence, self.now))
            is not IllegalTransitionError
        ):
            slot = (occurrence.item, occurrence.slot)
            assert slot not in self.starts
            self.starts.add(slot)

    @rule(occurrence=occurrences, outcome=outcomes, retry=st.booleans())
    def finish(self, occurrence: Occurrence, outcome: Outcome, retry: bool) -> None:
        retry_at = self.now + timedelta(seconds=30) if retry else None
        self.both(
            lambda ledger: ledger.occurrences.finish(
                occurrence, outcome, self.now, result="x", retry_at=retry_at
            )
        )

    @rule(occurrence=occurrences, verdict=verdicts, points=st.integers(-45, 10))
    def verify(self, occurrence: Occurrence, verdict: Verdict, points: int) -> None:
        verified = self.both(
            lambda ledger: ledger.occurrences.verify(
                occurrence, verdict, contradiction=points < -30, points=points, possible=10
            )
        )
        if verified is not IllegalTransitionError:
            self.points[verified.day] = self.points.get(verified.day, 0) + points

    @rule(occurrence=occurrences)
    def notify(self, occurrence: Occurrence) -> None:
        self.both(lambda ledger: ledger.occurrences.notify(occurrence))

    @rule(occurrence=occurrences)
    def release(self, occurrence: Occurrence) -> None:
        self.both(lambda ledger: ledger.occurrences.release(occurrence))

    @rule(
        occurrence=occurrences,
        # Three details: the most that any sentence needs.
        wait=st.builds(Wait, st.sampled_from(WaitReason), st.tuples(reasons, reasons, reasons)),
    )
    def wait(self, occurrence: Occurrence, wait: Wait) -> None:
        self.both(
            lambda ledger: ledger.occurrences.wait(occurrence, Outcome.WAITING, wait, self.now)
        )

    @rule(occurrence=occurrences, reason=reasons)
    def skip(self, occurrence: Occurrence, reason: str) -> None:
        self.both(lambda ledger: ledger.occurrences.skip(occurrence, reason, (reason,), self.now))

    @rule(occurrence=occurrences)
    def miss(self, occurrence: Occurrence) -> None:
        self.both(lambda ledger: ledger.occurrences.miss(occurrence, "off", self.now))

    @precondition(lambda self: self.real.occurrences.unfinished())
    @rule()
    def crash_and_recover(self) -> None:
        """What a beat does after a crash: nothing that was started is left so."""
        self.restart()
        for row in self.real.occurrences.unfinished():
            if row.state is State.STARTED:
                self.finish(row, Outcome.INTERRUPTED, retry=False)
            else:
                self.release(row)
        assert self.real.occurrences.unfinished() == ()

    @rule()
    def restart(self) -> None:
        self.real.close()
        self.real = type(self).make(self.path)

    @rule(schedule=st.sampled_from(["hourly", "every:5m"]))
    def see(self, schedule: str) -> None:
        self.both(lambda ledger: ledger.items.see({"backup": schedule}, self.now))

    @rule()
    def beat(self) -> None:
        self.both(lambda ledger: ledger.beats.open(BeatReason.TIMER, 7, self.now))

    @rule(hours=st.integers(0, 6))
    def forget(self, hours: int) -> None:
        cutoff = START + timedelta(hours=hours)
        for ledger in (self.real, self.model):
            while ledger.forget_before(cutoff, batch=2):
                pass
        # a forgotten slot may be used again; what it was is gone, its slot is not
        kept = {(row.item, row.slot) for row in self.real.occurrences.history()}
        self.starts &= kept

    @invariant()
    def the_two_agree(self) -> None:
        assert self.real.occurrences.history() == self.model.occurrences.history()
        assert self.real.items.all() == self.model.items.all()
        assert self.real.beats.recent(99) == self.model.beats.recent(99)
        assert self.real.occurrences.unfinished() == self.model.occurrences.unfinished()

    @invariant()
    def an_item_waits_in_one_row_at_most(self) -> None:
        waiting = [row.item for row in self.real.occurrences.history() if row.state in OPEN]
        assert len(waiting) == len(set(waiting))

    @invariant()
    def a_day_is_the_sum_of_its_verdicts_and_promises(self) -> None:
        days = self.real.scores.days(
            START.date() - timedelta(days=99), START.date() + timedelta(days=99)
        )
        expected = {
            day: (self.points.get(day, 0), self.kept.get(day, 0), self.due.get(day, 0))
            for day in {*self.points, *self.due}
        }
        assert {day.day: (day.points, day.kept, day.due) for day in days} == expected


TestLedgerSteps = pytest.mark.slow(LedgerSteps.TestCase)
TestLedgerSteps.settings = settings(max_examples=300, stateful_step_count=40, deadline=None)


class ClaimsTwice(OccurrenceTable):
    def _state(self, occurrence: Occurrence) -> State:
        return State.DUE


class ForgetsSlots(OccurrenceTable):
    def start(self, occurrence: Occurrence, now: datetime) -> Occurrence:
        with self._database.writing() as connection:
            started = super().start(occurrence, now)
            connection.execute("UPDATE item SET last_slot = NULL")
            return started


class LetsWaitsPileUp(OccurrenceTable):
    def _end_wait(self, connection: sqlite3.Connection, occurrence: Occurrence) -> None:
        pass


class FinishesOnlyInMemory(OccurrenceTable):
    def finish(
        self, occurrence: Occurrence, outcome: Outcome, now: datetime, **details: Any
    ) -> Occurrence:
        return self._stored(occurrence).advanced(
            State.FINISHED, outcome=outcome, finished=now, result=details.get("result", "")
        )


class CountsNoPromises(OccurrenceTable):
    def finish(
        self, occurrence: Occurrence, outcome: Outcome, now: datetime, **details: Any
    ) -> Occurrence:
        with self._database.writing() as connection:
            finished = super().finish(occurrence, outcome, now, **details)
            connection.execute("UPDATE day_score SET kept = 0, due = 0")
            return finished


class ForgetsWhatIsOpen(SqliteLedger):
    def forget_before(self, cutoff: datetime, batch: int = 1000) -> int:
        with self.database.writing() as connection:
            return connection.execute(
                "DELETE FROM occurrence WHERE recorded < ?", (number(cutoff),)
            ).rowcount


class LosesAllAtRestart(SqliteLedger):
    def close(self) -> None:
        super().close()
        assert isinstance(self.database, LedgerFile)
        self.database.path.unlink(missing_ok=True)


def with_broken(occurrences: type[OccurrenceTable]) -> Callable[[Path], SqliteLedger]:
    def make(path: Path) -> SqliteLedger:
        ledger = SqliteLedger(path)
        ledger.occurrences = occurrences(ledger.database)
        return ledger

    return make


BROKEN = {
    "ClaimsTwice": with_broken(ClaimsTwice),
    "ForgetsSlots": with_broken(ForgetsSlots),
    "LetsWaitsPileUp": with_broken(LetsWaitsPileUp),
    "FinishesOnlyInMemory": with_broken(FinishesOnlyInMemory),
    "CountsNoPromises": with_broken(CountsNoPromises),
    "ForgetsWhatIsOpen": ForgetsWhatIsOpen,
    "LosesAllAtRestart": LosesAllAtRestart,
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
def test_the_steps_catch_a_broken_ledger(broken: Callable[[Path], SqliteLedger]) -> None:
    few = settings(
        max_examples=300,
        stateful_step_count=40,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        derandomize=True,
    )
    steps = type("BrokenLedgerSteps", (LedgerSteps,), {"make": staticmethod(broken)})
    with pytest.raises((AssertionError, sqlite3.IntegrityError)):
        run_state_machine_as_test(steps, settings=few)
