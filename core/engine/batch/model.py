"""Whether a model may be asked now, and which one. A model's key is asked for only when something
is due for one."""

from datetime import datetime

from core.model.agent import ModelChoice, NoModel
from core.model.item import REVIEW_ID, ItemKind, item_key
from core.model.occurrence import BeatReason, Outcome, State
from core.model.plan import BeatRequest, ModelHold
from core.model.waiting import Wait, WaitReason
from core.ports.world import World
from core.rules.budgeting import BETWEEN_BATCHES, RECENT, money_hold, rest_hold
from core.rules.prices import price_of

OTHER_BATCH = Wait(WaitReason.OTHER_BATCH)
ASKED_FOR = (BeatReason.PERSON, BeatReason.AGENT)  # not by the timer


def ask_for_model(world: World, request: BeatRequest, now: datetime) -> ModelChoice | ModelHold:
    """The model for what is due now, or why it has to wait. What costs nothing to find out is
    asked first."""
    if world.model_lock.holder():
        return ModelHold(Outcome.WAITING, OTHER_BATCH, now + BETWEEN_BATCHES)

    uses = world.ledger.model_use.history(limit=RECENT)
    rest = rest_hold(uses, now) if request.reason not in ASKED_FOR else None
    if rest:
        return rest

    choice = world.agent.choice()
    if isinstance(choice, NoModel):
        words = f"{choice.reason.rstrip('.')}. {choice.hint}"
        return ModelHold(Outcome.NEEDS_MODEL, Wait(WaitReason.NO_MODEL, (words,)))

    todays = world.ledger.model_use.history(first_day=now.date(), last_day=now.date())
    price = price_of(choice.provider, choice.model, world.settings.prices)
    return money_hold(world.settings.budget, todays, price, now) or choice


def reviews_sent(world: World, now: datetime) -> int:
    """How many messages of the review the person has had today."""
    key = item_key(ItemKind.REVIEW, REVIEW_ID)
    today = now.date()
    reviews = world.ledger.occurrences.history(item=key, first_day=today, last_day=today)
    return sum(one.state is State.NOTIFIED for one in reviews)


def batch_at_work(world: World) -> int | None:
    """The beat that has the model's lock in another process: its batch is with the model, is
    being checked, or waits for the workspace's lock. A beat that takes the model's lock records a
    use before any other beat can ask for it."""
    newest = world.ledger.model_use.history(limit=1)
    return newest[0].beat if newest and world.model_lock.holder() else None
