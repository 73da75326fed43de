"""What waits for the person: what the plan found, and every trouble that was told and is not over. Pure."""

from collections.abc import Mapping

from core.model.announcements import APPROVAL, MODEL, REFUSED, SCORE_DROP, Told
from core.model.status import Need

FILE_ERRORS = "errors"


def needs_of(summary: Mapping[str, object], told: Mapping[str, Told]) -> tuple[Need, ...]:
    """`summary` is that of the last plan. Newest trouble first; a score drop is news, nothing that waits."""
    approvals, errors = number(summary, "approvals_waiting"), number(summary, "errors")
    found = [Need(APPROVAL, f"{approvals} waiting for your approval")] if approvals else []
    if errors and REFUSED not in told:
        found.append(Need(FILE_ERRORS, f"{errors} {'error' if errors == 1 else 'errors'} in HEARTBEAT.md"))
    others = ((key, one.title) for key, one in told.items() if key not in (APPROVAL, SCORE_DROP))
    return (*found, *(Need(key, title) for key, title in reversed(list(others))))


def is_urging(needs: tuple[Need, ...]) -> bool:
    """To work without a model is a choice: that alone never calls for attention."""
    return any(need.trouble != MODEL for need in needs)


def number(summary: Mapping[str, object], name: str) -> int:
    count = summary.get(name, 0)
    return count if isinstance(count, int) else 0
