"""What tokens cost: the table agrees with a public one, a person's own price wins, an unknown
model has none."""

from datetime import UTC, date, datetime, time

import pytest
from genai_prices import Usage as PublicUsage
from genai_prices import calc_price
from hypothesis import given, settings
from hypothesis import strategies as st

from core.model.agent import Usage
from core.model.errors import HeartbeatError
from core.model.settings import Price
from core.rules.prices import FREE, cost_of, price_of
from core.rules.providers import services
from core.rules.providers.public_prices import DAY
from core.rules.settings.reading import read_settings
from tests.generate_prices import FILE, public_models, table

MOMENT = datetime.combine(date.fromisoformat(DAY), time(12), UTC)
MODELS = [
    (service.name, info, ours)
    for service in services()
    for info, ours in public_models(service, MOMENT.date())
]
NAMES = [
    (provider, name)
    for provider, info, ours in MODELS
    for name in (info.id, *ours.names, *ours.prefixes, *(f"{one}-20260101" for one in ours.names))
]
TIERS = sorted({tokens for _, _, ours in MODELS for tokens, _ in ours.price.above})
TOKENS = st.one_of(
    st.integers(0, 400_000),
    st.sampled_from([tokens + more for tokens in TIERS for more in (-1, 0, 1)]),
)


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    """Of one request."""
    tokens = draw(TOKENS)
    read = draw(st.integers(0, tokens))
    written = draw(st.integers(0, tokens - read))
    for_an_hour = draw(st.integers(0, written))
    return Usage(1, tokens, draw(TOKENS), read, written, cache_write_hour_tokens=for_an_hour)


def public_cost(provider: str, model: str, usage: Usage) -> float:
    public = PublicUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        cache_write_1h_tokens=usage.cache_write_hour_tokens,
    )
    found = calc_price(public, model, provider_id=provider, genai_request_timestamp=MOMENT)
    return float(found.total_price)


def test_the_table_is_what_the_generator_makes() -> None:
    again = "run `python -m tests.generate_prices`"
    assert FILE.read_text(encoding="utf-8") == table(MOMENT.date()), again


@given(st.sampled_from(NAMES), usages())
@settings(max_examples=1000, deadline=None)
def test_a_request_costs_what_the_public_table_says(named: tuple[str, str], usage: Usage) -> None:
    provider, model = named
    ours = cost_of(usage, price_of(provider, model, {}))
    try:
        theirs = public_cost(provider, model, usage)
    except LookupError:  # a date that they do not know yet
        assert model.endswith("-20260101")
        return

    assert ours == pytest.approx(theirs, rel=0, abs=1e-9)


@pytest.mark.parametrize(("provider", "model"), NAMES)
def test_every_name_is_found_and_priced_like_the_public_one(provider: str, model: str) -> None:
    longest = TIERS[-1]
    for tokens in (9_000, longest, longest + 1):
        usage = Usage(1, tokens, 700, 3_000, 2_000, cache_write_hour_tokens=500)
        ours = cost_of(usage, price_of(provider, model, {}))
        assert ours is not None
        try:
            theirs = public_cost(provider, model, usage)
        except LookupError:
            theirs = public_cost(provider, model.removesuffix("-20260101"), usage)

        assert ours == pytest.approx(theirs, rel=0, abs=1e-9)


def test_there_are_models_with_prices_for_long_requests_and_an_hour_in_the_cache() -> None:
    assert len(TIERS) >= 2
    assert any(ours.price.cache_write_hour for _, _, ours in MODELS)


def test_each_default_model_has_a_price() -> None:
    assert all(price_of(one.name, one.default_model, {}) for one in services())


def test_a_name_with_a_date_is_the_same_model() -> None:
    haiku = price_of("anthropic", "claude-haiku-4-5", {})
    assert haiku == Price(1.0, 5.0, 0.1, 1.25, 2.0)
    for dated in ("claude-haiku-4-5-20251001", "claude-haiku-4-5-latest"):
        assert price_of("anthropic", dated, {}) == haiku

    assert price_of("openai", "gpt-5-2031-08-07", {}) == price_of("openai", "gpt-5", {})
    opus = price_of("anthropic", "claude-opus-5", {})
    assert opus == price_of("anthropic", "claude-opus-5@20310101", {})
    assert opus != price_of("anthropic", "claude-opus-5-5-20310101", {})


def test_a_long_request_costs_more_as_a_whole() -> None:
    price = Price(1.0, 5.0, above=((100, Price(2.0, 10.0)), (200, Price(4.0, 20.0))))
    costs = [cost_of(Usage(1, tokens, 10), price) for tokens in (100, 101, 200, 201)]
    assert costs == pytest.approx([150e-6, 302e-6, 500e-6, 1004e-6])


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
        ({"gpt-5": 3}, "must be a table"),
    ],
)
def test_a_price_that_cannot_be_read_is_said(table: dict[str, object], words: str) -> None:
    with pytest.raises(HeartbeatError) as raised:
        read_settings({"prices": table}, "config.toml")
    assert words in raised.value.message
