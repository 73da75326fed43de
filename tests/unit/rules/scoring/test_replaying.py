"""Drops of a day's score."""

from datetime import UTC, date, datetime

from core.model.ledger import Feedback
from core.model.occurrence import Occurrence, State, Verdict
from core.rules.scoring.replaying import Drop, drop_of


def verdicts(*points: int) -> list[Occurrence]:
    return [
        Occurrence(
            "task:a",
            "task",
            moment,
            1,
            "",
            state=State.VERIFIED,
            verdict=Verdict.UNCLEAR,
            points=one,
            finished=moment,
        )
        for number, one in enumerate(points)
        for moment in [datetime(2026, 11, 16, 9, number, tzinfo=UTC)]
    ]


def test_a_drop_is_a_loss_from_the_days_peak() -> None:
    moment = datetime(2026, 11, 16, 9, 1, tzinfo=UTC)
    assert drop_of(verdicts(10, 10, -15), (), 20) is None
    assert drop_of(verdicts(10, 10, -15, -5), (), 20) == Drop(20, 0, moment)
    assert drop_of(verdicts(-15, -5), (), 20) == Drop(0, -20, None)
    assert drop_of(verdicts(10, 10, -15, -15, 40), (), 20) is None
    thumb = Feedback(datetime(2026, 11, 16, 12, tzinfo=UTC), date(2026, 11, 1), "", -10)
    assert drop_of(verdicts(10, 10, -15), (thumb,), 20) == Drop(20, -5, moment)
