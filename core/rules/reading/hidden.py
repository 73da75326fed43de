"""Characters that hide or reorder text, in what executes: commands, addresses, paths.

What a person reads there must be what runs. Words for people may have them: joiners and variation
selectors belong to emoji and to several scripts.
"""

from typing import NamedTuple

from core.rules.printable import UNSEEN
from core.rules.reading.findings import Findings

CODE = "HB009"
FIX = "Delete it, or write the space or the letter that you mean."
# `unicodedata` has no name for a control character.
_NAMES = {
    "\x0b": "LINE TABULATION",
    "\x0c": "FORM FEED",
    "\x1b": "ESCAPE",
    "\x7f": "DELETE",
    "\x85": "NEXT LINE",
}
_JOINERS = "\u200c\u200d"  # zero width non-joiner, zero width joiner
_SELECTORS = "\ufe0e\ufe0f"  # text and emoji presentation
_KEYCAPS = tuple("0123456789#*")
_KEYCAP = "\u20e3"  # the frame around one of them
_SYMBOLS = ("So", "Sk", "Sm")
_LETTERS = ("Lo", "Mn", "Mc")  # of scripts without capitals; Latin letters are not among them


class Hidden(NamedTuple):
    character: str
    place: int  # in the text, from 0


def report_hidden(text: str, line: int, column: int, findings: Findings) -> None:
    """Report the hidden characters of something that executes. The text starts at `column`."""
    hidden = hidden_characters(text)
    if not hidden:
        return

    first = hidden[0]
    more = f", and {len(hidden) - 1} more" if len(hidden) > 1 else ""
    message = f"This runs, and a character in it cannot be seen: {named(first.character)}{more}."
    findings.add(CODE, line, column + first.place, message, FIX)


def hidden_characters(text: str) -> list[Hidden]:
    """Return the characters that hide or reorder, except where emoji and scripts need them."""
    if text.isascii() and text.isprintable():
        return []  # nearly all

    return [
        Hidden(one, place)
        for place, one in enumerate(text)
        if _hides(one) and not _belongs(text, place)
    ]


def named(character: str) -> str:
    """Return its code point and its name: `U+200B ZERO WIDTH SPACE`."""
    from unicodedata import name  # imported here: most files have none of them

    words = _NAMES.get(character) or name(character, "")
    return f"U+{ord(character):04X} {words}".rstrip()


def _hides(character: str) -> bool:
    # Python calls every blank but the space unprintable, too.
    return character != "\t" and (not character.isprintable() or character in UNSEEN)


def _belongs(text: str, place: int) -> bool:
    """Say whether the character is part of an emoji, or joins letters of a script that needs it."""
    character = text[place]
    if character not in _JOINERS + _SELECTORS:
        return False

    from unicodedata import category

    before = text[place - 1 : place]
    after = text[place + 1 : place + 2]
    before_kind = category(before) if before else ""
    if character in _SELECTORS:
        return before_kind in _SYMBOLS or (before in _KEYCAPS and after == _KEYCAP)

    if before_kind in _SYMBOLS or before in tuple(_SELECTORS):
        return bool(after) and category(after) in _SYMBOLS

    return before_kind in _LETTERS and bool(after) and category(after) in _LETTERS
