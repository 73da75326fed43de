"""Patterns with stars and question marks."""

import pytest

from core.rules.checking.globs import matches
from tests.growth import LINEAR, growth


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
        ("ab", "ab*b", False),  # the end of the text is not used twice
        ("xayaz", "*a?*z", True),
        ("aab", "*?b", True),
        ("aba", "a?*?a", False),
    ],
)
def test_a_pattern_has_stars_and_question_marks(text: str, pattern: str, expected: bool) -> None:
    assert matches(text, pattern) is expected


@pytest.mark.parametrize(
    ("text", "pattern"),
    [("x", "?" * 9), ("x" * 9, "?" * 9), ("ab" * 9, "*a?" * 6), ("a" * 9, "*a" * 9)],
)
def test_the_time_grows_no_faster_than_the_text_and_the_pattern(text: str, pattern: str) -> None:
    def work(times: int) -> bool:
        return matches(text * times, pattern * times)

    assert growth(work, 2000) < LINEAR
