"""The two sections of the memory file that the model keeps.

A change adds or removes one list item; every other byte stays as it was.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from core.model.diagnostic import Problem
from core.model.document import Line
from core.rules.printable import one_line
from core.rules.reading.blocks import Block, BlockKind, line_end_of, scan_blocks, split_lines
from core.rules.reading.sections import PATTERNS, PENDING

SECTIONS = (PATTERNS, PENDING)
MOST_LINES = 40  # in a section: all of them go into every batch
LONGEST = 300


class _Entry(NamedTuple):
    text: str
    start: int  # character positions in the file
    end: int


class _Section(NamedTuple):
    entries: list[_Entry]
    end: int  # the position after its last line that is not blank


def lines_of(text: str, section: str) -> tuple[str, ...]:
    """Return the list items of a section in their order; none if there is no such section."""
    found = _section(text, section)
    return tuple(entry.text for entry in found.entries) if found else ()


def remembered(data: bytes, section: str, line: str) -> bytes | Problem:
    """Return the file with one more line in a section; a new section goes to the file's end."""
    text = _text(data)
    if isinstance(text, Problem):
        return text

    words = one_line(line, LONGEST)
    if not words:
        return Problem("The line is empty.", "Say what to remember, in a few words.")

    before = lines_of(text, section)
    if words in before:
        return Problem(f"{section} has this line already.", "")

    if len(before) >= MOST_LINES:
        message = f"{section} is full with {MOST_LINES} lines."
        return Problem(message, "Only the person can take lines out of it.")

    after = _with_line(text, section, words)
    if lines_of(after, section) != (*before, words):
        message = "The memory file is written so that no line can be added."
        return Problem(message, "Is a code block or comment open?")

    return after.encode()


def _with_line(text: str, section: str, words: str) -> str:
    found = _section(text, section)
    end = line_end_of(text)
    place = found.end if found else len(text)

    head = text[:place]
    if head and head[-1] not in "\r\n":
        head += end

    heading = ""
    if not found:
        gap = end if head.strip() else ""
        heading = f"{gap}## {section}{end}"

    return f"{head}{heading}- {words}{end}{text[place:]}"


def resolved(data: bytes, line: str) -> bytes | Problem:
    """Return the file without the one pending line that this is, or is a part of."""
    text = _text(data)
    if isinstance(text, Problem):
        return text

    found = _section(text, PENDING)
    entries = found.entries if found else []
    wanted = _plain(line)
    near = (
        [entry for entry in entries if entry.text == line.strip()]
        or [entry for entry in entries if _plain(entry.text) == wanted]
        or [entry for entry in entries if wanted and wanted in _plain(entry.text)]
    )

    if len(near) != 1:
        what = "Several pending lines fit." if near else "No pending line fits."
        return Problem(what, "Give the line as it is written there.")

    entry = near[0]
    return (text[: entry.start] + text[entry.end :]).encode()


def _plain(line: str) -> str:
    """Return the line as it is compared: without its letter case and extra spaces."""
    return " ".join(line.split()).casefold()


def _text(data: bytes) -> str | Problem:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return Problem("The memory file is not UTF-8 text.", "The person has to fix it.")


def _section(text: str, name: str) -> _Section | None:
    """Return the first section of this name."""
    lines = split_lines(text)
    blocks = scan_blocks(lines).blocks
    headings = [index for index, block in enumerate(blocks) if block.level in (1, 2)]

    for start, end in pairwise([*headings, len(lines)]):
        heading = blocks[start]
        if heading.level != 2 or heading.title.casefold() != name.casefold():
            continue

        last = end - 1
        while blocks[last].kind is BlockKind.BLANK:  # it ends at the heading at the latest
            last -= 1

        entries = list(_entries(lines, blocks, range(start + 1, end)))
        return _Section(entries, lines[last].end)

    return None


def _entries(lines: list[Line], blocks: list[Block], span: range) -> Iterator[_Entry]:
    """Yield each list item with the lines that continue it."""
    starts = {index for index in span if _starts_item(lines[index].text, blocks[index])}
    for index in sorted(starts):
        following = index + 1
        while (
            following in span
            and following not in starts
            and lines[following].text[:1] in (" ", "\t")
        ):
            following += 1

        words = lines[index].text.lstrip()[1:].strip()
        yield _Entry(words, lines[index].start, lines[following - 1].end)


def _starts_item(text: str, block: Block) -> bool:
    bare = text.lstrip()
    return (
        block.kind is BlockKind.TEXT
        and block.in_item
        and bare[:1] in ("-", "*", "+")
        and bare[1:2] in (" ", "\t")
    )
