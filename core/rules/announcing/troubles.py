"""What of a beat is trouble, and what trouble it ended. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import date

from core.model.announcements import (
    APPROVAL,
    BUDGET,
    CONTRADICTION,
    EXHAUSTED,
    FAILURE,
    MODEL,
    PROVIDER,
    REFUSED,
    SCORE_DROP,
    Trouble,
)
from core.model.item import item_key
from core.model.occurrence import Outcome
from core.model.report import ItemReport, Notice
from core.model.value import dataclass
from core.model.verdict import Verdict
from core.rules.budgeting import WARN_AT, Failing
from core.rules.checking.progress import times
from core.rules.scoring.replaying import Drop
from core.rules.writing.harmless import one_line

FAILURES = (Outcome.FAILED, Outcome.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Happened:
    """What a beat knows at its end."""

    items: tuple[ItemReport, ...]
    day: date
    is_whole: bool = True  # every item was looked at, not only some by name
    waiting: Collection[Outcome] = ()  # what items of the workspace wait for, also those that are not due now
    unapproved: Sequence[str] = ()  # what waits for an approval, due or not
    approvals_waiting: int = 0  # how many
    critical: Collection[str] = ()  # the keys of CRITICAL actions
    exhausted: Mapping[str, int] = field(default_factory=dict)  # a task's id -> its attempts
    refused: str = ""  # why nothing is read from HEARTBEAT.md, or that it vanished
    drop: Drop | None = None
    spent: float = 0.0  # USD, today
    daily_usd: float = 0.0
    failing: Failing | None = None  # the provider, so often that it is left alone for a while


def troubles_of(happened: Happened) -> list[Trouble]:
    return [*_of_items(happened), *_of_the_whole(happened)]


def _of_items(happened: Happened) -> Iterator[Trouble]:
    for item in happened.items:
        key, name = item_key(item.kind, item.id), one_line(item.id, 60)
        if item.contradiction:
            notice = Notice("contradiction", f"{name}: not true", one_line(item.check or item.result))
            yield Trouble(f"{CONTRADICTION}{key}", notice, is_urgent=True)
        elif item.outcome in FAILURES:
            notice = Notice("failure", f"{name} failed", one_line(item.error))
            yield Trouble(f"{FAILURE}{key}", notice, is_urgent=key in happened.critical)
        elif item.outcome is Outcome.NEEDS_CLARIFICATION:
            yield Trouble(f"{FAILURE}{key}", Notice("failure", f"{name} is not understood", one_line(item.reason)))
        elif item.verdict is Verdict.NOT_VERIFIED:
            notice = Notice("failure", f"{name} was not verified", one_line(item.check or item.reason))
            yield Trouble(f"{FAILURE}{key}", notice)
    for task, attempts in happened.exhausted.items():
        message = f"It failed {times(attempts)} and is not tried again. Change its line, or: heartbeat retry {task}"
        notice = Notice("exhausted", f"{one_line(task, 60)} has used up its attempts", message)
        yield Trouble(f"{EXHAUSTED}task:{task}", notice, says_when_over=False)


def _of_the_whole(happened: Happened) -> Iterator[Trouble]:
    # Items that are held back while nothing waits: the record of the approvals cannot be trusted or checked.
    held = [item.id for item in happened.items if item.outcome is Outcome.NEEDS_APPROVAL]
    waiting, count = happened.unapproved or held, happened.approvals_waiting or len(held)
    if count:
        message = f"{one_line(', '.join(waiting))} cannot run before you have approved: heartbeat approve"
        yield Trouble(APPROVAL, Notice("approval", f"{count} waiting for your approval", message))
    without_model = [item.reason for item in happened.items if item.outcome is Outcome.NEEDS_MODEL]
    if without_model:
        notice = Notice("model", "No language model", f"Something {one_line(without_model[0], 300)}")
        yield Trouble(MODEL, notice, says_when_over=False, sameness=MODEL)
    yield from _of_the_model(happened)
    if happened.refused:
        yield Trouble(REFUSED, Notice("refused", "HEARTBEAT.md is not read", one_line(happened.refused)))
    if happened.drop:
        drop = happened.drop
        message = f"Today's score fell from {drop.peak} to {drop.now}: heartbeat score says why."
        yield Trouble(
            SCORE_DROP,
            Notice("score_drop", f"{drop.peak - drop.now} points lost", message),
            says_when_over=False,
            sameness=f"{happened.day} {drop.peak} {drop.reached}",
        )


def _of_the_model(happened: Happened) -> Iterator[Trouble]:
    spent, daily, failing = happened.spent, happened.daily_usd, happened.failing
    if spent > 0 and spent >= daily * WARN_AT:
        is_over = spent >= daily
        title = "Today's money for the model is used up" if is_over else f"{spent / daily:.0%} of today's money is used"
        more = "Work for the model goes on tomorrow." if is_over else "At 100 % the model is not asked again today."
        message = f"{spent:.2f} of {daily:.2f} USD (budget.daily_usd). {more}"
        sameness = f"{happened.day} {'stop' if is_over else 'warn'}"
        yield Trouble(BUDGET, Notice("budget", title, message), says_when_over=False, sameness=sameness)
    if failing:
        words = f"{failing.failures} failures in a row, the last: {failing.problem or 'no answer'}"
        message = f"{one_line(words, 300)} It is asked again after longer and longer pauses, up to 6 hours."
        notice = Notice("model", "The language model cannot be reached", message)
        yield Trouble(PROVIDER, notice, sameness=failing.since.isoformat())


_WAITS = {APPROVAL: Outcome.NEEDS_APPROVAL, MODEL: Outcome.NEEDS_MODEL}


def settled_by(happened: Happened, told: Collection[str]) -> list[str]:
    """The keys of what was told and is certainly over."""
    fine = {
        item_key(item.kind, item.id)
        for item in happened.items
        if item.outcome is Outcome.COMPLETED and item.verdict in (None, Verdict.VERIFIED)
    }
    over = [key for key in told if key.partition(":")[2] in fine]
    if happened.is_whole:
        now = {trouble.key for trouble in troubles_of(happened)}
        lasting = {key for key, outcome in _WAITS.items() if outcome in happened.waiting}
        settled = {APPROVAL, MODEL, REFUSED, BUDGET, PROVIDER} - now - lasting
        over += [key for key in told if key in settled]
        over += [key for key in told if key.startswith(EXHAUSTED) and key not in now and key not in over]
    return over
