"""What the ledger has about the past."""

from core.adapters.ledger import SqliteLedger
from core.engine.history import beat_of_process
from core.model.occurrence import BeatReason
from tests.stage import MONDAY


def test_a_batch_finds_its_beat_however_many_others_ran_meanwhile() -> None:
    ledger = SqliteLedger(None)
    own = ledger.beats.open(BeatReason.TIMER, 7, MONDAY).number
    for _ in range(50):
        other = ledger.beats.open(BeatReason.PERSON, 8, MONDAY).number
        ledger.beats.close(other, MONDAY, completed=1, failed=0)

    assert beat_of_process(ledger, 7) == own
    assert beat_of_process(ledger, 8) == 0
