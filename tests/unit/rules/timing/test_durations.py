"""Durations: strict to read, with the fix said."""

from datetime import timedelta

import pytest

from core.model.diagnostic import Problem
from core.rules.timing.durations import duration_text, duration_words, read_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("5m", 300),
        ("2h", 7200),
        ("1d", 86_400),
        ("1h30m", 5400),
        ("1d2h3m4s", 93_784),
        (" 5M ", 300),
        ("0s", 0),
    ],
)
def test_a_sum_of_numbers_with_units_is_a_duration(text: str, seconds: int) -> None:
    assert read_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("5 m", "`5m`"),
        ("5min", "`5m`"),
        ("2 hours", "`2h`"),
        ("1 h 30 min", "`1h30m`"),
        ("1.5h", "`1h30m`"),
        ("2 weeks", "`14d`"),
        ("90", "`90s`, `90m`, `90h` or `90d`"),
        ("", "`1h30m`"),
        ("soon", "`1h30m`"),
        ("-5m", "`1h30m`"),
        ("٣m", "`1h30m`"),
        ("1.0001s", "`1h30m`"),
        ("99999999d", "`36500d`"),
        ("9" * 5000 + "s", "`1h30m`"),
    ],
)
def test_anything_else_is_a_problem_that_says_what_to_write(text: str, fix: str) -> None:
    problem = read_duration(text)
    assert isinstance(problem, Problem)
    assert fix in problem.hint
    assert len(problem.message) < 120


@pytest.mark.parametrize(
    ("seconds", "text", "words"),
    [
        (0, "0s", "0 s"),
        (45, "45s", "45 s"),
        (5400, "1h30m", "1 h 30 min"),
        (22_320, "6h12m", "6 h 12 min"),
        (90_061, "1d1h1m1s", "1 d 1 h"),
        (86_400 * 40, "40d", "40 d"),
    ],
)
def test_a_duration_has_one_text_and_words_for_people(seconds: int, text: str, words: str) -> None:
    assert duration_text(timedelta(seconds=seconds)) == text
    assert duration_words(timedelta(seconds=seconds)) == words
