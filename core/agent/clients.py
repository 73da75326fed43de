"""The real client of a provider, built from a choice. Law: only the provider in use is imported, the key is handed over
in memory, and no variable of the environment decides where it goes.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from core.agent.choosing import Access

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

CACHED_FOR_AN_HOUR = timedelta(minutes=55)  # beats that far apart find the stable part in the hour's cache
CONNECT = 10.0  # seconds
NO_KEY = "none"  # the client of OpenAI wants a word there; servers without keys ignore it


def web_client(base_url: str) -> "httpx2.AsyncClient":
    """Without redirects: what is meant for one address goes to no other. A proxy of the environment is used, but not
    for this machine itself."""
    import httpx2

    is_here = urlsplit(base_url).hostname in ("127.0.0.1", "::1", "localhost")
    timeout = httpx2.Timeout(None, connect=CONNECT)  # the batch has a time limit over all
    return httpx2.AsyncClient(timeout=timeout, follow_redirects=False, trust_env=not is_here)


def model_of(access: Access, web: "httpx2.AsyncClient") -> "Model[Any]":
    choice, key = access.choice, access.key or NO_KEY
    if choice.provider == "anthropic":
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        anthropic = AsyncAnthropic(api_key=key, base_url=choice.base_url, http_client=web, max_retries=0)
        return AnthropicModel(choice.model, provider=AnthropicProvider(anthropic_client=anthropic))
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel

    openai = AsyncOpenAI(api_key=key, base_url=choice.base_url, http_client=web, max_retries=0)
    if choice.provider == "openai":
        from pydantic_ai.providers.openai import OpenAIProvider

        return OpenAIChatModel(choice.model, provider=OpenAIProvider(openai_client=openai))
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    profile = OpenAIModelProfile(  # what older servers do not know, or ignore
        openai_chat_supports_max_completion_tokens=False, openai_supports_strict_tool_definition=False
    )
    provider = OpenAICompatibleProvider(choice.provider, openai_client=openai, profile=profile)
    return OpenAIChatModel(choice.model, provider=provider)


def cache_settings(provider: str, gap: timedelta) -> "ModelSettings":
    """Anthropic caches what it is asked to: the stable part until the next beat where that comes within the hour, and
    the talk of this one. The others do it by themselves."""
    if provider != "anthropic":
        return {}
    from pydantic_ai.models.anthropic import AnthropicModelSettings

    settings = AnthropicModelSettings(anthropic_cache_instructions="5m", anthropic_cache="5m")
    if gap <= CACHED_FOR_AN_HOUR:
        settings["anthropic_cache_instructions"] = "1h"  # with the tools, which stand before them
    return settings
