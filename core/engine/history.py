"""What the ledger has about the past: occurrences with their evidence, and as the reports that a
person reads."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from core.model.agent import ModelUse
from core.model.evidence import Evidence
from core.model.item import ItemKind, identifier_of_key, item_key
from core.model.occurrence import Occurrence, Outcome, Verdict
from core.model.report import ItemReport
from core.ports.ledger import Ledger

DAY = timedelta(days=1)
MOST_BEATS = 100_000  # that are searched for a number
RECENT = 100  # beats that are searched for one that is not over: many fit into a long batch


def receipts_of(
    ledger: Ledger, item: str | None, beat: int
) -> list[tuple[Occurrence, Evidence | None]]:
    """What a beat recorded, of one item or of all, with the evidence, oldest first."""
    rows = [one for one in _around(ledger, beat) if one.beat == beat]
    if item:
        wanted = {item, *(item_key(kind, item) for kind in ItemKind)}
        rows = [one for one in rows if one.item in wanted]

    return [(one, ledger.evidence.of(one.item, beat)) for one in reversed(rows)]


def _around(ledger: Ledger, beat: int) -> tuple[Occurrence, ...]:
    """The occurrences of the days around a beat, newest first; all of them where it is not
    known."""
    for one in ledger.beats.recent(MOST_BEATS):
        if one.number == beat:
            # The ledger counts the person's days, in a zone that is not known here.
            day = one.started.date()
            return ledger.occurrences.history(first_day=day - DAY, last_day=day + 2 * DAY)

    return ledger.occurrences.history()


class Background(NamedTuple):
    """The actions that a beat has started in the background."""

    ended: tuple[ItemReport, ...]
    running: tuple[str, ...]  # their ids


def background_of(ledger: Ledger, beat: int, keys: Sequence[str]) -> Background:
    """Which of these actions the beat has started, and how those ended that are over."""
    newest = [row for key in keys for row in ledger.occurrences.history(item=key, limit=1)]
    started = [one for one in newest if one.beat == beat and one.started]

    return Background(
        tuple(report_of(one) for one in started if one.outcome),
        tuple(identifier_of_key(one.item) for one in started if not one.outcome),
    )


def beat_of_process(ledger: Ledger, pid: int) -> int:
    """The number of the beat that a process is doing; 0 if it does none."""
    for one in ledger.beats.recent(RECENT):
        if one.finished is None and one.pid == pid:
            return one.number

    return 0


def use_of(ledger: Ledger, beat: int) -> ModelUse | None:
    """What the batch of a beat used; None if it had none."""
    return next((use for use in ledger.model_use.history() if use.beat == beat), None)


def history_of(
    ledger: Ledger,
    item: str | None,
    day: date | None,
    outcome: Outcome | None,
    verdict: Verdict | None,
    limit: int,
) -> tuple[Occurrence, ...]:
    """Newest first. An id without a kind means every kind that has it."""
    keys = [item] if item is None or ":" in item else [item_key(kind, item) for kind in ItemKind]
    most = None if verdict else limit  # the ledger cannot search by verdict
    found: list[Occurrence] = []
    for key in keys:
        rows = ledger.occurrences.history(
            item=key, outcome=outcome, first_day=day, last_day=day, limit=most
        )
        found += [one for one in rows if verdict in (None, one.verdict)]

    if len(keys) > 1:
        found.sort(key=lambda one: one.recorded or one.slot, reverse=True)

    return tuple(found[:limit])


def report_of(done: Occurrence, evidence: Evidence | None = None) -> ItemReport:
    assert done.outcome
    is_checked = done.verdict is not None or done.check_fails
    return ItemReport(
        id=identifier_of_key(done.item),
        kind=ItemKind(done.kind),
        outcome=done.outcome,
        why=done.why,
        attempts=done.attempts,
        duration=done.duration,
        result=done.result,
        error=done.error,
        cause=done.cause,
        verdict=done.verdict,
        contradiction=done.contradiction,
        points=done.points,
        check_fails=done.check_fails,
        self_reported=done.self_reported,
        ruling=done.ruling,
        check=_found(done, evidence) if evidence and is_checked else "",
        measured=evidence.measurement.data if evidence and is_checked else (),
    )


def _found(done: Occurrence, evidence: Evidence) -> str:
    """What was found, in words: the ruling, or what was measured where that says it all. A value
    that was not so is a contradiction also if the check passes."""
    return done.ruling or evidence.measurement.words
