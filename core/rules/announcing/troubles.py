"""Which troubles a beat had, and which earlier ones it ended. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date

from core.model.announcements import Announced, Trouble
from core.model.cause import Cause
from core.model.diagnostic import Problem
from core.model.item import ItemKind, identifier_of_key, item_key
from core.model.light_dataclass import field, light_dataclass
from core.model.occurrence import FAILURES, Outcome, Verdict
from core.model.report import ItemReport, Notice, NoticeKind
from core.model.trouble import TroubleKey, TroubleKind
from core.model.waiting import Wait, is_unchecked
from core.rules.budgeting import WARN_AT, Failing
from core.rules.checking.progress import times
from core.rules.printable import as_sentence, one_line
from core.rules.reporting.endings import Tone, claim_words, ending_of
from core.rules.scoring.replaying import Drop


@light_dataclass(frozen=True, slots=True)
class Refused:
    """Why nothing is read from HEARTBEAT.md."""

    code: str  # of the diagnostic, or GONE
    problem: Problem


@light_dataclass(frozen=True, slots=True)
class NeverRun:
    """Lines of HEARTBEAT.md that look like something to do and can never run."""

    lines: int
    first: str  # what is wrong with the first of them
    mark: str  # the fingerprint of their text


GONE = "gone"  # it was there before


@light_dataclass(frozen=True, slots=True)
class Happened:
    """What a beat knows at its end."""

    items: tuple[ItemReport, ...]
    day: date
    is_whole: bool = True  # every item was planned, not only some by name
    # What items of the workspace wait for, also those that are not due now.
    waiting: Collection[Outcome] = ()
    unapproved: Sequence[str] = ()  # what waits for an approval, due or not
    approvals_waiting: int = 0  # how many
    critical: Collection[str] = ()  # the keys of CRITICAL actions
    exhausted: Mapping[str, int] = field(default_factory=dict)  # a task's id -> its attempts
    refused: Refused | None = None  # why nothing is read from HEARTBEAT.md, or that it vanished
    never_run: NeverRun | None = None
    drop: Drop | None = None
    spent: float = 0.0  # USD, today
    daily_usd: float = 0.0
    known: Collection[str] | None = None  # the keys of all items; None: they cannot be read
    # The tool servers of a batch: why one did not start, empty if it did; those of the settings.
    servers: Mapping[str, str] = field(default_factory=dict)
    known_servers: Collection[str] = ()
    failing: Failing | None = None  # the provider failed so often that it gets a break


def troubles_of(happened: Happened) -> list[Trouble]:
    return [*_item_troubles(happened), *_workspace_troubles(happened)]


def _item_troubles(happened: Happened) -> Iterator[Trouble]:
    for item in happened.items:
        key = item_key(item.kind, item.id)
        name = one_line(item.id, 60)
        failure = TroubleKey(TroubleKind.FAILURE, key)
        contradiction = TroubleKey(TroubleKind.CONTRADICTION, key)

        if item.contradiction:
            title = f"{name}: contradiction, {-item.points} points lost"
            notice = Notice(NoticeKind.CONTRADICTION, title, _denied(item))
            yield Trouble(contradiction, notice, item.measured, is_urgent=True, is_denial=True)
        elif item.verdict is Verdict.NOT_VERIFIED:  # also of a task that was not reported at all
            notice = Notice(NoticeKind.FAILURE, f"{name} was not verified", _denied(item))
            yield Trouble(failure, notice, (item.verdict, *item.measured), is_denial=True)
        elif item.outcome in FAILURES:
            notice = Notice(NoticeKind.FAILURE, f"{name} failed", one_line(item.error))
            sameness = (item.outcome, *item.cause)
            yield Trouble(failure, notice, sameness, is_urgent=key in happened.critical)
        elif item.outcome is Outcome.NEEDS_CLARIFICATION:
            notice = Notice(NoticeKind.FAILURE, f"{name} is not understood", one_line(item.reason))
            yield Trouble(failure, notice, (item.outcome, *_what_is_unclear(item)))
        elif item.check_fails:
            title = f"{name}: {ending_of(item).words}"
            notice = Notice(NoticeKind.FAILURE, title, _denied(item))
            yield Trouble(failure, notice, (item.outcome, *item.measured), is_denial=True)

    for task, attempts in happened.exhausted.items():
        message = (
            f"It failed {times(attempts)} and is not tried again. Change its line, or: "
            f"heartbeat retry {task}"
        )
        notice = Notice(
            NoticeKind.EXHAUSTED, f"{one_line(task, 60)} has used up its attempts", message
        )
        exhausted = TroubleKey(TroubleKind.EXHAUSTED, item_key(ItemKind.TASK, task))
        yield Trouble(exhausted, notice, (str(attempts),), says_when_over=False)


def _denied(item: ItemReport) -> str:
    """Why it is denied, and below it what the item said of itself."""
    why = one_line(item.ruling or item.check or item.reason)
    said = one_line(claim_words(item, item.result))
    return "\n".join(as_sentence(words) for words in (why, said) if words)


def _what_is_unclear(item: ItemReport) -> Cause:
    return item.why.data if isinstance(item.why, Wait) else item.cause


def _workspace_troubles(happened: Happened) -> Iterator[Trouble]:
    # Items can be held back although nothing waits: where the record of the approvals cannot be
    # trusted. Where it only cannot be checked, there is nothing to approve.
    held = [
        item.id
        for item in happened.items
        if item.outcome is Outcome.NEEDS_APPROVAL and not is_unchecked(item.why)
    ]
    waiting = happened.unapproved or held
    count = happened.approvals_waiting or len(held)
    if count:
        message = f"{one_line(', '.join(waiting))} cannot run until you approve: heartbeat approve"
        notice = Notice(NoticeKind.APPROVAL, f"{count} waiting for your approval", message)
        yield Trouble(TroubleKey(TroubleKind.APPROVAL), notice, tuple(waiting))

    without_model = [item.reason for item in happened.items if item.outcome is Outcome.NEEDS_MODEL]
    if without_model:
        notice = Notice(
            NoticeKind.MODEL, "No language model", f"Something {one_line(without_model[0], 300)}"
        )
        yield Trouble(
            TroubleKey(TroubleKind.MODEL), notice, (TroubleKind.MODEL,), says_when_over=False
        )

    yield from _model_troubles(happened)
    yield from _server_troubles(happened)
    if happened.refused:
        refused = happened.refused
        notice = Notice(
            NoticeKind.REFUSED, "HEARTBEAT.md is not read", one_line(refused.problem.message)
        )
        yield Trouble(TroubleKey(TroubleKind.REFUSED), notice, (refused.code,))

    if happened.never_run:
        yield _never_run_trouble(happened.never_run)

    if happened.drop:
        drop = happened.drop
        cost = f", {-drop.cost} of it by {_named(drop.item)}" if drop.item else ""
        message = (
            f"Today's score fell from {drop.peak} to {drop.now}{cost}: heartbeat score says why."
        )
        yield Trouble(
            TroubleKey(TroubleKind.SCORE_DROP),
            Notice(NoticeKind.SCORE_DROP, f"{drop.peak - drop.now} points lost", message),
            (str(happened.day), str(drop.peak), str(drop.reached)),
            says_when_over=False,
        )


def _named(item: str) -> str:
    return one_line(identifier_of_key(item), 60)


def _server_troubles(happened: Happened) -> Iterator[Trouble]:
    for name, why in happened.servers.items():
        if not why:
            continue

        shown = one_line(name, 60)
        message = (
            f"{one_line(why, 200).rstrip('.')}. The model works without its tools. Correct "
            f"[mcp.servers.{shown}] in config.toml; heartbeat doctor tries it."
        )
        notice = Notice(NoticeKind.SERVER, f"The tool server {shown} did not start", message)
        yield Trouble(TroubleKey(TroubleKind.SERVER, name), notice, (TroubleKind.SERVER, name))


def _never_run_trouble(found: NeverRun) -> Trouble:
    lines = "1 line" if found.lines == 1 else f"{found.lines} lines"
    message = f"{one_line(found.first)} What to write instead: heartbeat check"
    notice = Notice(NoticeKind.NEVER_RUNS, f"{lines} can never run", message)
    return Trouble(TroubleKey(TroubleKind.NEVER_RUNS), notice, (found.mark,), says_when_over=False)


def _model_troubles(happened: Happened) -> Iterator[Trouble]:
    if happened.spent > 0 and happened.spent >= happened.daily_usd * WARN_AT:
        yield _budget_trouble(happened)

    failing = happened.failing
    if failing:
        last = (failing.problem or "no answer").rstrip(".")
        words = f"{failing.failures} failures in a row, the last: {last}."
        message = (
            f"{one_line(words, 300)} Heartbeat asks it again after longer and longer pauses, up "
            "to 6 hours."
        )
        notice = Notice(NoticeKind.MODEL, "The language model cannot be reached", message)
        yield Trouble(TroubleKey(TroubleKind.PROVIDER), notice, (failing.since.isoformat(),))


def _budget_trouble(happened: Happened) -> Trouble:
    spent = happened.spent
    daily = happened.daily_usd
    if spent >= daily:
        stage = "stop"
        title = "Today's budget for the model is used up"
        more = "The model continues tomorrow."
    else:
        stage = "warn"
        title = f"{spent / daily:.0%} of today's budget is used"
        more = "At 100% the model is not asked again today."

    message = f"{spent:.2f} of {daily:.2f} USD (budget.daily_usd). {more}"
    return Trouble(
        TroubleKey(TroubleKind.BUDGET),
        Notice(NoticeKind.BUDGET, title, message),
        (str(happened.day), stage),
        says_when_over=False,
    )


VERDICTS = {TroubleKind.FAILURE, TroubleKind.CONTRADICTION}
ITEM_TROUBLES = {*VERDICTS, TroubleKind.EXHAUSTED}
WORKSPACE_TROUBLES = {
    TroubleKind.APPROVAL,
    TroubleKind.MODEL,
    TroubleKind.REFUSED,
    TroubleKind.NEVER_RUNS,
    TroubleKind.BUDGET,
    TroubleKind.PROVIDER,
}
_WAITS = {TroubleKind.APPROVAL: Outcome.NEEDS_APPROVAL, TroubleKind.MODEL: Outcome.NEEDS_MODEL}


def settled_by(happened: Happened, announced: Mapping[TroubleKey, Announced]) -> list[TroubleKey]:
    """The keys of what was announced and is certainly over."""
    fine = {
        item_key(item.kind, item.id) for item in happened.items if ending_of(item).tone is Tone.GOOD
    }

    over = [key for key in announced if key.about in fine]
    skipped = {item_key(item.kind, item.id) for item in happened.items if _is_peaceful_skip(item)}
    over += [
        key
        for key, one in announced.items()
        if key.about in skipped and one.is_about(Outcome.SKIPPED)
    ]
    over += [
        key
        for key in announced
        if key.kind is TroubleKind.SERVER
        and (happened.servers.get(key.about) == "" or key.about not in happened.known_servers)
    ]
    if not happened.is_whole:
        return over

    present = {trouble.key for trouble in troubles_of(happened)}
    over += [
        key
        for key, one in announced.items()
        if one.is_about(Outcome.NEEDS_CLARIFICATION) and key not in present and not happened.refused
    ]
    lasting = {kind for kind, outcome in _WAITS.items() if outcome in happened.waiting}
    settled = (WORKSPACE_TROUBLES | {TroubleKind.EXHAUSTED}) - lasting
    gone = [key for key in announced if key.kind in settled and key not in present]

    return list(dict.fromkeys([*over, *gone]))


def _is_peaceful_skip(item: ItemReport) -> bool:
    """Whether it ran, had nothing to do, and no check says otherwise."""
    return item.outcome is Outcome.SKIPPED and item.duration is not None and not item.check_fails


def forgotten_by(happened: Happened, announced: Collection[TroubleKey]) -> list[TroubleKey]:
    """The keys of what was announced and is over without a word: the item is gone from the
    workspace, or its trouble is now of another kind."""
    known = happened.known
    present = [one.key for one in troubles_of(happened)]
    kinds = {key.about: key.kind for key in present if key.kind in VERDICTS}

    gone = [
        key
        for key in announced
        if known is not None and key.kind in ITEM_TROUBLES and key.about not in known
    ]
    changed = [
        key
        for key in announced
        if key.kind in VERDICTS and kinds.get(key.about, key.kind) != key.kind
    ]
    return [*gone, *changed]


def stale_of(happened: Happened, held: Collection[TroubleKey]) -> list[TroubleKey]:
    """The keys of what is still to be announced and is not so any more. What waits for an approval
    is known to every beat, also where its items are not due."""
    approval = TroubleKey(TroubleKind.APPROVAL)
    is_so = any(trouble.key == approval for trouble in troubles_of(happened))
    return [approval] if approval in held and not is_so else []
