"""Bytes to lines: LF, CRLF and CR end a line and nothing else does, so that every byte stays where it was."""

import re
from io import StringIO
from itertools import accumulate, count

from core.model.document import Line

MAXIMUM_BYTES = 1024 * 1024
BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n|\n|\r")


def split_lines(text: str) -> list[Line]:
    whole = list(StringIO(text, newline=""))  # the one line splitter that knows these three ends and no others
    ends = list(accumulate(map(len, whole)))
    return list(map(Line, count(1), [0, *ends], ends, [line.rstrip("\r\n") for line in whole]))


def line_number_at(text: str, position: int) -> int:
    return len(_LINE_END.findall(text, 0, position)) + 1


def line_end_of(text: str) -> str:
    """The line end that the file uses: its first one, or LF."""
    match = _LINE_END.search(text)
    return match.group() if match else "\n"
