"""Anthropic's own service."""

from core.model.settings import Price
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
    prices={
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
)
