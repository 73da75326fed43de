"""The `- **key**: value` lines of an action block, with the lists nested under them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.model.document import Line
from core.rules.reading.blocks import Block, BlockKind


@dataclass(slots=True)
class Entry:
    """One list item of a block: a key with its value, or (key empty) a bare text."""

    key: str
    value: str
    line: int
    column: int  # of the key or text, from 0
    start: int  # of the value, in the document's text
    end: int
    children: list["Entry"] = field(default_factory=list)


def read_entries(lines: Sequence[Line], blocks: Sequence[Block]) -> tuple[list[Entry], list[Line]]:
    """The items of a block as a tree, by their indentation; and the lines that are no item."""
    top: list[Entry] = []
    other: list[Line] = []
    open_items: list[tuple[int, list[Entry]]] = []  # the indentation of each open level, and where its items go
    before = BlockKind.BLANK
    for line, block in zip(lines, blocks, strict=True):
        bare = line.text.lstrip(" \t")
        if block.kind is not BlockKind.TEXT or bare[0] not in "-*+" or bare[1:2] not in (" ", "\t"):
            opens_fence = block.kind is BlockKind.FENCE and before is not BlockKind.FENCE
            if opens_fence or block.kind in (BlockKind.TEXT, BlockKind.HEADING):
                other.append(line)
            before = block.kind
            continue
        before = BlockKind.TEXT
        lead = line.text[: len(line.text) - len(bare)]
        indent = len(lead.expandtabs(4)) if lead else 0
        entry = _entry(line)
        while open_items and indent < open_items[-1][0]:
            open_items.pop()
        if not open_items or indent > open_items[-1][0]:
            siblings = top if not open_items else open_items[-1][1][-1].children
            open_items.append((indent, siblings))
        open_items[-1][1].append(entry)
    return top, other


def _entry(line: Line) -> Entry:
    body = line.text.rstrip(" \t")
    text = body.lstrip(" \t")[1:].lstrip(" \t")
    key, value = _split(text)
    end = line.start + len(body)
    return Entry(key, value, line.number, len(body) - len(text), end - len(value), end)


def _split(text: str) -> tuple[str, str]:
    """`**key**: value`, `**key:** value` or `key: value`; no key: a bare text."""
    if text.startswith("**"):
        key, stars, rest = text[2:].partition("**")
        if stars and key.endswith(":"):
            key, rest = key[:-1], ":" + rest
        if not stars or not rest.startswith(":"):
            return "", text
        rest = rest[1:]
    else:
        key, colon, rest = text.partition(":")
        if not colon or (rest and rest[0] not in " \t"):
            return "", text
    key = key.strip()
    if not key.isidentifier():  # nearly all are; the others may have a dash and, in bold, spaces
        letters = key.replace("_", "").replace("-", "")
        if not (letters.replace(" ", "") if text.startswith("**") else letters).isalnum():
            return "", text
    return key, rest.strip(" \t")
