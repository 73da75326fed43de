"""What a model's tokens cost, in USD: the prices of its provider's record; `[prices.MODEL]` in
config.toml wins over them. Pure.

A model that is in neither has no known price; then only the limits of tokens apply.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, assert_never

from core.model.agent import Usage
from core.model.settings import Price

if TYPE_CHECKING:
    from core.rules.providers.record import PricedModel

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
        case Service(prices=models):
            return _price_in(models, model)
        case LocalServer():
            return FREE
        case AnyServer() | Program() | None:  # None: a provider of an earlier version
            return None
        case other:
            assert_never(other)


def _price_in(models: "Sequence[PricedModel]", model: str) -> Price | None:
    for name in (model, _without_date(model)):
        for one in models:
            if name in one.names:
                return one.price

    return next((one.price for one in models if model.startswith(one.prefixes)), None)


def _without_date(model: str) -> str:
    """`claude-haiku-4-5-20251001`, `gpt-5-2025-08-07`, `claude-opus-5@20260724` and
    `claude-haiku-4-5-latest` without what follows the name."""
    name = model.removesuffix("-latest")
    for length in (len("-20251001"), len("-2025-08-07")):
        end = name[-length:]
        digits = end[1:].replace("-", "")
        if end.startswith(("-20", "@20")) and digits.isdigit() and len(digits) == 8:
            return name[:-length]

    return name


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """What one request cost in USD; None if the price is not known."""
    if price is None:
        return None

    price = _for_length(price, usage.input_tokens)
    fresh = max(usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens, 0)
    reading = price.input if price.cache_read is None else price.cache_read
    writing = price.input if price.cache_write is None else price.cache_write
    keeping = writing if price.cache_write_hour is None else price.cache_write_hour
    parts = (
        fresh * price.input,
        usage.cache_read_tokens * reading,
        (usage.cache_write_tokens - usage.cache_write_hour_tokens) * writing,
        usage.cache_write_hour_tokens * keeping,
        usage.output_tokens * price.output,
    )

    return sum(parts) / MILLION


def _for_length(price: Price, input_tokens: int) -> Price:
    for tokens, longer in reversed(price.above):
        if input_tokens > tokens:
            return longer

    return price
