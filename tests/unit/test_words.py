"""Moments and durations as the commands say them."""

from datetime import UTC, datetime, timedelta

import pytest

from tray_app.cli.words import distance

NOW = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"), [(-0.4, "now"), (0, "now"), (0.4, "now"), (-4, "4 s ago"), (1200, "in 20 min")]
)
def test_how_far_away_a_moment_is(seconds: float, words: str) -> None:
    assert distance(NOW + timedelta(seconds=seconds), NOW) == words
