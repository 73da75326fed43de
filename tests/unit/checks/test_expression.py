"""When a hint without a prefix is an expression."""

from core.checks.expression import WORDS
from core.rules.checking.expressions import CONSTANTS, FUNCTIONS


def test_the_words_of_the_language_are_not_taken_for_probes() -> None:
    """They are written again in core/checks, so that reading a file does not load the language."""
    assert {"and", "or", "not", "in", *CONSTANTS, *FUNCTIONS} == WORDS
