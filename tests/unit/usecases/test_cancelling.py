"""Ending the beat that is running: it is asked to end before anything else."""

from datetime import datetime
from pathlib import Path

import pytest

from core.adapters.ledger import SqliteLedger
from core.model.errors import HeartbeatError
from core.model.holder import Holder, Purpose
from core.services import Services
from core.usecases.cancelling import cancel
from tests.fakes.processes import FakeLock, FakeOtherProcess, FakeOtherProcesses
from tests.fakes.services import changed
from tests.stage import MONDAY

PID = 4711


class BusyLedger(SqliteLedger):
    """Kept locked by the beat, until that has ended; it remembers what the beat was told before."""

    def __init__(self, beat: FakeOtherProcess) -> None:
        super().__init__()
        self.told_before: list[list[str]] = []
        note = self.requests.note_cancel

        def refuse_first(now: datetime) -> None:
            self.told_before.append([*beat.asked])
            if len(self.told_before) == 1:
                raise HeartbeatError(
                    "ledger.db could not be used: another program keeps it locked."
                )
            note(now)

        self.requests.note_cancel = refuse_first  # type: ignore[method-assign]


def test_a_beat_that_keeps_the_ledger_locked_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTBEAT_STATE_DIR", str(tmp_path / "state"))
    beat = FakeOtherProcess()
    ledger = BusyLedger(beat)
    processes = FakeOtherProcesses()
    processes.running[PID] = beat
    lock = FakeLock()
    lock.held_by = Holder(PID, MONDAY, Purpose.BEAT)
    services = changed(
        Services(tmp_path),
        ledger=ledger,
        lock=lock,
        model_lock=FakeLock(),
        other_processes=processes,
    )

    (ended,) = cancel(services)
    assert (ended.pid, ended.was_killed) == (PID, False)
    assert ledger.told_before == [["end"], ["end", "close"]]
    assert ledger.requests.take_cancel() is not None
