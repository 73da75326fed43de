"""What the model may use in a beat and in a day, and how long it rests after failures. Pure: what
was used is an argument."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from itertools import takewhile

from core.model.agent import BatchEnding, Limits, ModelUse, Usage
from core.model.light_dataclass import light_dataclass
from core.model.occurrence import Outcome
from core.model.plan import ModelHold
from core.model.settings import BudgetSettings, Price
from core.model.waiting import Wait, WaitReason

BETWEEN_BATCHES = timedelta(minutes=1)  # that the timer starts
FAILURES_BEFORE_REST = 3
FIRST_REST = timedelta(minutes=10)
LONGEST_REST = timedelta(hours=6)
WARN_AT = 0.8  # of the day's money
JUDGE_REQUESTS = 2  # an answer, and one more try where it cannot be read
RECENT = 50  # uses that are considered


@light_dataclass(frozen=True, slots=True)
class Failing:
    """The provider has failed several times in a row."""

    failures: int
    since: datetime  # the first of them
    until: datetime  # it is not asked before that
    problem: str | None  # of the last one

    @property
    def is_worth_telling(self) -> bool:
        return self.failures >= FAILURES_BEFORE_REST


def failing(newest_first: Sequence[ModelUse]) -> Failing | None:
    """How the provider is failing, or None. From the third failure in a row on, each rest is twice
    as long as the one before; none is shorter than the provider asked for."""
    ended = [use for use in newest_first if use.ending is not None]
    failed = list(takewhile(lambda use: use.ending is BatchEnding.UNREACHABLE, ended))
    if not failed:
        return None

    last = failed[0]
    many = len(failed) - FAILURES_BEFORE_REST
    doubled: int = 2 ** min(max(many, 0), 20)
    own = FIRST_REST * doubled if many >= 0 else timedelta()
    rest = min(max(own, last.retry_after or timedelta()), LONGEST_REST)

    return Failing(
        len(failed), failed[-1].started, (last.finished or last.started) + rest, last.problem
    )


def rest_hold(newest_first: Sequence[ModelUse], now: datetime) -> ModelHold | None:
    """Why the timer asks no model now, or None. What a person starts is not held back by this."""
    rest = failing(newest_first)
    if rest and now < rest.until <= now + LONGEST_REST:  # later: the clock was set back
        until = rest.until.astimezone(now.tzinfo)
        wait = Wait(WaitReason.MODEL_FAILED, (str(rest.failures), f"{until:%H:%M}"))
        return ModelHold(Outcome.WAITING, wait, until)

    last = newest_first[0].started if newest_first else None
    if last and last <= now < last + BETWEEN_BATCHES:
        wait = Wait(WaitReason.ONCE_A_MINUTE)
        return ModelHold(Outcome.WAITING, wait, last + BETWEEN_BATCHES)

    return None


def spent_of(uses: Sequence[ModelUse]) -> float:
    return sum(use.usage.usd or 0.0 for use in uses)


def money_hold(
    budget: BudgetSettings, todays: Sequence[ModelUse], price: Price | None, now: datetime
) -> ModelHold | None:
    """Why no model that costs money is asked today, or None. Where no price is known, money holds
    nothing back."""
    if price is None or price.is_free or spent_of(todays) < budget.daily_usd:
        return None

    midnight = datetime.combine(now.date() + timedelta(days=1), time(), now.tzinfo)
    wait = Wait(WaitReason.MONEY, (f"{budget.daily_usd:.2f}",))
    return ModelHold(Outcome.WAITING, wait, midnight)


def limits_of(budget: BudgetSettings, todays: Sequence[ModelUse], price: Price | None) -> Limits:
    """What this beat's batch may use."""
    costs_money = price is not None and not price.is_free
    left = max(budget.daily_usd - spent_of(todays), 0.0) if costs_money else None
    time_limit = timedelta(minutes=budget.minutes_per_beat)

    return Limits(budget.requests_per_beat, budget.tokens_per_beat, time_limit, left)


def left_for_judge(limits: Limits, used: Usage) -> Limits | None:
    """What is left for the judge of a batch; None if there is not enough for one question."""
    tokens = limits.tokens - used.input_tokens - used.output_tokens
    usd = None if limits.usd is None else limits.usd - (used.usd or 0.0)
    if tokens <= 0 or (usd is not None and usd <= 0):
        return None

    return Limits(JUDGE_REQUESTS, tokens, limits.time, usd)


def average_use(newest_first: Sequence[ModelUse]) -> Usage | None:
    """What a batch used lately, on average; None if none ever ran."""
    asked = [use.usage for use in newest_first if use.usage.requests]
    if not asked:
        return None

    count = len(asked)
    known = [usage.usd for usage in asked if usage.usd is not None]
    return Usage(
        requests=round(sum(usage.requests for usage in asked) / count),
        input_tokens=round(sum(usage.input_tokens for usage in asked) / count),
        output_tokens=round(sum(usage.output_tokens for usage in asked) / count),
        usd=sum(known) / len(known) if known else None,
    )


def share_of(use: ModelUse) -> Usage:
    """An equal share for each of its items: which item a token was for cannot be known."""
    count = max(len(use.items), 1)
    usage = use.usage
    return Usage(
        requests=usage.requests,  # one is made for all of them
        input_tokens=round(usage.input_tokens / count),
        output_tokens=round(usage.output_tokens / count),
        cache_read_tokens=round(usage.cache_read_tokens / count),
        cache_write_tokens=round(usage.cache_write_tokens / count),
        usd=None if usage.usd is None else usage.usd / count,
    )
