"""Whether the model's last message is sent to the person, or only kept in the history. Pure.

Law: the prompt and the beat ask the same function, so that the model is told what really happens.
"""

from collections.abc import Collection, Iterator

from core.model.item import ItemKind
from core.rules.reading.blocks import BlockKind, scan_blocks, split_lines

KEEP = "keep"
NOTIFY = "notify"

QUIET_ANSWERS = ("HEARTBEAT_OK", "SKIP")
ASKS = frozenset(
    ("alert", "alerts", "inform", "notification", "notifications", "notify", "ping", "tell", "warn")
)
PHRASES = ("let me know", "let us know", "remind me", "message me", "send me", "show me")
NOT = frozenset(("not", "don't", "dont", "never", "no", "without"))
NEAR = 3  # words before an asking one in which a NOT belongs to it
AFTER_ALL = frozenset(("unless", "except", "until", "but", "only"))


def is_delivered(kinds: Collection[ItemKind], plain: str, deliver: str) -> bool:
    """Whether the last message of a batch of these kinds of items goes to the person; `plain` is
    the text of the plain file, `deliver` the setting."""
    if ItemKind.TASK in kinds or ItemKind.PROMPT in kinds:
        return True
    if ItemKind.PLAIN not in kinds:
        return False  # a review alone: its answer has rules of its own

    return deliver == NOTIFY or (deliver != KEEP and expects_answer(plain))


def expects_answer(text: str) -> bool:
    """Whether a plain file wants its answer delivered: it names a quiet answer, which makes sense
    only if the others are not, or it asks to be alerted, told or notified."""
    lines = split_lines(text)
    blocks = scan_blocks(lines).blocks
    return any(
        _asks(line.text)
        for line, block in zip(lines, blocks, strict=True)
        if block.kind is not BlockKind.COMMENT
    )


def _asks(line: str) -> bool:
    words = [*_words(line)]
    if any(word in QUIET_ANSWERS for word in words):
        return True

    small = [word.lower() for word in words]
    joined = f" {' '.join(small)} "
    places = [index for index, word in enumerate(small) if word in ASKS]
    places += [
        joined[: joined.index(f" {phrase} ")].count(" ")
        for phrase in PHRASES
        if f" {phrase} " in joined
    ]

    # "Do not notify me unless it rains" asks for it too.
    last = max((index for index, word in enumerate(small) if word in AFTER_ALL), default=-1)
    return any(
        NOT.isdisjoint(small[max(0, place - NEAR) : place]) or place <= last for place in places
    )


def _words(line: str) -> Iterator[str]:
    """The words of a line: letters, with `_` and apostrophes inside."""
    word = ""
    for character in f"{line.replace('’', chr(39))} ":
        if character.isalpha() or character in "_'":
            word += character
        elif word:
            yield word.strip("_'") or word
            word = ""
