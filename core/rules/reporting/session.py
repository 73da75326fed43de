"""What a model is told of earlier beats: the last ending of each item, newest first, bounded. Pure."""

from collections.abc import Collection, Sequence
from datetime import tzinfo

from core.model.item import identifier_of_key
from core.model.occurrence import Occurrence
from core.rules.writing.harmless import one_line

CHARACTERS_A_TOKEN = 4
LONGEST_WORDS = 120


def session_summary(newest_first: Sequence[Occurrence], items: Collection[str], most_tokens: int, zone: tzinfo) -> str:
    """One line an item, of those that a model does; as many whole lines as fit, however many beats there were."""
    room = most_tokens * CHARACTERS_A_TOKEN
    lines: list[str] = []
    seen: set[str] = set()
    for one in newest_first:
        if one.item in seen or one.item not in items or one.started is None or one.outcome is None:
            continue
        seen.add(one.item)
        line = _line(one, zone)
        if len(line) + 1 > room:
            break
        room -= len(line) + 1
        lines.append(line)
    return "\n".join(lines)


def _line(one: Occurrence, zone: tzinfo) -> str:
    ending = str(one.verdict or one.outcome).replace("_", " ")
    words = one_line(one.error or one.result, LONGEST_WORDS)
    moment = (one.started or one.slot).astimezone(zone)
    return f"- {moment:%a %H:%M} {identifier_of_key(one.item)}: {ending}" + (f", {words}" if words else "")
