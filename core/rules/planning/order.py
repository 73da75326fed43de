"""In which order the actions of a beat run, and whether one may start yet. Pure."""

from collections.abc import Container, Mapping, Sequence

from core.model.cause import Cause
from core.model.document import Action, Priority
from core.model.ledger import ItemPast
from core.model.light_dataclass import light_dataclass
from core.model.occurrence import Outcome
from core.model.waiting import Wait, WaitReason
from core.rules.planning.conditions import asks_for_outcomes

ORDER = list(Priority)
LEFT = (WaitReason.STOPPED_BY, WaitReason.UNDECIDED)  # they last longer than a beat


@light_dataclass(frozen=True, slots=True)
class Ready:
    pass


@light_dataclass(frozen=True, slots=True)
class Skipped:
    reason: str
    cause: Cause


@light_dataclass(frozen=True, slots=True)
class Waits:
    wait: Wait


def run_order(due: Sequence[Action]) -> list[Action]:
    """CRITICAL first, file order within a priority, dependencies before what depends on them.

    A condition about the others' outcomes means something only when they have run, so those
    actions come last.
    """
    by_id = {action.id: action for action in due}
    ranked = sorted(
        due, key=lambda action: (asks_for_outcomes(action.condition), ORDER.index(action.priority))
    )
    ordered: dict[str, Action] = {}
    entered: set[str] = set()  # what they depend on waits above them, or is in order already

    waiting = ranked[::-1]
    while waiting:
        last = waiting[-1]
        if last.id in entered:
            ordered.setdefault(waiting.pop().id, last)
        else:
            entered.add(last.id)
            # One that was entered before is in order, or closes a circle.
            waiting += [
                by_id[name] for name in last.depends_on if name in by_id and name not in entered
            ]

    return list(ordered.values())


def may_start(
    action: Action,
    ended: Mapping[str, Outcome],
    past: Mapping[str, ItemPast],
    known: Mapping[str, Action],
    pending: Container[str] = (),
) -> Ready | Skipped | Waits:
    """Whether its dependencies let it start. `ended` are the outcomes of this beat, `past` has
    the last run of actions that were not due, `pending` are those that failed and will be tried
    again, or are still running."""
    for name in action.depends_on:
        if name not in known:
            return Skipped(f"it depends on {name}, which does not exist", ("not_there", name))

        is_pending = name in pending
        outcome = Outcome.WAITING if is_pending else _outcome(ended.get(name), past.get(name))
        found = _after(name, outcome)
        if not isinstance(found, Ready):
            return found

    return Ready()


def _outcome(ended: Outcome | None, last: ItemPast | None) -> Outcome | None:
    """How an action ended in this beat, else before it; None: it never ran."""
    if ended is not None or last is None:
        return ended

    return Outcome.WAITING if last.retry_at else last.last_outcome


def _after(name: str, outcome: Outcome | None) -> Ready | Skipped | Waits:
    """What an action does when its dependency ended like this."""
    match outcome:
        case Outcome.COMPLETED:
            return Ready()
        case Outcome.FAILED | Outcome.INTERRUPTED:
            return Skipped(f"{name} failed", (Outcome.FAILED, name))
        case Outcome.SKIPPED:
            return Skipped(f"{name} was skipped", (Outcome.SKIPPED, name))
        case None:
            return Waits(Wait(WaitReason.DEPENDENCY_NEVER_RAN, (name,)))
        case (
            Outcome.WAITING
            | Outcome.NEEDS_CLARIFICATION
            | Outcome.NEEDS_MODEL
            | Outcome.NEEDS_APPROVAL
            | Outcome.MISSED
        ):
            return Waits(Wait(WaitReason.DEPENDENCY, (name,)))
