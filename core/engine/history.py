"""Questions to the ledger about the past."""

from datetime import date, timedelta

from core.model.agent import ModelUse
from core.model.evidence import Evidence
from core.model.item import Kind, item_key
from core.model.occurrence import Occurrence, Outcome
from core.model.verdict import Verdict
from core.ports import Ledger

DAY = timedelta(days=1)
LOOK_BACK = 100_000  # beats


def receipts_of(ledger: Ledger, item: str | None, beat: int) -> list[tuple[Occurrence, Evidence | None]]:
    """What a beat recorded, of one item or of all, with the evidence, oldest first."""
    wanted = {item, *(item_key(kind, item) for kind in Kind)} if item else None
    started = next((one.started for one in ledger.recent_beats(LOOK_BACK) if one.number == beat), None)
    day = started.date() if started else None
    first, last = (day - DAY, day + 2 * DAY) if day else (None, None)  # the person's days, whatever the zone
    rows = ledger.history(first_day=first, last_day=last)
    found = [one for one in rows if one.beat == beat and (wanted is None or one.item in wanted)]
    return [(one, ledger.evidence(one.item, beat)) for one in reversed(found)]


def use_of(ledger: Ledger, beat: int) -> ModelUse | None:
    """What the batch of a beat used; None where it had none."""
    return next((use for use in ledger.model_uses() if use.beat == beat), None)


def history_of(
    ledger: Ledger, item: str | None, day: date | None, outcome: Outcome | None, verdict: Verdict | None, limit: int
) -> tuple[Occurrence, ...]:
    """Newest first. An id stands for every kind that has it."""
    keys = [item] if item is None or ":" in item else [item_key(kind, item) for kind in Kind]
    most = None if verdict else limit  # the ledger does not look for verdicts
    found = [
        one
        for key in keys
        for one in ledger.history(item=key, outcome=outcome, first_day=day, last_day=day, limit=most)
        if verdict in (None, one.verdict)
    ]
    if len(keys) > 1:
        found.sort(key=lambda one: one.recorded or one.slot, reverse=True)
    return tuple(found[:limit])
