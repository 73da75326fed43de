"""Words between beats and a model. Pure.

Into the prompt: how each item ended last, newest first, up to a limit. Out of the answer: the
model's last words as harmless text, where they say anything to the person.
"""

from collections.abc import Collection, Sequence
from datetime import tzinfo

from core.model.item import identifier_of_key
from core.model.occurrence import Occurrence
from core.rules.printable import one_line, plain_lines

CHARACTERS_PER_TOKEN = 4
LONGEST_WORDS = 120


def session_summary(
    newest_first: Sequence[Occurrence], items: Collection[str], most_tokens: int, zone: tzinfo
) -> str:
    """One line per item that a model does; as many whole lines as fit, however many beats there
    were."""
    room = most_tokens * CHARACTERS_PER_TOKEN
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
    local = (one.started or one.slot).astimezone(zone)
    line = f"- {local:%a %H:%M} {identifier_of_key(one.item)}: {ending}"

    return f"{line}, {words}" if words else line


NOTHING_TO_SAY = ("skip", "heartbeat_ok", "")
QUIET_WORDS = ("SKIP", "HEARTBEAT_OK", "heartbeat_ok")  # "Skip the meeting" is a message
QUIET_UP_TO = 300  # characters besides the quiet word
MARKUP = "`*_\"'.!"
MOST_CHARACTERS = 4000


def message_in(text: str) -> str:
    """The words for the person; empty if the model says that it has none: with a quiet word alone,
    or at the beginning or end of a short answer."""
    words = plain_lines(text).strip()
    bare = words.strip(MARKUP).strip()
    is_quiet = bare.casefold() in NOTHING_TO_SAY or any(
        len(bare) - len(word) <= QUIET_UP_TO and _begins_or_ends(bare, word) for word in QUIET_WORDS
    )

    return "" if is_quiet else words[:MOST_CHARACTERS]


def _begins_or_ends(text: str, word: str) -> bool:
    """Whether the text has this word, and not only its letters, at one of its ends."""
    begins = text.startswith(word) and not _is_of_a_word(text[len(word) : len(word) + 1])
    ends = text.endswith(word) and not _is_of_a_word(text[: -len(word)][-1:])
    return begins or ends


def _is_of_a_word(character: str) -> bool:
    return character.isalnum() or character == "_"
