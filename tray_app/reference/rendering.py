"""Markdown for a terminal: headings bold, prose and tables in its width, examples as they are
written. Pure.

Only what docs/format.md uses is known: headings, paragraphs, tables of two or three columns,
examples that are indented by four blanks, and quotes that say how an example is read.
"""

from collections.abc import Iterator
from textwrap import wrap

import click

from core.rules.printable import for_terminal

EXAMPLE = "    "
QUOTE = "> "


def rendered(markdown: str, width: int) -> list[str]:
    """The lines of the page; none is wider than `width` but those of examples."""
    lines: list[str] = []
    for block in blocks(markdown):
        lines += [*_rendered_block(block, max(width, 30)), ""]

    return lines[:-1]


def blocks(markdown: str) -> Iterator[list[str]]:
    """What blank lines separate. An example may have blank lines inside it."""
    block: list[str] = []
    lines = markdown.splitlines()
    for index, line in enumerate(lines):
        goes_on = block and block[0].startswith(EXAMPLE) and _next_text(lines, index)
        if line.strip() or (goes_on and _next_text(lines, index).startswith(EXAMPLE)):
            block.append(line)
        elif block:
            yield block
            block = []

    if block:
        yield block


def _next_text(lines: list[str], index: int) -> str:
    return next((line for line in lines[index:] if line.strip()), "")


def _rendered_block(block: list[str], width: int) -> list[str]:
    first = block[0]
    if first.startswith("#"):
        return [click.style(first.lstrip("# "), bold=True)]
    if first.startswith("|"):
        return _table(block, width)
    if first.startswith(EXAMPLE):
        return [for_terminal(line) for line in block]
    if first.startswith(QUOTE):
        return [part for line in block for part in _reading(line.removeprefix(QUOTE), width)]

    return wrap(" ".join(block), width, break_on_hyphens=False)


def _reading(text: str, width: int) -> list[str]:
    """How an example is read."""
    lead = "  → "
    lines = wrap(text, width - len(lead), break_on_hyphens=False, break_long_words=False)
    return [(lead if number == 0 else " " * len(lead)) + line for number, line in enumerate(lines)]


def _table(block: list[str], width: int) -> list[str]:
    """Each row as its first cell, with the meaning beside it, or below it if it is long."""
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in block]
    otherwise = head[2] if len(head) > 2 else ""
    cells = [(row[0].replace("`", ""), _meaning(row, otherwise)) for row in rows]
    first_width = min(max(len(name) for name, _ in cells), width // 3)

    lines: list[str] = []
    for name, meaning in cells:
        wrapped = wrap(meaning, width - first_width - 4, break_on_hyphens=False)
        names = wrap(name, first_width, break_on_hyphens=False)
        for number in range(max(len(names), len(wrapped))):
            left = names[number] if number < len(names) else ""
            right = wrapped[number] if number < len(wrapped) else ""
            styled = click.style(left, bold=True) + " " * (first_width - len(left))
            lines.append(f"  {styled}  {right}".rstrip())

    return lines


def _meaning(row: list[str], otherwise: str) -> str:
    extra = row[2].strip(" |") if len(row) > 2 else ""
    return f"{row[1]} ({otherwise}: {extra})" if extra else row[1].strip(" |")
