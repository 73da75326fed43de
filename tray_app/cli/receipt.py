"""The receipt of one task in one beat: its verdict, then what it was based on: said, done,
measured. Pure."""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import click

from core.model.evidence import Evidence, FileChange, Said
from core.model.item import identifier_of_key
from core.model.occurrence import Occurrence
from core.rules.budgeting import share_of
from core.rules.checking.values import shown_value
from core.rules.printable import for_terminal
from core.rules.reporting.endings import BETWEEN, ending_of, words_of
from tray_app.cli.check import cut
from tray_app.cli.colours import OF_TONE
from tray_app.cli.tables import LEAST_ROOM, columns_of, folded
from tray_app.cli.words import instant_or_never, usage_words

if TYPE_CHECKING:
    from core.model.agent import ModelUse

Row = tuple[str, str]  # what it is, and its words

MOST_LINES = 12  # of a command's output
MOST_FOLDED = 16  # lines of one row
MOST_OF_WORDS = 600  # characters
NAMES = 12  # columns before the words
SAID_WORDS = {
    Said.DONE: "done",
    Said.FAILED: "it failed",
    Said.SKIPPED: "skipped",
    Said.NOTHING: "nothing",
    Said.CUT_OFF: "it was cut off",
}


def receipt(
    one: Occurrence,
    evidence: Evidence | None,
    now: datetime,
    use: "ModelUse | None" = None,
    columns: int = 100,
) -> list[str]:
    """Return the receipt as lines of so many columns. `use` is what the beat's batch used."""
    name = cut(identifier_of_key(one.item), 60)
    when = instant_or_never(one.started or one.recorded, now)
    took = f", {one.duration.total_seconds():.1f} s" if one.duration else ""
    end = ending_of(one)
    rows: list[Row] = []

    if evidence is None:
        rows.append(("verdict" if one.verdict else "outcome", end.with_points))
        rows.append(("", cut(_without_evidence(one), MOST_OF_WORDS)))
    else:
        rows.append(("verdict", f"{end.with_points}: {cut(evidence.reason, 120)}"))
        if evidence.claim.said is Said.CUT_OFF and one.error:
            rows.append(("", one.error))
        if one.self_reported:
            rows.append(("", "self-reported: measured from what the model wrote itself"))

        rows += _body(evidence)

    if use and one.item in use.items:
        rows.append(("model", f"{cut(use.provider, 20)} {cut(use.model, 40)}"))
        share = f"its share of {len(use.items)}: " if len(use.items) > 1 else ""
        rows.append(("", f"{share}{usage_words(share_of(use))}"))

    first, *rest = [line for row in rows for line in _lines(row, columns)]
    coloured = click.style(end.with_points, fg=OF_TONE[end.tone])
    first = first.replace(end.with_points, coloured, 1)

    return [f"{name} · beat {one.beat} · {when}{took}", first, *rest]


def _without_evidence(one: Occurrence) -> str:
    words = words_of(one, has_run=one.started is not None and one.outcome is not None)
    return BETWEEN.join(words)


def _body(evidence: Evidence) -> Iterator[Row]:
    claim = evidence.claim
    result = f": {cut(claim.result, 160)}" if claim.result else ""
    yield "said", SAID_WORDS[claim.said] + result

    for name, value in claim.facts.items():
        yield "", f"{cut(name, 40)} = {shown_value(value)}"

    for act in evidence.acts:
        yield "did", cut(act.what, 160)
        shown = act.output.splitlines()
        if len(shown) > MOST_LINES:
            yield "", f"  … {len(shown) - MOST_LINES} lines before"

        for line in shown[-MOST_LINES:]:
            yield "", f"  {cut(line, 160)}"

    for file in evidence.files:
        marks = f"{_short(file.before)} → {_short(file.after)}"
        yield "files", f"{_how(file)} {cut(file.path, 80)} ({marks})"

    yield "measured", for_terminal(evidence.measurement.words)
    if evidence.judgement:
        yield "judged", cut(f"{evidence.judgement.reason} “{evidence.judgement.quote}”", 200)


def _lines(row: Row, columns: int) -> Iterator[str]:
    """A row as lines; what goes on is indented as deep as it began."""
    name, words = row
    room = max(columns - NAMES, LEAST_ROOM)
    if columns_of(words) <= room:
        yield f"  {name:<9} {words}"
        return

    deeper = words[: len(words) - len(words.lstrip())]
    for line in folded(words, room - len(deeper), MOST_FOLDED):
        yield f"  {name:<9} {deeper}{line}"
        name = ""


def _how(file: FileChange) -> str:
    """What happened to a file."""
    if file.before is None:
        return "made"

    return "removed" if file.after is None else "changed"


def _short(mark: str | None) -> str:
    return mark[:8] if mark else "none"
