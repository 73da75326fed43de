"""Characters that hide or reorder text, in what executes: commands, addresses, paths.

What a person reads there must be what runs. Words for people may have them: joiners and variation
selectors belong to emoji and to several scripts.
"""

from typing import NamedTuple

from core.rules.printable import UNSEEN, is_visible
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
_SOMETIMES = frozenset(_JOINERS + _SELECTORS)  # what may belong where it is
_KEYCAPS = "0123456789#*"
_KEYCAP = "\u20e3"  # the frame around one of them
_SYMBOLS = ("So", "Sk", "Sm")
_LETTERS = ("Lo", "Mn", "Mc")  # of scripts without capitals; Latin letters are not among them


class Hidden(NamedTuple):
    """The characters of a text that hide or reorder; in a line of a megabyte all may do so."""

    first: str
    place: int  # of the first one in the text, from 0
    number: int
    characters: frozenset[str]


def report_hidden(text: str, line: int, column: int, findings: Findings) -> None:
    """Report the hidden characters of something that executes. The text starts at `column`."""
    hidden = hidden_characters(text)
    if not hidden:
        return

    words = _words(hidden) if findings.lists(CODE) else ""
    findings.add(CODE, line, column + hidden.place, words, FIX)


def _words(hidden: Hidden) -> str:
    more = f", and {hidden.number - 1} more" if hidden.number > 1 else ""
    return f"This runs, and a character in it cannot be seen: {named(hidden.first)}{more}."


def hidden_characters(text: str) -> Hidden | None:
    """Return the characters that hide or reorder, except where emoji and scripts need them."""
    if is_visible(text):
        return None  # nearly all

    # Python calls every blank but the space unprintable, too.
    suspects = {one for one in set(text) if not one.isprintable() or one in UNSEEN} - {"\t"}
    places = {one: text.index(one) for one in suspects - _SOMETIMES}
    count = sum(map(text.count, places))
    for one in suspects & _SOMETIMES:
        place, number = _misplaced(text, one)
        if number:
            places[one] = place
            count += number

    if not places:
        return None

    place = min(places.values())
    return Hidden(text[place], place, count, frozenset(places))


def named(character: str) -> str:
    """Return its code point and its name: `U+200B ZERO WIDTH SPACE`."""
    from unicodedata import name  # imported here: most files have none of them

    words = _NAMES.get(character) or name(character, "")
    return f"U+{ord(character):04X} {words}".rstrip()


def _misplaced(text: str, character: str) -> tuple[int, int]:
    """Return the first place where the character does not belong, and in how many that is so."""
    padded = f" {text} "
    belongs: dict[str, bool] = {}  # by the character with its two neighbours
    first = -1
    count = 0
    place = text.find(character)

    while place >= 0:
        around = padded[place : place + 3]
        if around not in belongs:
            belongs[around] = _belongs(*around)
        if not belongs[around]:
            first = place if first < 0 else first
            count += 1

        place = text.find(character, place + 1)

    return first, count


def _belongs(before: str, character: str, after: str) -> bool:
    """Say whether the character is part of an emoji, or joins letters of a script that needs it."""
    from unicodedata import category

    before_kind = category(before)
    if character in _SELECTORS:
        return before_kind in _SYMBOLS or (before in _KEYCAPS and after == _KEYCAP)

    if before_kind in _SYMBOLS or before in _SELECTORS:
        return category(after) in _SYMBOLS

    return before_kind in _LETTERS and category(after) in _LETTERS
