"""The frontmatter, the block between two `---` lines at the top of a file: where it is, what it
says and where each value is written.

Law: the only rule for it. The reader of HEARTBEAT.md asks it, and so does python-frontmatter by
the handler in `strict_handler.py`; a property test compares the two.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

from core.model.document import FrontmatterValue, Line
from core.rules.printable import shown
from core.rules.reading.findings import Findings
from core.rules.reading.strict_yaml import MAXIMUM_VALUES, YamlProblem, read_simple, read_yaml

FENCE = re.compile(r"---[\x20\t]*")  # a whole line of it

FIXES = {
    "HB102": "Write each setting on a line of its own: `key: value`.",
    "HB103": "Keep one of the two lines.",
    "HB104": "Write the value itself where it is needed.",
    "HB105": "Keep the frontmatter small; longer text belongs below it.",
}


class FrontBlock:
    """The block of one file; it may have none."""

    def __init__(self, lines: Sequence[Line], text: str, findings: Findings) -> None:
        self.lines = lines
        self.text = text
        self.findings = findings
        self.last_line = _closing_fence(lines)  # its number; 0 if the file has no block
        self.writable = False  # see Frontmatter; known when the block has been loaded

    def split(self) -> tuple[str, str]:
        """Return the lines between the fences, and all below them, to the last character."""
        if not self.last_line:
            return "", self.text

        closing = self.lines[self.last_line - 1]
        return self.text[self.lines[0].end : closing.start], self.text[closing.end :]

    def needs_yaml(self) -> bool:
        """Say whether it has more than simple lines, which are read without the YAML library."""
        inner, _ = self.split()
        return read_simple(inner) is None

    def load(self) -> dict[str, FrontmatterValue]:
        """Return each value with its place in the file.

        A part that cannot be read is reported, and the other parts still count.
        """
        if not self.last_line:
            self._report_unclosed()
            return {}

        inner = self.lines[1 : self.last_line - 1]
        try:
            values = _read_values(inner, self.text)
        except YamlProblem as problem:
            return _salvage(inner, self.text, problem, self.findings)

        is_empty = not any(line.text.strip() for line in inner)  # an empty `{}` is something
        self.writable = is_empty or any(entry.writable for entry in values.values())
        return values

    def _report_unclosed(self) -> None:
        """Report an opening fence alone, unless it is a rule above a text."""
        if len(self.lines) > 1 and _is_fence(self.lines[0]) and _looks_like_a_key(self.lines[1]):
            message = "The frontmatter is never closed."
            self.findings.add("HB101", 1, 1, message, "End it with a line `---`.")


# -- the fences ------------------------------------------------------------------------------------


def _is_fence(line: Line) -> bool:
    return FENCE.fullmatch(line.text) is not None


def _closing_fence(lines: Sequence[Line]) -> int:
    if not lines or not _is_fence(lines[0]):
        return 0

    return next((line.number for line in lines[1:] if _is_fence(line)), 0)


def _looks_like_a_key(line: Line) -> bool:
    key, colon, rest = line.text.partition(":")
    return (
        bool(colon)
        and key.replace("_", "").replace("-", "").isalnum()
        and (not rest or rest[0] in " \t")
    )


# -- what is between them --------------------------------------------------------------------------


def _read_values(lines: Sequence[Line], text: str) -> dict[str, FrontmatterValue]:
    if not lines:
        return {}

    start = lines[0].start
    values: dict[str, FrontmatterValue] = {}
    for key, entry in read_yaml(text[start : lines[-1].end]).items():
        line = _line_at(start + entry.position, lines)
        values[key] = FrontmatterValue(
            entry.value,
            line.number,
            start + entry.position - line.start + 1,
            start + entry.start,
            start + entry.end,
            entry.simple,
        )

    return values


def _line_at(position: int, lines: Sequence[Line]) -> Line:
    return lines[bisect_right(lines, position, key=lambda line: line.start) - 1]


def _salvage(
    lines: Sequence[Line], text: str, whole: YamlProblem, findings: Findings
) -> dict[str, FrontmatterValue]:
    """Return what can be read part by part where the whole cannot, and report the other parts."""
    parts = _split_parts(lines)
    if whole.code == "HB105" or len(parts) > MAXIMUM_VALUES:
        _report(whole, lines, findings)
        return {}

    count_before = len(findings.found)
    values: dict[str, FrontmatterValue] = {}
    for part in parts:
        try:
            part_values = _read_values(part, text)
        except YamlProblem as problem:
            _report(problem, part, findings)
            continue

        for key, value in part_values.items():
            if key in values:
                message = f"`{shown(key)}` appears twice in the frontmatter; the first one is used."
                findings.add("HB103", value.line, value.column, message, FIXES["HB103"])

            values.setdefault(key, value)

    if len(findings.found) == count_before:  # each part alone is right, only together they are not
        _report(whole, lines, findings)

    return values


def _split_parts(lines: Sequence[Line]) -> list[list[Line]]:
    """Return each key with the lines that are indented or listed below it."""
    parts: list[list[Line]] = []
    for line in lines:
        if not parts or line.text[:1] not in ("", " ", "-", "#"):
            parts.append([])

        parts[-1].append(line)

    return parts


def _report(problem: YamlProblem, lines: Sequence[Line], findings: Findings) -> None:
    message = f"The frontmatter cannot be read here: {shown(problem.message, 100)}."
    position = lines[0].start + problem.position
    line = _line_at(position, lines)

    # What is never closed is missed only after the last line.
    is_after = position >= line.end
    column = 1 if is_after else min(position - line.start, len(line.text)) + 1
    findings.add(problem.code, line.number, column, message, FIXES[problem.code])
