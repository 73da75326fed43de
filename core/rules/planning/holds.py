"""What holds an item back that is due: it is not approved, it still runs, an earlier beat left it,
its condition cannot be read, it depends on another action, or there is no model. Pure.

Each hold takes items as they are planned and returns them held or unchanged.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from core.model.diagnostic import Unclear
from core.model.document import Document, Priority
from core.model.item import ItemKind, item_key
from core.model.light_dataclass import replace
from core.model.occurrence import Outcome
from core.model.plan import Decision, Held, Planned
from core.model.schedule import Due
from core.model.waiting import Wait, WaitReason
from core.rules.planning.conditions import names_with, problem_with
from core.rules.planning.order import Waits, may_start
from core.rules.planning.plan_input import PlanInput

CHECK_AGAIN = timedelta(seconds=30)  # whether what is running has ended


def blocked(
    item: Planned, unclear: Unclear, now: datetime, reason: WaitReason = WaitReason.UNCLEAR
) -> Planned:
    """The item as one that the person has to make clear first."""
    return replace(
        item,
        decision=Decision.BLOCKED,
        because=Held(Outcome.NEEDS_CLARIFICATION, Wait(reason, tuple(unclear))),
        slot=now,
    )


class Holds:
    def __init__(self, document: Document, given: PlanInput, now: datetime, tick: Due) -> None:
        self.given = given
        self.now = now
        self.tick = tick
        self.actions = {action.id: action for action in reversed(document.actions)}
        self.critical = {
            action.id for action in document.actions if action.priority is Priority.CRITICAL
        }

    def hold(self, items: Sequence[Planned]) -> list[Planned]:
        """The items with everything that holds some of them back, apart from the model."""
        held = [self._unless_approved(item) for item in items]
        held = self._until_tick(held)
        held = [self._while_running(item) for item in held]
        held = [self._if_condition_is_unclear(item) for item in held]
        return self._for_dependencies(held)

    def for_model(self, item: Planned) -> Planned:
        hold = self.given.model_hold
        if item.decision is not Decision.RUN or hold is None:
            return item

        decision = Decision.BLOCKED if hold.outcome is Outcome.NEEDS_MODEL else Decision.WAIT
        # Nothing wakes for a slot that would only wait: at the next tick there may be a model.
        following = hold.until or self.tick.next
        held = Held(hold.outcome, hold.wait)
        return replace(item, decision=decision, because=held, next=following)

    def _unless_approved(self, item: Planned) -> Planned:
        wait = self.given.unapproved.get(item.key)
        is_due = item.decision is Decision.RUN or item.held_as is Outcome.NEEDS_MODEL
        if wait is None or not is_due:
            return item

        held = Held(Outcome.NEEDS_APPROVAL, wait)
        return replace(item, decision=Decision.BLOCKED, because=held)

    def _while_running(self, item: Planned) -> Planned:
        if item.decision is not Decision.RUN or item.key not in self.given.running:
            return item

        later = self.now + CHECK_AGAIN
        held = Held(Outcome.WAITING, Wait(WaitReason.STILL_RUNNING))
        return replace(item, decision=Decision.WAIT, because=held, next=later)

    def _until_tick(self, items: list[Planned]) -> list[Planned]:
        """What a beat left undone waits for the next tick; after a CRITICAL failure also for
        that action's next try."""
        request = self.given.request
        if not self.given.left or request.items or self.tick.slot or request.is_tick:
            return items

        critical = {
            item.id: item
            for item in items
            if item.kind is ItemKind.ACTION and item.id in self.critical
        }
        return [self._if_left(item, critical) for item in items]

    def _if_left(self, item: Planned, critical: Mapping[str, Planned]) -> Planned:
        left = self.given.left.get(item.key)
        if left is None or item.decision is not Decision.RUN:
            return item

        if left.reason is WaitReason.UNDECIDED:
            return replace(
                item,
                decision=Decision.BLOCKED,
                because=Held(Outcome.NEEDS_CLARIFICATION, left),
                next=self.tick.next,
            )

        stopping = critical.get(left.details[0]) if left.reason is WaitReason.STOPPED_BY else None
        if stopping is None or stopping.decision is Decision.RUN:
            return item

        return replace(
            item,
            decision=Decision.WAIT,
            because=Held(Outcome.WAITING, left),
            next=min(filter(None, (self.tick.next, stopping.next)), default=None),
        )

    def _if_condition_is_unclear(self, item: Planned) -> Planned:
        if item.kind is not ItemKind.ACTION or item.decision is not Decision.RUN:
            return item

        condition = self.actions[item.id].condition
        problem = problem_with(condition, names_with(self.actions)) if condition else None
        if problem is None:
            return item

        return blocked(item, Unclear(problem.message, "HB318", condition or ""), self.now)

    def _for_dependencies(self, items: list[Planned]) -> list[Planned]:
        """An action whose dependency neither has run nor runs now waits for it, instead of being
        tried again and again."""
        starting = [
            item.id
            for item in items
            if item.kind is ItemKind.ACTION and item.decision is Decision.RUN
        ]
        expected = dict.fromkeys(starting, Outcome.COMPLETED)
        past = {
            name: self.given.past[key]
            for name in self.actions
            if (key := item_key(ItemKind.ACTION, name)) in self.given.past
        }
        held: list[Planned] = []

        for item in items:
            if item.kind is ItemKind.ACTION and item.decision is Decision.RUN:
                found = may_start(self.actions[item.id], expected, past, self.actions)
                if isinstance(found, Waits):
                    held_back = Held(Outcome.WAITING, found.wait)
                    item = replace(item, decision=Decision.WAIT, because=held_back)

            held.append(item)

        return held
