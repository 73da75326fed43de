"""Whether a model may be asked now, and which one. Nobody asks for a model's key before something is due for one."""

from datetime import datetime

from core.engine.world import World
from core.model.agent import ModelChoice, NoModel
from core.model.item import REVIEW_ID, Kind, item_key
from core.model.occurrence import BeatReason, Outcome, State
from core.model.plan import ModelHold, Wish
from core.rules.budgeting import BETWEEN_BATCHES, RECENT, money_hold, rest_hold
from core.rules.prices import price_of

BESIDE = "another beat's batch is with the model"
BY_WISH = (BeatReason.PERSON, BeatReason.AGENT)  # not by the timer


def ask_for_model(world: World, wish: Wish, now: datetime) -> ModelChoice | ModelHold:
    """The model for what is due now, or why it waits. What costs nothing to find out comes first."""
    if world.model_lock.holder():
        return ModelHold(Outcome.WAITING, BESIDE, now + BETWEEN_BATCHES)
    uses = world.ledger.model_uses(limit=RECENT)
    rest = rest_hold(uses, now) if wish.reason not in BY_WISH else None
    if rest:
        return rest
    choice = world.agent.choice()
    if isinstance(choice, NoModel):
        return ModelHold(Outcome.NEEDS_MODEL, f"needs a language model: {choice.reason.rstrip('.')}. {choice.hint}")
    todays = world.ledger.model_uses(first_day=now.date(), last_day=now.date())
    price = price_of(choice.provider, choice.model, world.settings.prices)
    return money_hold(world.settings.budget, todays, price, now) or choice


def reviews_sent(world: World, now: datetime) -> int:
    """How many messages of the review the person has had today."""
    key, today = item_key(Kind.REVIEW, REVIEW_ID), now.date()
    reviews = world.ledger.history(item=key, first_day=today, last_day=today)
    return sum(one.state is State.NOTIFIED for one in reviews)


def batch_at_work(world: World) -> int | None:
    """The beat that has the model's lock in another process: its batch is with the model, is checked, or waits for the
    workspace's lock. Whoever takes the model's lock writes a use before anybody can look."""
    newest = world.ledger.model_uses(limit=1)
    return newest[0].beat if newest and world.model_lock.holder() else None
