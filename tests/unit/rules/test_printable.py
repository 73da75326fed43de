"""Which characters survive: on the page of an approval only visible ones, everywhere else all that
are printable, so that an emoji stays whole."""

from collections.abc import Callable

import pytest

from core.rules.checking.values import shown_value
from core.rules.printable import (
    UNSEEN,
    for_terminal,
    is_visible,
    one_line,
    plain_lines,
    printable,
    quoted,
    shown,
    visible,
)
from core.rules.reporting import history

EVERYWHERE = [
    for_terminal,
    history.part_of_line,
    one_line,
    plain_lines,
    printable,
    quoted,
    shown,
    shown_value,
]
NOT_PRINTABLE = ["\u202e", "\u200b", "\x1b", "\x00", "\u2028"]
EMOJI = ["\u26a0\ufe0f disk", "1\ufe0f\u20e3 low", "I \u2764\ufe0f it", "\u845b\U000e0100"]


@pytest.mark.parametrize("character", NOT_PRINTABLE)
@pytest.mark.parametrize("function", [*EVERYWHERE, visible])
def test_no_function_lets_a_character_through_that_is_not_printable(
    function: Callable[[str], str], character: str
) -> None:
    result = function(f"a{character}b")
    assert character not in result
    assert is_visible(result.replace("\n", ""))
    assert result.strip('`"')[0] == "a"
    assert result.strip('`"')[-1] == "b"


@pytest.mark.parametrize("text", EMOJI)
@pytest.mark.parametrize("function", EVERYWHERE)
def test_an_emoji_stays_whole_in_what_is_written_and_read(
    function: Callable[[str], str], text: str
) -> None:
    assert function(text).strip('`"') == text


@pytest.mark.parametrize("character", sorted(UNSEEN))
def test_where_a_person_approves_every_invisible_character_is_shown(character: str) -> None:
    assert visible(f"a{character}b") == f"a<U+{ord(character):04X}>b"


def test_what_is_kept_stays() -> None:
    assert printable("a\tb\nc\x1b", "·", kept="\t\n") == "a\tb\nc·"


def test_what_is_shown_of_a_long_text_is_short() -> None:
    assert shown("x" * 100) == "x" * 60 + "…"
    assert quoted("x" * 60) == "`" + "x" * 60 + "`"


def test_a_piece_of_the_file_in_a_message_is_one_short_printable_line() -> None:
    assert shown("plain") == "plain"
    assert shown("a\x1b[31mb\u2028c\u202ed") == "a [31mb c d"
    assert shown("x" * 100) == "x" * 60 + "…"
    assert shown("\x00" * 100, 3) == "   …"
