"""What the model may use: rests after failures, the pace of the timer, the day's money, a
batch's share."""

from datetime import timedelta

import pytest

from core.model.agent import BatchEnding, Limits, ModelUse, Usage
from core.model.occurrence import Outcome
from core.model.plan import ModelHold
from core.model.settings import BudgetSettings, Price
from core.model.waiting import Wait, WaitReason
from core.rules.budgeting import (
    LONGEST_REST,
    average_use,
    failing,
    left_for_judge,
    limits_of,
    money_hold,
    rest_hold,
    share_of,
)
from core.rules.prices import FREE
from tests.stage import at

NOW = at("16 10:00")
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
PRICE = Price(1.0, 5.0)
LOST, DONE = BatchEnding.UNREACHABLE, BatchEnding.FINISHED


def use(
    beat: int, ending: BatchEnding | None = DONE, ago: timedelta = HOUR, **more: object
) -> ModelUse:
    usage = more.pop("usage", Usage(1, 100, 10, usd=0.1))
    started = NOW - ago
    items = ("a", "b")
    return ModelUse(beat, started, started.date(), "p", "m", items, usage, ending, started, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("failures", "minutes"),
    [(1, 0), (2, 0), (3, 10), (4, 20), (5, 40), (6, 80), (7, 160), (8, 320), (9, 360), (200, 360)],
)
def test_from_the_third_failure_in_a_row_on_the_rests_double_up_to_6_hours(
    failures: int, minutes: int
) -> None:
    newest_first = [use(1000 - number, LOST) for number in range(failures)]
    found = failing([*newest_first, use(1)])
    assert found is not None
    assert (found.failures, found.until - (NOW - HOUR)) == (failures, minutes * MINUTE)
    assert found.is_worth_telling == (failures >= 3)


@pytest.mark.parametrize("between", [DONE, BatchEnding.OUT_OF_BUDGET, BatchEnding.CANCELLED])
def test_any_other_ending_ends_the_row(between: BatchEnding) -> None:
    assert failing([use(3, between), use(2, LOST), use(1, LOST)]) is None


def test_a_batch_whose_process_died_is_neither_a_failure_nor_the_end_of_the_row() -> None:
    found = failing([use(4, None), use(3, LOST), use(2, LOST), use(1, LOST)])
    assert found is not None
    assert found.failures == 3


def test_the_provider_is_left_alone_as_long_as_it_asks_for_and_never_longer_than_6_hours() -> None:
    found = failing([use(1, LOST, retry_after=2 * HOUR)])
    assert found is not None
    assert found.until == NOW - HOUR + 2 * HOUR
    endless = failing([use(1, LOST, retry_after=timedelta(days=30))])
    assert endless is not None
    assert endless.until == NOW - HOUR + LONGEST_REST


def test_the_timer_waits_for_the_rest_and_for_its_minute() -> None:
    rested = rest_hold([use(number, LOST, 5 * MINUTE) for number in (3, 2, 1)], NOW)
    assert rested is not None
    assert (rested.outcome, rested.until) == (Outcome.WAITING, NOW + 5 * MINUTE)
    assert "3 times in a row; it will be asked again at 10:05" in rested.wait.sentence
    pace = rest_hold([use(1, ago=timedelta(seconds=20))], NOW)
    assert pace == ModelHold(
        Outcome.WAITING, Wait(WaitReason.ONCE_A_MINUTE), NOW + timedelta(seconds=40)
    )
    assert rest_hold([use(1, ago=MINUTE)], NOW) is None
    assert rest_hold([], NOW) is None


def test_a_clock_that_was_set_back_prolongs_nothing() -> None:
    assert rest_hold([use(1, ago=-3 * HOUR)], NOW) is None
    assert rest_hold([use(number, LOST, timedelta(days=-2)) for number in (3, 2, 1)], NOW) is None


def test_the_days_money_holds_only_what_has_a_price() -> None:
    budget = BudgetSettings(daily_usd=0.2)
    spent = [use(1), use(2)]
    held = money_hold(budget, spent, PRICE, NOW)
    assert held is not None
    assert (held.until, "0.20 USD" in held.wait.sentence) == (at("17 00:00"), True)
    assert money_hold(budget, spent[:1], PRICE, NOW) is None
    assert money_hold(budget, spent, None, NOW) is None
    assert money_hold(budget, spent, FREE, NOW) is None
    assert money_hold(BudgetSettings(daily_usd=0.0), [], PRICE, NOW) is not None


def test_a_batch_gets_what_is_left_of_the_day_and_the_judge_what_is_left_of_the_batch() -> None:
    budget = BudgetSettings(12, 60_000, 5, 1.0)
    limits = limits_of(budget, [use(1)], PRICE)
    assert limits == Limits(12, 60_000, 5 * MINUTE, 0.9)
    assert limits_of(budget, [use(1)], None).usd is None
    left = left_for_judge(limits, Usage(3, 10_000, 500, usd=0.5))
    assert left is not None
    assert (left.requests, left.tokens, round(left.usd or 0, 6)) == (2, 49_500, 0.4)
    assert left_for_judge(limits, Usage(3, 60_000, 0, usd=0.1)) is None
    assert left_for_judge(limits, Usage(3, 100, 0, usd=0.9)) is None


def test_an_average_knows_only_batches_that_asked_and_prices_that_are_known() -> None:
    assert average_use([]) is None
    assert average_use([use(1, LOST, usage=Usage())]) is None
    found = average_use(
        [
            use(1, usage=Usage(2, 300, 30, usd=0.3)),
            use(2, usage=Usage(4, 500, 50)),
            use(3, usage=Usage()),
        ]
    )
    assert found == Usage(3, 400, 40, usd=0.3)


def test_items_share_a_batch_evenly() -> None:
    assert share_of(use(1, usage=Usage(3, 1000, 101, 10, 4, 0.5))) == Usage(3, 500, 50, 5, 2, 0.25)
