"""Ollama, which runs models on the person's own machine."""

from core.rules.providers.record import LocalServer, Protocol, Wire, bearer

OLLAMA = LocalServer(
    name="ollama",
    wire=Wire(Protocol.OPENAI_CHAT_OF_OTHERS, "/v1", bearer),
    base_url="http://127.0.0.1:11434",
    title="Ollama",
    start_command="ollama serve",
    fetch_command="ollama pull",
)
