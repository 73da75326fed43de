"""Anthropic's own service."""

from core.rules.providers.public_prices import PRICES
from core.rules.providers.record import Protocol, Service, Wire

ANTHROPIC = Service(
    name="anthropic",
    wire=Wire(
        Protocol.ANTHROPIC_MESSAGES,
        "/v1",
        lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"},
    ),
    base_url="https://api.anthropic.com",
    default_model="claude-haiku-4-5",
    key_variable="ANTHROPIC_API_KEY",
    model_prefixes=("claude",),
    prices=PRICES["anthropic"],
)
