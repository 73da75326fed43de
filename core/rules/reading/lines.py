"""Bytes to lines: LF, CRLF and CR end a line and nothing else does, so that every byte stays where it was."""

import re

from core.model.document import Line

MAXIMUM_BYTES = 1024 * 1024
BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n|\n|\r")


def split_lines(text: str) -> list[Line]:
    lines: list[Line] = []
    start = 0
    for number, match in enumerate(_LINE_END.finditer(text), 1):
        lines.append(Line(number, start, match.end(), text[start : match.start()]))
        start = match.end()
    if start < len(text):
        lines.append(Line(len(lines) + 1, start, len(text), text[start:]))
    return lines


def line_end_of(text: str) -> str:
    """The line end that the file uses: its first one, or LF."""
    match = _LINE_END.search(text)
    return match.group() if match else "\n"
