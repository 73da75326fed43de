"""What of a beat is trouble, and what trouble it ended. Pure."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from datetime import date

from core.model.announcements import Trouble
from core.model.item import item_key
from core.model.occurrence import Outcome
from core.model.report import ItemReport, Notice
from core.model.value import dataclass
from core.model.verdict import Verdict
from core.rules.scoring.replaying import Drop
from core.rules.writing.harmless import one_line

FAILURES = (Outcome.FAILED, Outcome.INTERRUPTED)
APPROVAL, MODEL, REFUSED, SCORE_DROP = "approval", "model", "refused", "score_drop"
EXHAUSTED = "exhausted:"


@dataclass(frozen=True, slots=True)
class Happened:
    """What a beat knows at its end."""

    items: tuple[ItemReport, ...]
    day: date
    is_whole: bool = True  # every item was looked at, not only some by name
    critical: Collection[str] = ()  # the keys of CRITICAL actions
    exhausted: Mapping[str, int] = field(default_factory=dict)  # a task's id -> its attempts
    refused: str = ""  # why nothing is read from HEARTBEAT.md, or that it vanished
    drop: Drop | None = None


def troubles_of(happened: Happened) -> list[Trouble]:
    return [*_of_items(happened), *_of_the_whole(happened)]


def _of_items(happened: Happened) -> Iterator[Trouble]:
    for item in happened.items:
        key, name = item_key(item.kind, item.id), one_line(item.id, 60)
        if item.contradiction:
            notice = Notice("contradiction", f"{name}: not true", one_line(item.check or item.result))
            yield Trouble(f"contradiction:{key}", notice, is_urgent=True)
        elif item.outcome in FAILURES:
            notice = Notice("failure", f"{name} failed", one_line(item.error))
            yield Trouble(f"failure:{key}", notice, is_urgent=key in happened.critical)
        elif item.verdict is Verdict.NOT_VERIFIED:
            notice = Notice("failure", f"{name} was not verified", one_line(item.check or item.reason))
            yield Trouble(f"failure:{key}", notice)
    for task, attempts in happened.exhausted.items():
        message = f"It failed {attempts} times and is not tried again. Change its line, or: heartbeat retry {task}"
        notice = Notice("exhausted", f"{one_line(task, 60)} has used up its attempts", message)
        yield Trouble(f"{EXHAUSTED}task:{task}", notice, says_when_over=False)


def _of_the_whole(happened: Happened) -> Iterator[Trouble]:
    waiting = [item.id for item in happened.items if item.outcome is Outcome.NEEDS_APPROVAL]
    if waiting:
        message = f"{one_line(', '.join(waiting))} cannot run before you have approved: heartbeat approve"
        yield Trouble(APPROVAL, Notice("approval", f"{len(waiting)} waiting for your approval", message))
    if any(item.outcome is Outcome.NEEDS_MODEL for item in happened.items):
        message = "Some items need a language model, and none is set up: heartbeat key set anthropic"
        yield Trouble(MODEL, Notice("model", "No language model", message), says_when_over=False)
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
        over += [key for key in (APPROVAL, MODEL, REFUSED) if key in told and key not in now]
        over += [key for key in told if key.startswith(EXHAUSTED) and key not in now and key not in over]
    return over
