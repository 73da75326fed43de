"""A file's text as lines, and what Markdown makes of each line.

Only LF, CRLF and CR end a line, so every character keeps its place. Each line is then a fence, a
comment, a heading, blank or text, and is inside a list item or not.

The scan is one pass with a bounded amount of work per line. It follows CommonMark (the tests
compare it with a full parser) except for three things that it leaves out on purpose: a quotation
is opaque, an underlined heading is text, and of raw HTML only comments hide what is in them.
"""

import re
from collections.abc import Iterable
from enum import Enum
from io import StringIO
from itertools import accumulate, count
from typing import NamedTuple

from core.model.document import Line

MAXIMUM_BYTES = 1024 * 1024
BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n|\n|\r")

# Lists that are nested deeper are text: a line of nothing but markers must not cost its length
# squared.
DEEPEST_LIST = 64

# A line that starts with one of these is plain text.
_WORDS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ|[")

# What starts with one of these, after its list markers, may be more than text.
_MARKS = frozenset("#`~<>=-*_")


# -- lines -----------------------------------------------------------------------------------------


def split_lines(text: str) -> list[Line]:
    # StringIO splits at these three line ends only; str.splitlines knows more.
    whole = list(StringIO(text, newline=""))
    ends = list(accumulate(map(len, whole)))
    return list(map(Line, count(1), [0, *ends], ends, [line.rstrip("\r\n") for line in whole]))


def line_number_at(text: str, position: int) -> int:
    return len(_LINE_END.findall(text, 0, position)) + 1


def line_end_of(text: str) -> str:
    """Return the line end that the file uses: its first one, or LF."""
    match = _LINE_END.search(text)
    return match.group() if match else "\n"


# -- blocks ----------------------------------------------------------------------------------------


class BlockKind(Enum):
    BLANK = 1
    TEXT = 2
    HEADING = 3
    FENCE = 4
    COMMENT = 5


class Block(NamedTuple):
    kind: BlockKind
    level: int = 0  # of a heading outside every list item; 0 for anything else
    title: str = ""
    in_item: bool = False
    underline: bool = False  # the ==== or ---- under a line of text


# Almost every line is one of these: the first outside, the second inside a list item. They are
# shared because a file may have a million lines.
_BLANK = (Block(BlockKind.BLANK), Block(BlockKind.BLANK, in_item=True))
_TEXT = (Block(BlockKind.TEXT), Block(BlockKind.TEXT, in_item=True))
_FENCE = (Block(BlockKind.FENCE), Block(BlockKind.FENCE, in_item=True))
_COMMENT = (Block(BlockKind.COMMENT), Block(BlockKind.COMMENT, in_item=True))


class Scan(NamedTuple):
    blocks: list[Block]
    headings: list[int]  # indices of the headings, and of the ==== or ---- under a line of text
    open_fence: int  # index of the line that opens a fence which is never closed, or -1
    open_comment: int  # the same for a comment


def scan_blocks(lines: Iterable[Line]) -> Scan:
    scanner = _Scanner()
    blocks = [scanner.feed(line.text) for line in lines]

    return Scan(
        blocks,
        scanner.headings,
        open_fence=scanner.opened_at if scanner.fence else -1,
        open_comment=scanner.opened_at if scanner.comment else -1,
    )


class _Scanner:
    def __init__(self) -> None:
        self.items: list[int] = []  # the column at which the text of each open list item starts
        self.paragraph = False  # a following line of plain text would continue it
        self.empty_item = False  # the last line was a marker alone; a blank line now ends that item
        self.fence = ""  # the characters that opened the fence; empty if none is open
        self.comment = False
        self.headings: list[int] = []  # see Scan
        self.opened_at = -1  # index of the line that opened the last fence or comment
        self.index = -1  # of the current line

    def feed(self, text: str) -> Block:
        """Return what the next line is."""
        self.index += 1

        # First the shapes of most lines, which can be recognized by their start.
        if not (self.fence or self.comment):
            if not self.items and text[:1] in _WORDS:
                self.paragraph = True
                return _TEXT[False]

            if text[:2] == "- " and (
                text[2:3] in _WORDS or (text[2:4] == "**" and text[4:5] in _WORDS)
            ):
                self.items = [2]
                self.paragraph = True
                self.empty_item = False
                return _TEXT[True]

        rest = text.lstrip(" \t")
        if not rest:
            return self._blank()

        return self._line(text, rest)

    def _line(self, text: str, rest: str) -> Block:
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

            # The list item that held it has ended.
            self.fence = ""
            self.comment = False

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
        """Read a line of the open fence or comment, perhaps its last."""
        in_item = bool(self.items)
        if self.comment:
            self.comment = "-->" not in rest
            return _COMMENT[in_item]

        base = self.items[-1] if self.items else 0
        closing = rest.rstrip(" \t")
        if (
            indent - base < 4
            and len(closing) >= len(self.fence)
            and not closing.strip(self.fence[0])
        ):
            self.fence = ""

        return _FENCE[in_item]

    def _start(self, rest: str, indent: int, depth: int) -> Block:
        """Read a line that begins a block or continues a paragraph.

        What follows a list marker is read as such a line again.
        """
        while True:
            base = self.items[depth - 1] if depth else 0
            if indent - base >= 4:
                if not self.paragraph:  # it is an indented code block
                    self._close(depth)

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

            rest = after
            indent += marker + spaces
            depth = len(self.items)

    def _close(self, depth: int) -> None:
        del self.items[depth:]
        self.paragraph = False
        self.empty_item = False

    def _marker(self, rest: str, depth: int) -> int:
        """Return how many characters the list marker takes, or 0 if no list item starts."""
        if depth >= DEEPEST_LIST:
            return 0

        if rest[0] in "-+*":
            width = 1
        else:
            digits = len(rest) - len(rest.lstrip("0123456789"))
            if digits > 9 or rest[digits : digits + 1] not in (".", ")"):
                return 0

            width = digits + 1

        if rest[width : width + 1] not in ("", " ", "\t") or is_rule(rest):
            return 0

        # Not every list item may interrupt a paragraph.
        if self.paragraph and depth == len(self.items):
            if not rest[width:].strip(" \t"):
                return 0
            if width > 1 and int(rest[: width - 1]) != 1:
                return 0

        return width

    def _leaf(self, rest: str, depth: int) -> Block:
        """Read what is not a list marker."""
        if rest[0] in _MARKS and (block := self._marked(rest, depth)):
            return block

        # A line of text continues an open paragraph, even one of a deeper list item.
        if not self.paragraph:
            self._close(depth)

        self.paragraph = True
        self.empty_item = False
        return _TEXT[bool(self.items)]

    def _marked(self, rest: str, depth: int) -> Block | None:
        """Read a line by the mark that it starts with; None if it is text after all."""
        match rest[0]:
            case "#":
                return self._heading(rest, depth)
            case "`" | "~":
                return self._opening_fence(rest, depth)
            case "<":
                return self._opening_comment(rest, depth)
            case ">":
                return self._quotation(rest, depth)
            case "=":
                return self._underline(rest, depth)
            case "-":
                return self._underline(rest, depth) or self._rule(rest, depth)
            case "*" | "_":
                return self._rule(rest, depth)
            case _:
                return None

    def _heading(self, rest: str, depth: int) -> Block | None:
        level = len(rest) - len(rest.lstrip("#"))
        if level > 6 or (len(rest) > level and rest[level] not in " \t"):
            return None

        self._close(depth)
        self.headings.append(self.index)
        title = _title(rest[level:])
        return Block(BlockKind.HEADING, 0 if depth else level, title, in_item=bool(depth))

    def _opening_fence(self, rest: str, depth: int) -> Block | None:
        mark = rest[0]
        length = len(rest) - len(rest.lstrip(mark))
        if length < 3 or (mark == "`" and "`" in rest[length:]):
            return None

        self._close(depth)
        self.fence = mark * length
        self.opened_at = self.index
        return _FENCE[bool(depth)]

    def _opening_comment(self, rest: str, depth: int) -> Block | None:
        if not rest.startswith("<!--"):
            return None

        self._close(depth)
        self.comment = "-->" not in rest
        self.opened_at = self.index
        return _COMMENT[bool(depth)]

    def _quotation(self, rest: str, depth: int) -> Block:
        self._close(depth)
        self.paragraph = bool(rest[1:].strip(" \t"))
        return _TEXT[bool(depth)]

    def _underline(self, rest: str, depth: int) -> Block | None:
        """Read the ==== or ---- under a line of text."""
        if not self.paragraph or depth != len(self.items):
            return None
        if rest.rstrip(" \t").strip(rest[0]):
            return None

        self._close(depth)
        self.headings.append(self.index)
        return Block(BlockKind.TEXT, in_item=bool(depth), underline=True)

    def _rule(self, rest: str, depth: int) -> Block | None:
        if not is_rule(rest):
            return None

        self._close(depth)
        return _TEXT[bool(depth)]


def is_rule(rest: str) -> bool:
    """Say whether it is three or more of one of - * _, with nothing but spaces between."""
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
