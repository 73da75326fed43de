"""What a model's tokens cost, in USD: a small dated table; `[prices.MODEL]` in config.toml wins over it. Pure.

A model that is in neither has no known price: then the limits of tokens alone hold. For models that cost more above a
certain length the price below it is given; a batch is far below.
"""

from collections.abc import Mapping

from core.model.agent import Usage
from core.model.settings import Price

AS_OF = "2026-11"
MILLION = 1_000_000
FREE = Price(0.0, 0.0)

PRICES: Mapping[str, Mapping[str, Price]] = {
    "anthropic": {
        "claude-haiku-4-5": Price(1.0, 5.0, 0.1, 1.25),
        "claude-haiku-5-5": Price(0.1, 0.5, 0.01, 0.125),
        "claude-sonnet-4-5": Price(3.0, 15.0, 0.3, 3.75),
        "claude-sonnet-4-6": Price(3.0, 15.0, 0.3, 3.75),
        "claude-sonnet-5": Price(2.0, 10.0, 0.2, 2.5),
        "claude-sonnet-5-5": Price(2.0, 10.0, 0.1, 2.5),
        "claude-opus-4-5": Price(5.0, 25.0, 0.5, 6.25),
        "claude-opus-4-6": Price(5.0, 25.0, 0.5, 6.25),
        "claude-opus-4-7": Price(5.0, 25.0, 0.5, 6.25),
        "claude-opus-4-8": Price(5.0, 25.0, 0.5, 6.25),
        "claude-opus-5": Price(5.0, 25.0, 0.5, 6.25),
        "claude-opus-5-5": Price(4.0, 20.0, 0.2, 5.0),
    },
    "openai": {
        "gpt-4.1": Price(2.0, 8.0, 0.5),
        "gpt-4.1-mini": Price(0.4, 1.6, 0.1),
        "gpt-4.1-nano": Price(0.1, 0.4, 0.025),
        "gpt-4o": Price(2.5, 10.0, 1.25),
        "gpt-4o-mini": Price(0.15, 0.6, 0.075),
        "gpt-5": Price(1.25, 10.0, 0.125),
        "gpt-5-mini": Price(0.25, 2.0, 0.025),
        "gpt-5-nano": Price(0.05, 0.4, 0.005),
        "gpt-5.1": Price(1.25, 10.0, 0.125),
        "gpt-5.2": Price(1.75, 14.0, 0.175),
        "gpt-5.4": Price(2.5, 15.0, 0.25),
        "gpt-5.4-mini": Price(0.75, 4.5, 0.075),
        "gpt-5.4-nano": Price(0.2, 1.25, 0.02),
        "gpt-5.5": Price(5.0, 30.0, 0.5),
        "gpt-5.6-luna": Price(0.2, 1.2, 0.02, 0.25),
        "gpt-5.6-sol": Price(4.0, 20.0, 0.4, 5.0),
        "gpt-5.6-terra": Price(2.0, 12.0, 0.2, 2.5),
        "gpt-6-luna": Price(0.1, 0.5, 0.01, 0.125),
        "gpt-6-sol": Price(2.0, 10.0, 0.2, 2.5),
        "gpt-6.1-sol": Price(2.0, 10.0, 0.1, 2.5),
        "gpt-6.1-terra": Price(1.0, 5.0, 0.05, 1.25),
    },
}


def price_of(provider: str, model: str, own: Mapping[str, Price]) -> Price | None:
    """The person's own price, else the table's, also for a name with a date behind it; None: nobody knows."""
    if model in own:
        return own[model]
    if provider == "ollama":  # it runs on the person's own machine
        return FREE
    table = PRICES.get(provider, {})
    return table.get(model) or table.get(_without_date(model))


def _without_date(model: str) -> str:
    """`claude-haiku-4-5-20251001`, `gpt-5-2025-08-07` and `claude-haiku-4-5-latest` without what follows the name."""
    name = model.removesuffix("-latest")
    for length in (len("-20251001"), len("-2025-08-07")):
        date = name[-length:]
        if date.startswith("-20") and date.replace("-", "").isdigit() and len(date.replace("-", "")) == 8:
            return name[:-length]
    return name


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """In USD."""
    if price is None:
        return None
    fresh = max(usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens, 0)
    reading = price.input if price.cache_read is None else price.cache_read
    writing = price.input if price.cache_write is None else price.cache_write
    parts = (
        fresh * price.input,
        usage.cache_read_tokens * reading,
        usage.cache_write_tokens * writing,
        usage.output_tokens * price.output,
    )
    return sum(parts) / MILLION
