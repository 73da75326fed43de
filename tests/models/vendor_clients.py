"""The providers' own clients, behind pydantic-ai: what our own client is compared with."""

from typing import TYPE_CHECKING, Any, assert_never
from urllib.parse import urlsplit

from core.agent.choose import Access
from core.rules.providers.record import Protocol

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.models import Model

CONNECT_TIMEOUT = 10.0  # seconds
NO_KEY = "none"  # OpenAI's client requires a key; servers without keys ignore it


def web_client(base_url: str) -> "httpx2.AsyncClient":
    """Does not follow redirects: a request must not end up at another address. Uses the proxy of
    the environment, except for servers on this machine."""
    import httpx2

    is_local = urlsplit(base_url).hostname in ("127.0.0.1", "::1", "localhost")
    timeout = httpx2.Timeout(None, connect=CONNECT_TIMEOUT)  # the batch has its own time limit

    return httpx2.AsyncClient(timeout=timeout, follow_redirects=False, trust_env=not is_local)


def model_of(access: Access, web: "httpx2.AsyncClient") -> "Model[Any]":
    match access.wire.protocol:
        case Protocol.ANTHROPIC_MESSAGES:
            return _anthropic(access, web)
        case Protocol.OPENAI_CHAT:
            return _openai(access, web)
        case Protocol.OPENAI_CHAT_OF_OTHERS:
            return _openai_of_others(access, web)
        case other:
            assert_never(other)


def _anthropic(access: Access, web: "httpx2.AsyncClient") -> "Model[Any]":
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(
        api_key=access.key or NO_KEY,
        base_url=access.choice.base_url,
        http_client=web,
        max_retries=0,
    )
    return AnthropicModel(access.choice.model, provider=AnthropicProvider(anthropic_client=client))


def _openai_client(access: Access, web: "httpx2.AsyncClient") -> "AsyncOpenAI":
    from openai import AsyncOpenAI

    return AsyncOpenAI(
        api_key=access.key or NO_KEY,
        base_url=access.choice.base_url,
        http_client=web,
        max_retries=0,
    )


def _openai(access: Access, web: "httpx2.AsyncClient") -> "Model[Any]":
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(openai_client=_openai_client(access, web))
    return OpenAIChatModel(access.choice.model, provider=provider)


def _openai_of_others(access: Access, web: "httpx2.AsyncClient") -> "Model[Any]":
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    profile = OpenAIModelProfile(  # older servers reject or ignore these
        openai_chat_supports_max_completion_tokens=False,
        openai_supports_strict_tool_definition=False,
    )

    provider = OpenAICompatibleProvider(
        access.choice.provider, openai_client=_openai_client(access, web), profile=profile
    )
    return OpenAIChatModel(access.choice.model, provider=provider)
