"""What Markdown says of each line: fence, comment, heading, blank or text, and whether it is inside a list item.

One pass, a bounded amount of work a line. It follows CommonMark (the tests compare it with a full parser) but for three
things that it leaves out on purpose: a quotation is opaque, an underlined heading is text, and of raw HTML only
comments hide what is in them.
"""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from core.model.document import Line

DEEPEST_LIST = 64  # lists nested deeper are text: a line of nothing but markers must not cost its length squared


class BlockKind(Enum):
    BLANK = 1
    TEXT = 2
    HEADING = 3
    FENCE = 4
    COMMENT = 5


class Block(NamedTuple):
    kind: BlockKind
    level: int = 0  # of a heading outside every list item; 0: no such heading
    title: str = ""
    in_item: bool = False
    underline: bool = False  # the ==== or ---- under a line of text


# Almost every line is one of these: outside and inside a list item. A file may have a million of them.
_BLANK = (Block(BlockKind.BLANK), Block(BlockKind.BLANK, in_item=True))
_TEXT = (Block(BlockKind.TEXT), Block(BlockKind.TEXT, in_item=True))
_FENCE = (Block(BlockKind.FENCE), Block(BlockKind.FENCE, in_item=True))
_COMMENT = (Block(BlockKind.COMMENT), Block(BlockKind.COMMENT, in_item=True))


class Scan(NamedTuple):
    blocks: list[Block]
    open_fence: int  # the index of the line that opened a fence which nothing closes; -1: none
    open_comment: int


_WORDS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ|[")  # what starts with these is plain text


def scan_blocks(lines: Iterable[Line]) -> Scan:
    scanner = _Scanner()
    blocks = [scanner.feed(line.text) for line in lines]
    opened = scanner.opened_at
    fence = opened if scanner.fence else -1
    return Scan(blocks, fence, opened if scanner.comment else -1)


class _Scanner:
    def __init__(self) -> None:
        self.items: list[int] = []  # the column at which the text of each open list item starts
        self.paragraph = False  # a following line of plain text would continue it
        self.empty_item = False  # the last line was a marker alone; a blank line now ends that item
        self.fence = ""  # the characters that opened the fence; empty: none is open
        self.comment = False
        self.opened_at = -1
        self.count = -1

    def feed(self, text: str) -> Block:
        self.count += 1
        if not (self.fence or self.comment):  # first the shapes of most lines, which need no closer look
            if not self.items and text[:1] in _WORDS:
                self.paragraph = True
                return _TEXT[False]
            if text[:2] == "- " and (text[2:3] in _WORDS or (text[2:4] == "**" and text[4:5] in _WORDS)):
                self.items, self.paragraph, self.empty_item = [2], True, False
                return _TEXT[True]
        rest = text.lstrip(" \t")
        if not rest:
            return self._blank()
        indent = len(text) - len(rest)
        if indent and "\t" in text[:indent]:
            indent = len(text[:indent].expandtabs(4))
        depth = 0
        for column in self.items:
            if indent < column:
                break
            depth += 1
        if self.fence or self.comment:
            if depth == len(self.items):
                return self._inside(rest, indent)
            self.fence, self.comment = "", False  # the list item that held it has ended
        return self._start(rest, indent, depth)

    def _blank(self) -> Block:
        if self.fence or self.comment:
            return (_FENCE if self.fence else _COMMENT)[bool(self.items)]
        self.paragraph = False
        if self.empty_item:
            self.items.pop()
            self.empty_item = False
        return _BLANK[bool(self.items)]

    def _inside(self, rest: str, indent: int) -> Block:
        """A line of the open fence or comment, perhaps its last."""
        in_item = bool(self.items)
        if self.comment:
            self.comment = "-->" not in rest
            return _COMMENT[in_item]
        base = self.items[-1] if self.items else 0
        closing = rest.rstrip(" \t")
        if indent - base < 4 and len(closing) >= len(self.fence) and not closing.strip(self.fence[0]):
            self.fence = ""
        return _FENCE[in_item]

    def _start(self, rest: str, indent: int, depth: int) -> Block:
        """The line begins a block or continues a paragraph; a list marker makes the rest of the line begin one too."""
        while True:
            base = self.items[depth - 1] if depth else 0
            if indent - base >= 4:
                if not self.paragraph:
                    self._close(depth)  # an indented code block
                return _TEXT[bool(self.items)]
            marker = self._marker(rest, depth) if rest[0] in "-+*0123456789" else 0
            if not marker:
                return self._leaf(rest, depth)
            self._close(depth)
            after = rest[marker:].lstrip(" \t")
            spaces = len(rest) - marker - len(after)
            gap = rest[marker : marker + spaces]
            if "\t" in gap:
                spaces = len((" " * (indent + marker) + gap).expandtabs(4)) - indent - marker
            if not after or spaces > 4:
                self.items.append(indent + marker + 1)
            else:
                self.items.append(indent + marker + spaces)
            if not after:
                self.empty_item = True
                return _TEXT[True]
            rest, indent, depth = after, indent + marker + spaces, len(self.items)

    def _close(self, depth: int) -> None:
        del self.items[depth:]
        self.paragraph = False
        self.empty_item = False

    def _marker(self, rest: str, depth: int) -> int:
        """How many characters the list marker takes; 0: what looks like one does not start a list item."""
        if depth >= DEEPEST_LIST:
            return 0
        if rest[0] in "-+*":
            width = 1
        else:
            digits = len(rest) - len(rest.lstrip("0123456789"))
            if digits > 9 or rest[digits : digits + 1] not in (".", ")"):
                return 0
            width = digits + 1
        if rest[width : width + 1] not in ("", " ", "\t") or _is_rule(rest):
            return 0
        if self.paragraph and depth == len(self.items):  # what may interrupt a paragraph
            if not rest[width:].strip(" \t"):
                return 0
            if width > 1 and int(rest[: width - 1]) != 1:
                return 0
        return width

    def _leaf(self, rest: str, depth: int) -> Block:
        first = rest[0]
        if first not in "#`~<>=-*_":
            pass  # most lines: plain text
        elif first == "#":
            level = len(rest) - len(rest.lstrip("#"))
            if level <= 6 and (len(rest) == level or rest[level] in " \t"):
                self._close(depth)
                title = _title(rest[level:])
                return Block(BlockKind.HEADING, 0 if depth else level, title, in_item=bool(depth))
        elif first in "`~":
            length = len(rest) - len(rest.lstrip(first))
            if length >= 3 and not (first == "`" and "`" in rest[length:]):
                self._close(depth)
                self.fence, self.opened_at = first * length, self.count
                return _FENCE[bool(depth)]
        elif rest.startswith("<!--"):
            self._close(depth)
            self.comment, self.opened_at = "-->" not in rest, self.count
            return _COMMENT[bool(depth)]
        elif first == ">":
            self._close(depth)
            self.paragraph = bool(rest[1:].strip(" \t"))
            return _TEXT[bool(depth)]
        elif first in "=-" and self.paragraph and depth == len(self.items) and not rest.rstrip(" \t").strip(first):
            self._close(depth)
            return Block(BlockKind.TEXT, in_item=bool(depth), underline=True)
        elif first in "-*_" and _is_rule(rest):
            self._close(depth)
            return _TEXT[bool(depth)]
        if not self.paragraph:  # else it continues the paragraph, also a paragraph of a deeper list item
            self._close(depth)
        self.paragraph = True
        self.empty_item = False
        return _TEXT[bool(self.items)]


def _is_rule(rest: str) -> bool:
    """Three or more of one of - * _, with nothing but spaces between."""
    if rest[-1] not in "-*_ \t":
        return False
    marks = rest.replace(" ", "").replace("\t", "")
    return len(marks) >= 3 and marks[0] in "-*_" and not marks.strip(marks[0])


def _title(text: str) -> str:
    text = text.strip(" \t")
    closed = text.rstrip("#")
    if closed != text and (not closed or closed[-1] in " \t"):
        return closed.rstrip(" \t")
    return text
