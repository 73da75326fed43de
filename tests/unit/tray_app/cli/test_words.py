"""Instants, durations, usage and money as the commands say them."""

from datetime import UTC, datetime, timedelta

import pytest

from core.model.agent import Usage
from tray_app.cli.words import distance, dollars, usage_json, usage_words

NOW = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-0.4, "now"), (0, "now"), (0.4, "now"), (-4, "4 s ago"), (1200, "in 20 min")],
)
def test_how_far_away_a_moment_is(seconds: float, words: str) -> None:
    assert distance(NOW + timedelta(seconds=seconds), NOW) == words


def test_usage_and_money_in_words() -> None:
    assert usage_words(Usage(2, 12_000, 300, 9_000, usd=0.0042)) == (
        "2 requests, 12,000 tokens in (9,000 from a cache), 300 out, 0.0042 USD"
    )
    assert [dollars(amount) for amount in (0.0, 0.0042, 0.25, 3.0)] == [
        "0.00 USD",
        "0.0042 USD",
        "0.25 USD",
        "3.00 USD",
    ]
    assert usage_json(None) == {"requests": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0}
    assert usage_json(Usage(1, 2, 3)) == {
        "requests": 1,
        "input_tokens": 2,
        "output_tokens": 3,
        "usd": None,
    }
