"""What waits for the person: what the plan found, and every trouble that was announced and is not
over. Pure."""

from collections.abc import Mapping
from datetime import date

from core.model.announcements import Announced
from core.model.ledger import PlanNote
from core.model.status import Need
from core.model.trouble import TroubleKey, TroubleKind

# The plan knows about approvals, and a score drop is news that waits for nothing.
NOT_AGAIN = (TroubleKind.APPROVAL, TroubleKind.SCORE_DROP)

MAY_BE_MEANT = (TroubleKind.MODEL, TroubleKind.NEVER_RUNS)


def needs_of(
    note: PlanNote | None, announced: Mapping[TroubleKey, Announced], today: date
) -> tuple[Need, ...]:
    """What waits, the newest trouble first. `note` is what the last plan left."""
    approvals = note.approvals_waiting if note else 0
    errors = note.errors if note else 0
    found: list[Need] = []

    if approvals:
        found.append(
            Need(TroubleKey(TroubleKind.APPROVAL), f"{approvals} waiting for your approval")
        )

    if errors and TroubleKey(TroubleKind.REFUSED) not in announced:
        many = "error" if errors == 1 else "errors"
        key = TroubleKey(TroubleKind.FILE_ERRORS)
        found.append(Need(key, f"{errors} {many} in HEARTBEAT.md or a prompt"))

    others = [
        Need(key, one.title)
        for key, one in announced.items()
        if key.kind not in NOT_AGAIN and not _is_of_another_day(key, one, today)
    ]
    return (*found, *reversed(others))


def _is_of_another_day(key: TroubleKey, one: Announced, today: date) -> bool:
    """A budget is for one day: the next one has its own, before any beat says so."""
    return key.kind is TroubleKind.BUDGET and not one.is_about(str(today))


def needs_attention(needs: tuple[Need, ...]) -> bool:
    """Whether something needs attention. Working without a model is a choice, and lines that never
    run may be meant so: these alone do not."""
    return any(need.trouble.kind not in MAY_BE_MEANT for need in needs)
