"""Occurrences as the lines of a day's history file and as the JSON of `heartbeat history`.

In the file only the part between our two marks is ours; what a person wrote around them stays.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo

from core.model.item import ItemKind, identifier_of_key, item_key
from core.model.ledger import ItemPast
from core.model.occurrence import Occurrence, Outcome
from core.rules.printable import printable
from core.rules.reporting.endings import BETWEEN, ending_of, words_of

# Files of earlier beats have these words, so they never change.
BEGIN = (
    "<!-- heartbeat: from the ledger, written anew at every beat; your own notes outside of "
    "it stay -->"
)
END = "<!-- heartbeat: end -->"
MOST_LINES = 1000
LONGEST_TEXT = 200


def history_entry(occurrence: Occurrence, zone: tzinfo) -> dict[str, object]:
    """An entry of `heartbeat history --json`; scripts rely on its keys."""
    return {
        "beat": occurrence.beat,
        "id": identifier_of_key(occurrence.item),
        "kind": occurrence.kind,
        "slot": shown(occurrence.slot, zone),
        "started": shown(occurrence.started, zone),
        "finished": shown(occurrence.finished, zone),
        "outcome": occurrence.outcome,
        "reason": occurrence.reason,
        "verdict": occurrence.verdict,
        "contradiction": occurrence.contradiction,
        "check_fails": occurrence.check_fails,
        "self_reported": occurrence.self_reported,
        "ruling": occurrence.ruling or None,
        "points": occurrence.points,
        "result": occurrence.result or None,
        "error": occurrence.error or None,
        "undone": occurrence.is_undone,
    }


def last_prompt_run(items: Mapping[str, ItemPast]) -> datetime | None:
    """When prompts last went through a model; None: they never did."""
    prompts = [one for key, one in items.items() if key.startswith(item_key(ItemKind.PROMPT, ""))]
    runs = [one.last_finished for one in prompts if one.last_outcome is Outcome.COMPLETED]
    return max(filter(None, runs), default=None)


def shown(instant: datetime | None, zone: tzinfo) -> str | None:
    return instant.astimezone(zone).isoformat() if instant else None


def history_file(before: str, day: date, newest_first: Sequence[Occurrence], zone: tzinfo) -> str:
    """The day's file with our part brought up to date; `before` is its present text, empty if
    there is no file."""
    ended = [occurrence for occurrence in newest_first if occurrence.outcome is not None]
    lines = [history_line(occurrence, zone) for occurrence in reversed(ended[:MOST_LINES])]
    if len(ended) > MOST_LINES:
        lines.insert(0, f"- earlier ones: `heartbeat history --day {day}`")

    ours = "\n".join([BEGIN, *lines, END]) + "\n"
    if not before:
        return f"# {day}\n\n{ours}"

    begin = before.rfind(BEGIN)
    end = before.find(END, begin)
    if begin < 0 or end < 0:
        return before + ("" if before.endswith("\n") else "\n") + ours

    return before[:begin] + ours + before[end + len(END) :].removeprefix("\r").removeprefix("\n")


def history_line(occurrence: Occurrence, zone: tzinfo) -> str:
    instant = occurrence.started or occurrence.recorded or occurrence.slot
    name = part_of_line(identifier_of_key(occurrence.item))
    words = [
        f"- {instant.astimezone(zone):%H:%M:%S} {name}:",
        outcome_words(occurrence),
    ]
    said = words_of(occurrence, has_run=occurrence.started is not None)
    return BETWEEN.join([" ".join(words), *map(part_of_line, said)])


def outcome_words(occurrence: Occurrence) -> str:
    words = ending_of(occurrence).with_points
    return words if occurrence.duration is None else f"{words} in {seconds(occurrence.duration)}"


def seconds(duration: timedelta) -> str:
    return f"{duration.total_seconds():.1f} s"


def part_of_line(text: str) -> str:
    """Text from outside as part of one line: no line break of any script, no control character,
    no mark of ours."""
    words = " ".join(text.split())
    plain = printable(words, "�").replace("<", "&lt;")
    return plain if len(plain) <= LONGEST_TEXT else plain[: LONGEST_TEXT - 1] + "…"
