"""What the person asked for by name and a beat did not run, and what makes it run. Pure."""

from collections.abc import Collection
from typing import assert_never

from core.model.item import item_key
from core.model.occurrence import Outcome
from core.model.report import BeatReport, ItemReport
from core.model.waiting import WaitReason, wait_of

NOT_RUN = (
    Outcome.SKIPPED,
    Outcome.WAITING,
    Outcome.NEEDS_MODEL,
    Outcome.NEEDS_APPROVAL,
    Outcome.NEEDS_CLARIFICATION,
)


def unmet_of(report: BeatReport, named: Collection[str]) -> tuple[ItemReport, ...]:
    """What was named, by its id or its key, and did not run. What a model skipped has run; what
    it gave no answer to has not."""
    return tuple(
        item
        for item in report.items
        if (item.duration is None or item.outcome is Outcome.WAITING)
        and item.outcome in NOT_RUN
        and (item.id in named or item_key(item.kind, item.id) in named)
    )


def way_to_run(item: ItemReport) -> str:
    """What to do so that it runs, as a line of its own; empty where its reason says it already,
    or the beat says it once for all."""
    match item.outcome:
        case Outcome.NEEDS_CLARIFICATION:
            return "What to write instead: heartbeat check"
        case Outcome.WAITING:
            return _way_out_of_waiting(item)
        case (
            Outcome.COMPLETED
            | Outcome.FAILED
            | Outcome.INTERRUPTED
            | Outcome.MISSED
            | Outcome.SKIPPED
            | Outcome.NEEDS_MODEL
            | Outcome.NEEDS_APPROVAL
        ):
            return ""
        case _:
            assert_never(item.outcome)


def _way_out_of_waiting(item: ItemReport) -> str:
    why = item.why
    if wait_of(why) in (WaitReason.DEPENDENCY, WaitReason.DEPENDENCY_NEVER_RAN):
        assert not isinstance(why, str)
        return f"To run both: heartbeat run {why.details[0]} {item.id}"
    if wait_of(why) is WaitReason.MONEY:
        return "To allow more: budget.daily_usd in config.toml"

    return f"Try again later: heartbeat run {item.id}"
