"""The receipt of one task in one beat: said, done, measured, verdict, points. Pure."""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from core.model.evidence import Evidence, FileChange, Said
from core.model.item import identifier_of_key
from core.model.occurrence import Occurrence
from core.rules.budgeting import share_of
from core.rules.checking.values import shown_value
from core.rules.printable import for_terminal
from core.rules.reporting.history import verdict_words
from tray_app.cli.check import cut
from tray_app.cli.words import instant_or_never, usage_words

if TYPE_CHECKING:
    from core.model.agent import ModelUse

MOST_LINES = 12  # of a command's output
SAID_WORDS = {
    Said.DONE: "done",
    Said.FAILED: "it failed",
    Said.SKIPPED: "skipped",
    Said.NOTHING: "nothing",
    Said.CUT_OFF: "it was cut off",
}


def receipt(
    one: Occurrence, evidence: Evidence | None, now: datetime, use: "ModelUse | None" = None
) -> list[str]:
    """Return the receipt as lines. `use` is what the beat's batch used."""
    name = cut(identifier_of_key(one.item), 60)
    when = instant_or_never(one.started or one.recorded, now)
    took = f", {one.duration.total_seconds():.1f} s" if one.duration else ""
    lines = [f"{name} · beat {one.beat} · {when}{took}"]

    if evidence is None:
        words = one.error or one.result or one.reason
        lines += [
            _row("outcome", str(one.outcome or one.state).replace("_", " ")),
            _row("", cut(words, 200)),
        ]
    else:
        lines += _body(one, evidence)

    if use and one.item in use.items:
        lines.append(_row("model", f"{cut(use.provider, 20)} {cut(use.model, 40)}"))
        share = f" its share of {len(use.items)}:" if len(use.items) > 1 else ""
        lines.append(_row("", f"{share} {usage_words(share_of(use))}".strip()))

    return lines


def _body(one: Occurrence, evidence: Evidence) -> Iterator[str]:
    claim = evidence.claim
    result = f": {cut(claim.result, 160)}" if claim.result else ""
    yield _row("said", SAID_WORDS[claim.said] + result)

    for name, value in claim.facts.items():
        yield _row("", f"{cut(name, 40)} = {shown_value(value)}")

    for act in evidence.acts:
        yield _row("did", cut(act.what, 160))
        shown = act.output.splitlines()
        if len(shown) > MOST_LINES:
            yield _row("", f"  … {len(shown) - MOST_LINES} lines before")

        for line in shown[-MOST_LINES:]:
            yield _row("", f"  {cut(line, 160)}")

    for file in evidence.files:
        marks = f"{_short(file.before)} → {_short(file.after)}"
        yield _row("files", f"{_how(file)} {cut(file.path, 80)} ({marks})")

    yield _row("measured", for_terminal(evidence.measurement.words))
    if evidence.judgement:
        yield _row("judged", cut(f"{evidence.judgement.reason} “{evidence.judgement.quote}”", 200))

    verdict = "none" if one.verdict is None else str(one.verdict).replace("_", " ")
    lie = ", a contradiction" if one.contradiction else ""
    own = " (self-reported: measured from what the model wrote)" if one.self_reported else ""
    yield _row("verdict", f"{verdict}{lie}{own}: {cut(evidence.reason, 120)}")
    yield _row("points", f"{one.points:+d}" if one.verdict else "0")


def _row(name: str, words: str) -> str:
    return f"  {name:<9} {words}"


def _how(file: FileChange) -> str:
    """What happened to a file."""
    if file.before is None:
        return "made"

    return "removed" if file.after is None else "changed"


def _short(mark: str | None) -> str:
    return mark[:8] if mark else "none"


def verdict_suffix(one: Occurrence) -> str:
    """The verdict in brackets, for the list of occurrences."""
    return f" ({verdict_words(one)})" if one.verdict else ""
