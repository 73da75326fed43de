"""An occurrence that has ended, for tests of what is said about it."""

from datetime import timedelta

from core.model.occurrence import Occurrence, Outcome, State
from tests.stage import at


def ended(
    item: str, minute: int, outcome: Outcome = Outcome.COMPLETED, **more: object
) -> Occurrence:
    moment = at("16 10:00") + timedelta(minutes=minute)
    return Occurrence(
        item,
        "task",
        moment,
        1,
        "due",
        state=State.FINISHED,
        outcome=outcome,
        started=moment,
        **more,  # type: ignore[arg-type]
    )
