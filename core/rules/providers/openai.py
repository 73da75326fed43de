"""OpenAI's own service."""

from core.model.settings import Price
from core.rules.providers.record import OPENAI_WIRE, Service

OPENAI = Service(
    name="openai",
    wire=OPENAI_WIRE,
    base_url="https://api.openai.com/v1",
    default_model="gpt-5.4-mini",
    key_variable="OPENAI_API_KEY",
    model_prefixes=("gpt-", "o1", "o3", "o4"),
    prices={
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
)
