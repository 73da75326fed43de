"""Which model would be asked, and why. Law: a key goes to the address of its own provider or to one that the person
wrote beside it, and the only question sent is to a local Ollama, about what it has installed.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.model.agent import ModelChoice, NoModel
from core.model.errors import KeyringUnavailableError
from core.model.settings import AgentSettings, Settings
from core.ports import Secrets
from core.rules.reading.findings import did_you_mean

OLLAMA = "http://127.0.0.1:11434"
OLLAMA_PATIENCE = 1.0  # seconds; one on this machine answers in milliseconds


@dataclass(frozen=True, slots=True)
class Provider:
    base_url: str
    model: str = ""  # where the person names none
    variable: str = ""  # the usual one for its key
    models: tuple[str, ...] = ()  # how the names of its own models begin


KEYED = {  # in the order in which `auto` looks for a key
    "anthropic": Provider("https://api.anthropic.com", "claude-haiku-4-5", "ANTHROPIC_API_KEY", ("claude",)),
    "openai": Provider("https://api.openai.com/v1", "gpt-5.4-mini", "OPENAI_API_KEY", ("gpt-", "o1", "o3", "o4")),
}
COMMAND_LINE_AGENTS = {"claude-code": "claude", "codex": "codex", "gemini": "gemini"}  # and their programs
NAMES = ("auto", "none", *KEYED, "openai-compatible", "ollama", *COMMAND_LINE_AGENTS)
SET_ONE_UP = (
    "Store a key: heartbeat key set anthropic. Or name a model of your own in config.toml: "
    '[agent] provider = "ollama", "openai-compatible", "claude-code", "codex" or "gemini".'
)
IN_CONFIG = "it is in config.toml"


@dataclass(frozen=True, slots=True)
class Access:
    """A choice with what it takes to use it. The key is shown nowhere."""

    choice: ModelChoice
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where keys and models are looked for."""

    secrets: Secrets
    environment: Mapping[str, str]
    installed_models: Callable[[str], tuple[str, ...] | None]  # of an Ollama at an address; None: nobody answers
    program: Callable[[str], str | None] = shutil.which


def agent_of_verifier(settings: Settings) -> AgentSettings:
    """Who judges. Another provider has models and addresses of its own: the agent's do not fit it."""
    agent, verifier = settings.agent, settings.verifier
    if verifier.provider not in (None, agent.provider):
        return AgentSettings(str(verifier.provider), verifier.model, verifier.base_url)
    return AgentSettings(agent.provider, verifier.model or agent.model, verifier.base_url or agent.base_url)


def choose(settings: AgentSettings, around: Surroundings) -> Access | NoModel:
    match settings.provider:
        case "none":
            return NoModel("config.toml says that there is none", SET_ONE_UP)
        case "auto" if settings.base_url:  # an address without a name: no provider's key may go there
            return _compatible(settings, around)
        case "auto":
            return _first_of_all(settings, around)
        case "openai-compatible":
            return _compatible(settings, around)
        case "ollama":
            return _ollama(settings, around, IN_CONFIG)
        case name if name in KEYED:
            return _keyed(name, settings, around)
        case name if name in COMMAND_LINE_AGENTS:
            return _command_line(name, settings, around, IN_CONFIG)
        case name:
            return NoModel(f"there is no provider `{name}`", did_you_mean(name, NAMES))


def _first_of_all(settings: AgentSettings, around: Surroundings) -> Access | NoModel:
    keys = _Keys(around)
    fitting = [name for name, one in KEYED.items() if not settings.model or settings.model.startswith(one.models)]
    for look in (keys.kept, keys.in_environment):  # any key in the keyring before any variable
        for name in fitting:
            key, reason = look(name)
            if key:
                choice = ModelChoice(name, settings.model or KEYED[name].model, reason, KEYED[name].base_url)
                return Access(choice, key)
    local = _ollama(settings, around, "it runs on this machine")
    if isinstance(local, Access):
        return local
    for name, program in COMMAND_LINE_AGENTS.items():
        if around.program(program):
            return _command_line(name, settings, around, "it is installed")
    return NoModel("no model is set up" + (f" ({keys.trouble})" if keys.trouble else ""), SET_ONE_UP)


def _keyed(name: str, settings: AgentSettings, around: Surroundings) -> Access | NoModel:
    provider, keys = KEYED[name], _Keys(around)
    key, reason = keys.of(name)
    if not key:
        return NoModel(
            f"there is no key for {name}" + (f" ({keys.trouble})" if keys.trouble else ""),
            f"Store it: heartbeat key set {name}",
        )
    address = (settings.base_url or provider.base_url).rstrip("/")
    if name == "anthropic":
        address = address.removesuffix("/v1")  # its client adds that
    return Access(ModelChoice(name, settings.model or provider.model, f"{IN_CONFIG}; {reason}", address), key)


def _compatible(settings: AgentSettings, around: Surroundings) -> Access | NoModel:
    for name, value, example in (
        ("base_url", settings.base_url, "http://127.0.0.1:1234/v1"),
        ("model", settings.model, "the name that the server gives it"),
    ):
        if not value:
            return NoModel(
                f"the openai-compatible server needs a {name}",
                f'Write it into config.toml: [agent] {name} = "{example}"',
            )
    key, _ = _Keys(around).of("openai-compatible")
    choice = ModelChoice("openai-compatible", str(settings.model), IN_CONFIG, str(settings.base_url).rstrip("/"))
    return Access(choice, key)


def _ollama(settings: AgentSettings, around: Surroundings, reason: str) -> Access | NoModel:
    address = (settings.base_url or OLLAMA).rstrip("/").removesuffix("/v1")
    model = settings.model
    if model is None or settings.provider == "auto":
        installed = around.installed_models(address)
        if installed is None:
            return NoModel(f"Ollama does not answer at {address}", "Start it: ollama serve")
        if not installed:
            return NoModel("Ollama has no model yet", "Fetch one: ollama pull qwen3")
        model = model or installed[0]
        if model not in installed and f"{model}:latest" not in installed:
            return NoModel(f"Ollama has no model {model}", f"Fetch it: ollama pull {model}")
    return Access(ModelChoice("ollama", model, reason, f"{address}/v1"))


def _command_line(name: str, settings: AgentSettings, around: Surroundings, reason: str) -> Access | NoModel:
    program = COMMAND_LINE_AGENTS[name]
    if around.program(program) is None:
        return NoModel(f"the program `{program}` of {name} is not installed", "Install it, or choose another provider.")
    return Access(ModelChoice(name, settings.model or "", reason))


class _Keys:
    """The keyring first, then the usual variables. A keyring that cannot be used is asked once: each try may take
    seconds."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._is_usable = True
        self.trouble = ""  # why a key that may be there cannot be used

    def of(self, provider: str) -> tuple[str, str]:
        """The key, and where it is from; nothing where there is none."""
        kept = self.kept(provider)
        return kept if kept[0] else self.in_environment(provider)

    def kept(self, provider: str) -> tuple[str, str]:
        if not self._is_usable:
            return "", ""
        try:
            key = self._around.secrets.get(provider) or ""
        except KeyringUnavailableError as error:
            self._is_usable, self.trouble = False, error.message
            return "", ""
        return self._sound(key, f"the key for {provider} in the keyring"), "the keyring has a key for it"

    def in_environment(self, provider: str) -> tuple[str, str]:
        variable = KEYED[provider].variable if provider in KEYED else ""
        key = self._sound(self._around.environment.get(variable, ""), variable)
        return key, f"{variable} is set" + (f" ({self.trouble})" if self.trouble else "")

    def _sound(self, key: str, place: str) -> str:
        """Without what a paste left around it; nothing where it can be no key."""
        key = key.strip()
        if key.isascii() and key.isprintable():
            return key
        self.trouble = f"{place} has characters that no key has"
        return ""


def installed_models(address: str) -> tuple[str, ...] | None:
    """What an Ollama has, newest first; None where nobody answers as one does."""
    import json
    from http.client import HTTPConnection, HTTPException, HTTPSConnection
    from urllib.parse import urlsplit

    try:
        place = urlsplit(address)
        kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
        connection = kind(place.hostname or "", place.port, timeout=OLLAMA_PATIENCE)
    except (HTTPException, ValueError):
        return None
    try:
        connection.request("GET", "/api/tags")
        models = json.loads(connection.getresponse().read(1_000_000))["models"]
        return tuple(str(one["name"]) for one in models)
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        connection.close()
