"""The two sections of the memory file that the model keeps. Law: one line comes or goes; every other byte stays."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from core.model.diagnostic import Problem
from core.model.document import Line
from core.rules.reading.blocks import Block, BlockKind, scan_blocks
from core.rules.reading.lines import line_end_of, split_lines
from core.rules.writing.harmless import one_line

PATTERNS, PENDING = "Observed Patterns", "Pending"
SECTIONS = (PATTERNS, PENDING)
MOST_LINES = 40  # in a section: all of them go into every batch
LONGEST = 300


class _Entry(NamedTuple):
    text: str
    first: int  # character positions in the file
    end: int


class _Section(NamedTuple):
    entries: list[_Entry]
    end: int  # the position after its last line that is not blank


def lines_of(text: str, section: str) -> tuple[str, ...]:
    """The list items of a section, in their order; none where there is no such section."""
    found = _section(text, section)
    return tuple(entry.text for entry in found.entries) if found else ()


def remembered(data: bytes, section: str, line: str) -> bytes | Problem:
    """The file with one line more in a section, which is made at the file's end where there is none."""
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
        return Problem(f"{section} is full with {MOST_LINES} lines.", "Only the person can take lines out of it.")
    found, end = _section(text, section), line_end_of(text)
    place = found.end if found else len(text)
    head, tail = text[:place], text[place:]
    head += "" if not head or head[-1] in "\r\n" else end
    heading = "" if found else f"{end if head.strip() else ''}## {section}{end}"
    after = f"{head}{heading}- {words}{end}{tail}"
    if lines_of(after, section) != (*before, words):
        return Problem("The memory file is written so that no line can be added.", "Is a code block or comment open?")
    return after.encode()


def resolved(data: bytes, line: str) -> bytes | Problem:
    """The file without the one pending line that this is, or is a part of."""
    text = _text(data)
    if isinstance(text, Problem):
        return text
    found = _section(text, PENDING)
    entries = found.entries if found else []
    wanted = " ".join(line.split()).casefold()
    exact = [entry for entry in entries if entry.text == line.strip()]
    same = exact or [entry for entry in entries if " ".join(entry.text.split()).casefold() == wanted]
    near = same or [entry for entry in entries if wanted and wanted in " ".join(entry.text.split()).casefold()]
    if len(near) != 1:
        what = "Several pending lines fit." if near else "No pending line fits."
        return Problem(what, "Give the line as it stands there.")
    return (text[: near[0].first] + text[near[0].end :]).encode()


def _text(data: bytes) -> str | Problem:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return Problem("The memory file is not UTF-8 text.", "The person has to mend it.")


def _section(text: str, name: str) -> _Section | None:
    """The first section of this name."""
    lines = split_lines(text)
    blocks = scan_blocks(lines).blocks
    heads = [index for index, block in enumerate(blocks) if block.level in (1, 2)]
    for start, end in pairwise([*heads, len(lines)]):
        if blocks[start].level == 2 and blocks[start].title.casefold() == name.casefold():
            last = max(index for index in range(start, end) if blocks[index].kind is not BlockKind.BLANK)
            return _Section(list(_entries(lines, blocks, range(start + 1, end))), lines[last].end)
    return None


def _entries(lines: list[Line], blocks: list[Block], span: range) -> Iterator[_Entry]:
    """Each list item with the lines that continue it."""
    starts = [index for index in span if _starts_item(lines[index].text, blocks[index])]
    for index in starts:
        following = index + 1
        while following in span and following not in starts and lines[following].text[:1] in (" ", "\t"):
            following += 1
        yield _Entry(lines[index].text.lstrip()[1:].strip(), lines[index].start, lines[following - 1].end)


def _starts_item(text: str, block: Block) -> bool:
    bare = text.lstrip()
    return block.kind is BlockKind.TEXT and block.in_item and bare[:1] in ("-", "*", "+") and bare[1:2] in (" ", "\t")
