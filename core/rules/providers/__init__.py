"""The providers of language models: one table. To add one, write its record in a file here and
name it below; the settings, keys, prices and clients follow."""

from collections.abc import Sequence

from core.model.settings import AUTO, NONE
from core.rules.providers.anthropic import ANTHROPIC
from core.rules.providers.claude_code import CLAUDE_CODE
from core.rules.providers.codex import CODEX
from core.rules.providers.gemini import GEMINI
from core.rules.providers.ollama import OLLAMA
from core.rules.providers.openai import OPENAI
from core.rules.providers.openai_compatible import OPENAI_COMPATIBLE
from core.rules.providers.record import AnyServer, LocalServer, Program, Provider, Service

__all__ = [
    "PROVIDERS",
    "AnyServer",
    "LocalServer",
    "Program",
    "Provider",
    "Service",
    "choices",
    "either",
    "key_variables",
    "services",
    "with_keys",
]

PROVIDERS: dict[str, Provider] = {  # in the order in which `auto` tries those of one shape
    one.name: one
    for one in (ANTHROPIC, OPENAI, OPENAI_COMPATIBLE, OLLAMA, CLAUDE_CODE, CODEX, GEMINI)
}


def choices() -> tuple[str, ...]:
    """What `provider` in the settings may be."""
    return (AUTO, NONE, *PROVIDERS)


def services() -> tuple[Service, ...]:
    return tuple(one for one in PROVIDERS.values() if isinstance(one, Service))


def with_keys() -> tuple[str, ...]:
    """The names of those that a key can be stored for."""
    return tuple(name for name, one in PROVIDERS.items() if isinstance(one, Service | AnyServer))


def key_variables() -> dict[str, str]:
    """By name: the variable that a key may come from where the keyring has none."""
    return {
        name: one.key_variable
        for name, one in PROVIDERS.items()
        if isinstance(one, Service | AnyServer)
    }


def either(names: Sequence[str]) -> str:
    """The names as a sentence lists them: `a, b or c`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
