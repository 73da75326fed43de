"""OpenAI's own service."""

from core.rules.providers.public_prices import PRICES
from core.rules.providers.record import OPENAI_WIRE, Service

OPENAI = Service(
    name="openai",
    wire=OPENAI_WIRE,
    base_url="https://api.openai.com/v1",
    default_model="gpt-5.4-mini",
    key_variable="OPENAI_API_KEY",
    model_prefixes=("gpt-", "o1", "o3", "o4"),
    prices=PRICES["openai"],
)
