"""Patterns with stars and question marks."""

import pytest

from core.rules.checking.globs import matches


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("", "", True),
        ("", "*", True),
        ("a", "", False),
        ("abc", "abc", True),
        ("abc", "a?c", True),
        ("abc", "a*", True),
        ("abc", "*c", True),
        ("abc", "*b*", True),
        ("abc", "a*d", False),
        ("abc", "ab", False),
        ("a*c", "a*c", True),
        ("aaab", "*a*b", True),
        ("grün", "gr?n", True),
        ("[a]", "[a]", True),
    ],
)
def test_a_pattern_has_stars_and_question_marks(text: str, pattern: str, expected: bool) -> None:
    assert matches(text, pattern) is expected
