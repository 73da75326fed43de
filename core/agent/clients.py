"""Builds the client of the provider that was chosen.

Law: only the library of the provider in use is imported, the key is passed in memory, and no
environment variable decides where it is sent.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, Any, assert_never
from urllib.parse import urlsplit

from core.agent.choose import Access
from core.rules.providers.record import Protocol, Wire

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

# If the next beat is that near, it finds the stable part of the prompt in a cache of one hour.
CACHED_FOR_AN_HOUR = timedelta(minutes=55)
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


def cache_settings(wire: Wire, gap: timedelta) -> "ModelSettings":
    """Anthropic caches only what it is asked to: the stable part of the prompt until the next
    beat, if that comes within the hour, and the conversation of this beat. The others cache by
    themselves."""
    match wire.protocol:
        case Protocol.ANTHROPIC_MESSAGES:
            return _anthropic_cache(gap)
        case Protocol.OPENAI_CHAT | Protocol.OPENAI_CHAT_OF_OTHERS:
            return {}
        case other:
            assert_never(other)


def _anthropic_cache(gap: timedelta) -> "ModelSettings":
    from pydantic_ai.models.anthropic import AnthropicModelSettings

    settings = AnthropicModelSettings(anthropic_cache_instructions="5m", anthropic_cache="5m")
    if gap <= CACHED_FOR_AN_HOUR:
        settings["anthropic_cache_instructions"] = "1h"  # with the tools, which come before them

    return settings
