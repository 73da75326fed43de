"""What a model's tokens cost, in USD: the prices of its provider's record; `[prices.MODEL]` in
config.toml wins over them. Pure.

A model that is in neither has no known price; then only the limits of tokens apply. Some models
cost more above a certain length. The price below it is used, because a batch is far shorter.
"""

from collections.abc import Mapping
from typing import assert_never

from core.model.agent import Usage
from core.model.settings import Price

MILLION = 1_000_000
FREE = Price(0.0, 0.0)


def price_of(provider: str, model: str, own: Mapping[str, Price]) -> Price | None:
    """The person's own price, otherwise the provider's, also for a name with a date at its end;
    None if the price is not known."""
    if model in own:
        return own[model]

    # Here: most beats ask no model, and the table takes milliseconds to load.
    from core.rules.providers import PROVIDERS, AnyServer, LocalServer, Program, Service

    match PROVIDERS.get(provider):
        case Service(prices=table):
            return table.get(model) or table.get(_without_date(model))
        case LocalServer():
            return FREE
        case AnyServer() | Program() | None:  # None: a provider of an earlier version
            return None
        case other:
            assert_never(other)


def _without_date(model: str) -> str:
    """`claude-haiku-4-5-20251001`, `gpt-5-2025-08-07` and `claude-haiku-4-5-latest` without what
    follows the name."""
    name = model.removesuffix("-latest")
    for length in (len("-20251001"), len("-2025-08-07")):
        end = name[-length:]
        digits = end.replace("-", "")
        if end.startswith("-20") and digits.isdigit() and len(digits) == 8:
            return name[:-length]

    return name


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """What it cost in USD; None if the price is not known."""
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
