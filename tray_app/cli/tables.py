"""Rows in columns, as wide as the terminal. Pure.

Law: what a person must read is never cut: the last column is wrapped, and where there is too
little room beside the others it stands below them.
"""

from collections.abc import Sequence
from unicodedata import combining, east_asian_width

import click

from core.rules.printable import for_terminal

GAP = "  "
LEAST_BESIDE = 28  # columns that words need to stand beside the others
INDENT = "    "
LEAST_ROOM = 20
LEAST = 8  # columns of the last cell


def columns_of(text: str) -> int:
    """How many columns of a terminal the text takes. Colours take none."""
    plain = click.unstyle(text)
    return len(plain) if plain.isascii() else sum(map(_columns, plain))


def _columns(character: str) -> int:
    if combining(character) or character in ("\ufe0f", "\u200d"):
        return 0

    return 2 if east_asian_width(character) in ("W", "F") else 1


def filled(text: str, columns: int) -> str:
    """The text with blanks up to this column."""
    return text + " " * (columns - columns_of(text))


def shortened(text: str, columns: int) -> str:
    """One printable line that takes at most so many columns."""
    plain = for_terminal(text[: columns + 1])
    if columns_of(plain) <= columns:
        return plain

    kept = ""
    taken = 1  # the ellipsis
    for character in plain:
        taken += _columns(character)
        if taken > columns:
            break

        kept += character

    return kept + "…"


def folded(text: str, columns: int, most: int = 3) -> list[str]:
    """The text in at most so many lines of this width. A longer word is broken."""
    lines = [""]
    for word in for_terminal(text).split():
        for piece in _pieces(word, columns):
            joined = f"{lines[-1]} {piece}" if lines[-1] else piece
            if columns_of(joined) <= columns:
                lines[-1] = joined
            else:
                lines.append(piece)

    if len(lines) > most:
        rest = " ".join(lines[most - 1 :])
        lines[most - 1 :] = [shortened(rest, columns)]

    return lines


def _pieces(word: str, columns: int) -> list[str]:
    if columns_of(word) <= columns:
        return [word]

    pieces = [""]
    for character in word:
        if columns_of(pieces[-1] + character) > columns:
            pieces.append("")

        pieces[-1] += character

    return pieces


def table(rows: Sequence[tuple[Sequence[str], str]], columns: int, *, most: int = 3) -> list[str]:
    """The rows as lines: each has short cells, of which the last is shortened where it does not
    fit, and words, which are wrapped."""
    if not rows:
        return []

    by_column = zip(*(cells for cells, _ in rows), strict=True)
    widths = [max(map(columns_of, cells)) for cells in by_column]
    widths[-1] = min(widths[-1], max(columns - sum(widths[:-1]) - len(GAP) * len(widths), LEAST))
    before = sum(widths) + len(GAP) * len(widths)
    is_beside = columns - before >= LEAST_BESIDE
    room = columns - before if is_beside else max(columns - len(INDENT), LEAST_ROOM)
    lines: list[str] = []

    for cells, words in rows:
        *others, last = cells
        head = GAP.join(map(filled, (*others, shortened(last, widths[-1])), widths))
        text = folded(words, room, most)
        if is_beside:
            first, *rest = text
            lines += [f"{head}{GAP}{first}".rstrip(), *(" " * before + line for line in rest)]
        else:
            lines += [head.rstrip(), *(INDENT + line for line in text if line)]

    return lines
