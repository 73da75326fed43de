"""The score in words, with today's own numbers."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from core.model.ledger import DayScore
from core.rules.scoring.days import score_of
from core.rules.scoring.promises import kept_words
from core.rules.scoring.words import explained

TODAY = date(2026, 11, 18)


@pytest.mark.parametrize(
    ("kept", "due", "words"),
    [(1, 4, "1 of 4 kept"), (0, 1, "0 of 1 kept"), (0, 0, "")],
)
def test_kept_promises_are_said_as_so_many_of_so_many(kept: int, due: int, words: str) -> None:
    assert kept_words(kept, due) == words


def test_the_first_day_is_explained_with_its_own_numbers() -> None:
    score = score_of([DayScore(TODAY, points=20, possible=20, verified=2)], TODAY)
    points, target, floor, streak, kept = explained(score)
    assert points.startswith("You have 20 points today.")
    assert target == "Your target today is 50: the least that a day asks for."
    assert floor == "You have no floor yet: tomorrow it is today's target, 50."
    assert streak.startswith("Your streak is 0 days")
    assert kept.startswith("Promises: ")


def test_later_days_name_the_mean_or_the_floor_and_the_level_where_it_acts() -> None:
    days = [DayScore(TODAY - timedelta(days=ago), points=70, verified=7) for ago in (2, 1)]
    score = score_of([*days, DayScore(TODAY, points=70, verified=7)], TODAY)
    sentences = list(explained(score, has_consequences=True))
    assert sentences[1].startswith("Your target today is 70: ")
    assert sentences[2].startswith("Your floor is 70")
    assert sentences[3].startswith("Your streak is 3 days")
    assert "Your level is outstanding" in sentences[-1]
    assert len(list(explained(replace(score, level=None), has_consequences=True))) == 5
