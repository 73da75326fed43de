"""Numbers of other programs: what cannot be true counts as nothing."""

import math

import pytest

from core.rules.counting import MOST, MOST_USD, count_of, usd_of


@pytest.mark.parametrize(
    ("said", "counted"),
    [(None, 0), (0, 0), (7, 7), (MOST, MOST), (MOST + 1, 0), (-1, 0), (10**400, 0)],
)
def test_counts(said: int | None, counted: int) -> None:
    assert count_of(said) == counted


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        (None, None),
        (0.0, 0.0),
        (0.25, 0.25),
        (MOST_USD, MOST_USD),
        (-1.0, None),
        (math.nan, None),
        (math.inf, None),
        (1e300, None),
    ],
)
def test_money(said: float | None, counted: float | None) -> None:
    assert usd_of(said) == counted
