"""In which order the actions of a beat run, and whether one may start yet. Pure."""

from collections.abc import Container, Mapping, Sequence

from core.model.document import Action, Priority
from core.model.memory import ItemMemory
from core.model.occurrence import Outcome
from core.model.value import dataclass
from core.rules.conditions import asks_for_outcomes

ORDER = list(Priority)
STOPPED = "the beat stopped, because "
STILL_RUNNING = "it is still running"
UNDECIDED = "its condition cannot be decided: "
LEFT = (STOPPED, UNDECIDED)  # how reasons begin that hold for longer than a beat


def stop_reason(critical: str) -> str:
    """Why an item waits whose beat ended with this CRITICAL action."""
    return f"{STOPPED}{critical} failed"


@dataclass(frozen=True, slots=True)
class Ready:
    pass


@dataclass(frozen=True, slots=True)
class Skipped:
    reason: str


@dataclass(frozen=True, slots=True)
class Waits:
    reason: str


def run_order(due: Sequence[Action]) -> list[Action]:
    """CRITICAL first, file order within a priority, what an action depends on before it.

    A condition about the others' outcomes means something only when they have run, so those actions come last.
    """
    by_id = {action.id: action for action in due}
    ranked = sorted(due, key=lambda action: (asks_for_outcomes(action.condition), ORDER.index(action.priority)))
    ordered: dict[str, Action] = {}
    for action in ranked:
        waiting = [action]
        while waiting:
            last = waiting[-1]
            missing = [by_id[name] for name in last.depends_on if name in by_id and name not in ordered]
            if missing and len(waiting) <= len(due):
                waiting.extend(missing)
            else:
                ordered.setdefault(waiting.pop().id, last)
    return list(ordered.values())


def may_start(
    action: Action,
    ended: Mapping[str, Outcome],
    memory: Mapping[str, ItemMemory],
    known: Mapping[str, Action],
    pending: Container[str] = (),
) -> Ready | Skipped | Waits:
    """What its dependencies say: `ended` is this beat's, `memory` the last run of those that were not due, `pending`
    those that failed and will be tried again, or are still running."""
    for name in action.depends_on:
        if name not in known:
            return Skipped(f"it depends on {name}, which is not there")
        outcome = ended.get(name)
        last = memory.get(name)
        if name in pending or (outcome is None and last and last.retry_at):
            outcome = Outcome.WAITING
        elif outcome is None and last:
            outcome = last.last_outcome
        match outcome:
            case Outcome.COMPLETED:
                continue
            case Outcome.FAILED | Outcome.INTERRUPTED:
                return Skipped(f"{name} failed")
            case Outcome.SKIPPED:
                return Skipped(f"{name} was skipped")
            case None:
                return Waits(f"it waits for {name}, which has not run yet")
            case _:
                return Waits(f"it waits for {name}")
    return Ready()
