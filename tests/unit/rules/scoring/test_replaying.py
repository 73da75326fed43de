"""Drops of a day's score."""

from datetime import UTC, date, datetime

from core.model.ledger import Feedback
from core.model.light_dataclass import replace
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
    assert drop_of(verdicts(10, 10, -15, -5), (), 20) == Drop(20, 0, moment, "task:a", -20)
    assert drop_of(verdicts(-15, -5), (), 20) == Drop(0, -20, None, "task:a", -20)
    assert drop_of(verdicts(10, 10, -15, -15, 40), (), 20) is None
    thumb = Feedback(datetime(2026, 11, 16, 12, tzinfo=UTC), date(2026, 11, 1), "", -10)
    assert drop_of(verdicts(10, 10, -15), (thumb,), 20) == Drop(20, -5, moment, "task:a", -15)


def test_a_drop_names_what_cost_the_most_since_the_peak() -> None:
    first, second, third = verdicts(10, -15, -12)
    drop = drop_of([first, replace(second, item="task:b"), third], (), 20)
    assert drop
    assert (drop.item, drop.cost) == ("task:b", -15)
    thumb = Feedback(datetime(2026, 11, 16, 12, tzinfo=UTC), date(2026, 11, 1), "", -30)
    assert drop_of([first], (thumb,), 20) == Drop(10, -20, first.finished, "", -30)
