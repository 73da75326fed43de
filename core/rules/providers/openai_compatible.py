"""Any server with OpenAI's protocol: LM Studio, llama.cpp, vLLM and others."""

from core.rules.providers.record import COMPATIBLE_WIRE, AnyServer

OPENAI_COMPATIBLE = AnyServer(
    "openai-compatible", COMPATIBLE_WIRE, key_variable="OPENAI_COMPATIBLE_API_KEY"
)
