"""What waits for the person's approval; approving it, and revoking that."""

from collections.abc import Collection, Iterable, Sequence

from core.engine import approve as engine
from core.engine.plan import plan_only
from core.model.approval import ApprovedBy, Reviewed, ValidApprovals
from core.model.occurrence import BeatReason
from core.model.plan import BeatRequest
from core.model.waiting import Why, is_unchecked
from core.services import Services
from core.usecases.reading import read_workspace


def review(services: Services) -> tuple[tuple[Reviewed, ...], ValidApprovals]:
    """Everything that executes, compared with what was approved; and the approvals that count."""
    given = services.approvals.proven()
    return engine.review_now(services, read_workspace(services), given.approvals), given


def approvals_waiting(services: Services) -> int:
    """How many wait for the person, due or not; the seal is not checked."""
    noted = services.approvals.noted()
    return sum(one.waits for one in engine.review_now(services, read_workspace(services), noted))


def unchecked_words(services: Services, reasons: Iterable[Why]) -> list[str]:
    """Why approvals cannot be checked here and what to do, once, if one of the reasons is that."""
    trouble = services.approvals.proven().trouble if any(map(is_unchecked, reasons)) else None
    return [trouble.problem.full_text] if trouble else []


def approve(services: Services, chosen: Sequence[Reviewed]) -> None:
    """Approve exactly what was reviewed."""
    if chosen:
        engine.approve(services, chosen, ApprovedBy.PERSON, services.clock.now())
        _plan_again(services)


def revoke(services: Services, keys: Collection[str]) -> None:
    services.approvals.take_back(keys)
    _plan_again(services)


def _plan_again(services: Services) -> None:
    """Plan again, as what may run has changed, and wake the resident. A beat that is at
    work does the same when it ends."""
    plan_only(services, BeatRequest(BeatReason.TIMER, resident_start=services.watched_since()))
    services.wake_resident()
