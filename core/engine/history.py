"""Questions to the ledger about the past."""

from datetime import date

from core.model.item import Kind, item_key
from core.model.occurrence import Occurrence, Outcome
from core.ports import Ledger


def history_of(
    ledger: Ledger, item: str | None, day: date | None, outcome: Outcome | None, limit: int
) -> tuple[Occurrence, ...]:
    """Newest first. An id stands for every kind that has it."""
    if item is None or ":" in item:
        return ledger.history(item=item, outcome=outcome, first_day=day, last_day=day, limit=limit)
    found = [
        one
        for kind in Kind
        for one in ledger.history(item=item_key(kind, item), outcome=outcome, first_day=day, last_day=day, limit=limit)
    ]
    return tuple(sorted(found, key=lambda one: one.recorded or one.slot, reverse=True)[:limit])
