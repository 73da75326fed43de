"""A key that was just set ends what was said about the model, without waiting for a beat."""

from types import SimpleNamespace
from typing import Any

from core.adapters.ledger import SqliteLedger
from core.model.announcements import Announced, Announcements
from core.model.trouble import TroubleKey, TroubleKind
from core.usecases.keys import end_model_troubles

NO_MODEL = TroubleKey(TroubleKind.MODEL)
FAILED = TroubleKey(TroubleKind.FAILURE, "action:backup")


def test_a_key_of_a_model_ends_its_troubles_and_wakes_the_resident() -> None:
    ledger = SqliteLedger()
    known = {key: Announced(("same",), "title") for key in (NO_MODEL, FAILED)}
    ledger.announcements.save(Announcements(known))
    woken: list[bool] = []
    services: Any = SimpleNamespace(ledger=ledger, wake_resident=lambda: woken.append(True))

    end_model_troubles(services, "my-token")
    assert NO_MODEL in ledger.announcements.current().announced
    end_model_troubles(services, "anthropic")
    assert list(ledger.announcements.current().announced) == [FAILED]
    assert woken == [True]
