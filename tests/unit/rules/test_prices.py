"""What tokens cost: the table agrees with a public one, a person's own price wins, an unknown
model has none."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from genai_prices import Usage as PublicUsage
from genai_prices import calc_price

from core.model.agent import Usage
from core.model.errors import HeartbeatError
from core.model.settings import Price
from core.rules.prices import FREE, cost_of, price_of
from core.rules.providers import services
from core.rules.settings.reading import read_settings

PRICES = {one.name: one.prices for one in services()}
NAMES = [(provider, model) for provider, models in PRICES.items() for model in models]
MOMENT = datetime(2026, 11, 1, tzinfo=UTC)  # the month of the prices in the records


@pytest.mark.parametrize(("provider", "model"), NAMES)
def test_the_table_agrees_with_the_public_one(provider: str, model: str) -> None:
    read, written = 3_000, 2_000 if PRICES[provider][model].cache_write is not None else 0
    ours = cost_of(Usage(1, 9_000, 700, read, written), PRICES[provider][model])
    public = PublicUsage(
        input_tokens=9_000, output_tokens=700, cache_read_tokens=read, cache_write_tokens=written
    )
    theirs = calc_price(public, model, provider_id=provider, genai_request_timestamp=MOMENT)
    assert ours is not None
    assert Decimal(str(round(ours, 9))) == round(theirs.total_price, 9)


def test_a_name_with_a_date_is_the_same_model() -> None:
    for dated in ("claude-haiku-4-5-20251001", "claude-haiku-4-5-latest"):
        assert price_of("anthropic", dated, {}) == PRICES["anthropic"]["claude-haiku-4-5"]
    assert price_of("openai", "gpt-5-2025-08-07", {}) == PRICES["openai"]["gpt-5"]


def test_an_unknown_model_has_no_price_and_no_cost() -> None:
    assert price_of("openai", "gpt-5-unheard-of", {}) is None
    assert (
        price_of("openai-compatible", "gpt-5", {}) is None
    )  # somebody else's server, at somebody else's price
    assert cost_of(Usage(1, 10, 10), None) is None


def test_a_model_on_ones_own_machine_is_free() -> None:
    assert price_of("ollama", "qwen3", {}) == FREE
    assert cost_of(Usage(1, 10, 10), FREE) == 0.0


def test_the_persons_own_price_wins() -> None:
    own = read_settings({"prices": {"gpt-5": {"input": 1, "output": 2.5}}}, "config.toml").prices
    assert own == {"gpt-5": Price(1.0, 2.5)}
    assert price_of("openai", "gpt-5", own) == Price(1.0, 2.5)
    assert cost_of(Usage(1, 1_000_000, 1_000_000, 500_000, 100_000), own["gpt-5"]) == 3.5


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"gpt-5": {"input": 1}}, "needs `input` and `output`"),
        ({"gpt-5": {"input": 1, "ouput": 2}}, "ouput"),
        ({"gpt-5": {"input": "1", "output": 2}}, "takes an amount"),
        ({"gpt-5": 3}, "is a table"),
    ],
)
def test_a_price_that_cannot_be_read_is_said(table: dict[str, object], words: str) -> None:
    with pytest.raises(HeartbeatError) as raised:
        read_settings({"prices": table}, "config.toml")
    assert words in raised.value.message
