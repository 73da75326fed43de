"""Which model would be asked, and why.

Law: a key goes only to the address of its own provider, or to the one that the person configured
for that provider. Nothing is sent from here, but a local server may be asked which models it has.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, assert_never

from core.model.agent import ModelChoice, NoModel
from core.model.errors import KeyringUnavailableError
from core.model.settings import AUTO, NONE, AgentSettings, Settings
from core.ports.model import LocalModels
from core.ports.outside import Secrets
from core.rules.providers import (
    PROVIDERS,
    AnyServer,
    LocalServer,
    Program,
    Service,
    choices,
    either,
    key_variables,
    services,
)
from core.rules.providers.openai_compatible import OPENAI_COMPATIBLE
from core.rules.providers.record import Wire
from core.rules.reading.findings import did_you_mean

IN_CONFIG = "it is in config.toml"


@dataclass(frozen=True, slots=True)
class Access:
    """A model at an address, and what is needed to ask it. The key is left out of `repr`."""

    choice: ModelChoice
    wire: Wire
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class ProgramAccess:
    """A command-line agent that is installed."""

    choice: ModelChoice
    program: Program
    key: ClassVar[str] = ""  # it has its own login


AnyAccess = Access | ProgramAccess


class ModelSources(Protocol):
    """Where keys and models are looked for."""

    @property
    def secrets(self) -> Secrets: ...

    @property
    def environment(self) -> Mapping[str, str]: ...

    @property
    def local_models(self) -> LocalModels: ...


def how_to_set_one_up() -> str:
    by_shape = [
        f'"{name}"'
        for shape in (LocalServer, AnyServer, Program)
        for name, provider in PROVIDERS.items()
        if isinstance(provider, shape)
    ]

    return (
        f"Store a key: heartbeat key set {services()[0].name}. Or name a model of your own in "
        f"config.toml: [agent] provider = {either(by_shape)}."
    )


def how_to_allow_one() -> str:
    return (
        f'Change `provider` under [agent] in config.toml: with "{AUTO}" a stored key is enough; '
        "heartbeat config --schema lists the others."
    )


def agent_of_verifier(settings: Settings) -> AgentSettings:
    """The settings of the judge. If its provider is another one than the agent's, the model and the
    address of the agent do not fit it."""
    agent = settings.agent
    verifier = settings.verifier
    if verifier.provider not in (None, agent.provider):
        return AgentSettings(str(verifier.provider), verifier.model, verifier.base_url)

    return AgentSettings(
        agent.provider, verifier.model or agent.model, verifier.base_url or agent.base_url
    )


def choose(settings: AgentSettings, sources: ModelSources) -> AnyAccess | NoModel:
    if settings.provider == NONE:
        return NoModel("config.toml says that there is none", how_to_allow_one())

    if settings.provider == AUTO and settings.base_url:
        # An address without a provider: no service's key may be sent there.
        return _any_server(OPENAI_COMPATIBLE, settings, sources)
    if settings.provider == AUTO:
        return _first_of_all(settings, sources)

    return _named(settings, sources)


def _named(settings: AgentSettings, sources: ModelSources) -> AnyAccess | NoModel:
    match PROVIDERS.get(settings.provider):
        case Service() as service:
            return _service(service, settings, sources)
        case AnyServer() as server:
            return _any_server(server, settings, sources)
        case LocalServer() as server:
            return _local_server(server, settings, sources, IN_CONFIG)
        case Program() as program:
            return _program(program, settings, sources, IN_CONFIG)
        case None:
            name = settings.provider
            return NoModel(f"there is no provider `{name}`", did_you_mean(name, choices()))
        case other:
            assert_never(other)


def _first_of_all(settings: AgentSettings, sources: ModelSources) -> AnyAccess | NoModel:
    """The first service with a key, else a local server, else an installed program."""
    keys = _Keys(sources)
    service = _first_service(settings, keys)
    if service:
        return service

    for provider in PROVIDERS.values():
        if isinstance(provider, LocalServer):
            local = _local_server(provider, settings, sources, "it runs on this machine")
            if isinstance(local, Access):
                return local

    for provider in PROVIDERS.values():
        if isinstance(provider, Program) and sources.local_models.program(provider.program):
            return _program(provider, settings, sources, "it is installed")

    return NoModel(f"no model is set up{keys.in_parentheses}", how_to_set_one_up())


def _first_service(settings: AgentSettings, keys: "_Keys") -> Access | None:
    candidates = [
        service
        for service in services()
        if not settings.model or settings.model.startswith(service.model_prefixes)
    ]
    for find_key in (keys.in_keyring, keys.in_environment):  # any stored key before any variable
        for service in candidates:
            found = find_key(service.name)
            if found:
                return _access(service, settings.model, service.base_url, found.reason, found.value)

    return None


def _access(service: Service, model: str | None, address: str, reason: str, key: str) -> Access:
    choice = ModelChoice(
        service.name, model or service.default_model, reason, service.wire.address(address)
    )
    return Access(choice, service.wire, key)


def _service(service: Service, settings: AgentSettings, sources: ModelSources) -> Access | NoModel:
    keys = _Keys(sources)
    key = keys.of(service.name)
    if key is None:
        return NoModel(
            f"there is no key for {service.name}{keys.in_parentheses}",
            f"Store it: heartbeat key set {service.name}",
        )

    address = settings.base_url or service.base_url
    return _access(service, settings.model, address, f"{IN_CONFIG}; {key.reason}", key.value)


def _any_server(
    server: AnyServer, settings: AgentSettings, sources: ModelSources
) -> Access | NoModel:
    if not settings.base_url:
        return _not_configured(server, "base_url", "http://127.0.0.1:1234/v1")
    if not settings.model:
        return _not_configured(server, "model", "the name that the server gives it")

    key = _Keys(sources).of(server.name)
    address = server.wire.address(settings.base_url)
    reason = f"{IN_CONFIG}; {key.reason}" if key else IN_CONFIG
    choice = ModelChoice(server.name, settings.model, reason, address)
    return Access(choice, server.wire, key.value if key else "")


def _not_configured(server: AnyServer, name: str, example: str) -> NoModel:
    return NoModel(
        f"the {server.name} server needs a {name}",
        f'Write it into config.toml: [agent] {name} = "{example}"',
    )


def _local_server(
    server: LocalServer, settings: AgentSettings, sources: ModelSources, reason: str
) -> Access | NoModel:
    address = server.wire.address(settings.base_url or server.base_url)
    model = settings.model
    if model is None or settings.provider == AUTO:
        installed = sources.local_models.models_at(address)
        if installed is None:
            return NoModel(
                f"{server.title} does not answer at {address}", f"Start it: {server.start_command}"
            )
        if not installed:
            return NoModel(
                f"{server.title} has no model yet", f"Fetch one: {server.fetch_command} qwen3"
            )

        model = model or installed[0]
        if model not in installed and f"{model}:latest" not in installed:
            return NoModel(
                f"{server.title} has no model {model}", f"Fetch it: {server.fetch_command} {model}"
            )

    choice = ModelChoice(server.name, model, reason, f"{address}{server.wire.api_path}")
    return Access(choice, server.wire)


def _program(
    agent: Program, settings: AgentSettings, sources: ModelSources, reason: str
) -> ProgramAccess | NoModel:
    if sources.local_models.program(agent.program) is None:
        return NoModel(
            f"the program `{agent.program}` of {agent.name} is not installed",
            "Install it, or choose another provider.",
        )

    return ProgramAccess(ModelChoice(agent.name, settings.model or "", reason), agent)


@dataclass(frozen=True, slots=True)
class _Key:
    """A key that was found, and where. The key is left out of `repr`."""

    value: str = field(repr=False)
    reason: str


class _Keys:
    """Finds keys in the keyring and in the usual variables. A keyring that fails is asked only
    once: each attempt may take seconds."""

    def __init__(self, sources: ModelSources) -> None:
        self._sources = sources
        self._is_usable = True
        self.trouble = ""  # why a key that may be there cannot be used
        self._variables = key_variables()

    @property
    def in_parentheses(self) -> str:
        return f" ({self.trouble})" if self.trouble else ""

    def of(self, provider: str) -> _Key | None:
        return self.in_keyring(provider) or self.in_environment(provider)

    def in_keyring(self, provider: str) -> _Key | None:
        if not self._is_usable:
            return None

        try:
            stored = self._sources.secrets.get(provider)
        except KeyringUnavailableError as error:
            self._is_usable = False
            self.trouble = error.message[:1].lower() + error.message[1:].rstrip(".")
            return None

        key = self._cleaned(stored, f"the key for {provider} in the keyring")
        return _Key(key, "the keyring has a key for it") if key else None

    def in_environment(self, provider: str) -> _Key | None:
        variable = self._variables.get(provider)
        if variable is None:
            return None

        key = self._cleaned(self._sources.environment.get(variable), variable)
        return _Key(key, f"{variable} is set{self.in_parentheses}") if key else None

    def _cleaned(self, key: str | None, place: str) -> str | None:
        """Without the white space that a paste may add; None if nothing that can be a key is
        left."""
        key = (key or "").strip()
        if key.isascii() and key.isprintable():
            return key or None

        self.trouble = f"{place} contains characters that no key can contain"
        return None
