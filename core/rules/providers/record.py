"""What a provider of language models is: one record, in one of four shapes. Pure.

Law: everything that depends on the provider is a field here, and required. No other module asks
for a provider by its name.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from core.model.agent import Limits, Usage
from core.model.diagnostic import Problem
from core.model.light_dataclass import field, light_dataclass
from core.model.settings import Price


class Protocol(StrEnum):
    """The protocols that models are asked with; `core/agent/wire` has a file for each."""

    ANTHROPIC_MESSAGES = "anthropic messages"
    OPENAI_CHAT = "openai chat"
    OPENAI_CHAT_OF_OTHERS = "openai chat, as other servers support it"


@light_dataclass(frozen=True, slots=True)
class Wire:
    """How requests to a model's server are made."""

    protocol: Protocol
    api_path: str  # what is added to the address that a person writes
    key_headers: Callable[[str], Mapping[str, str]]

    def address(self, written: str) -> str:
        """The address without the API's path; people write it with or without."""
        return written.rstrip("/").removesuffix(self.api_path)

    def url(self, written: str, path: str) -> str:
        return f"{self.address(written)}{self.api_path}{path}"

    def models_url(self, written: str) -> str:
        """Where the list of models is: the cheapest request that needs a key."""
        return self.url(written, "/models")


def bearer(key: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


OPENAI_WIRE = Wire(Protocol.OPENAI_CHAT, "", bearer)
COMPATIBLE_WIRE = Wire(Protocol.OPENAI_CHAT_OF_OTHERS, "", bearer)


@light_dataclass(frozen=True, slots=True)
class PricedModel:
    """A model, or several of one price."""

    names: tuple[str, ...]  # also with a date after them
    prefixes: tuple[str, ...]  # names that begin like this are this model too
    price: Price


@light_dataclass(frozen=True, slots=True)
class Service:
    """A company's service: it has an address, and needs a key."""

    name: str
    wire: Wire
    base_url: str
    default_model: str  # where the person names none
    key_variable: str  # the usual variable for its key
    model_prefixes: tuple[str, ...]  # how the names of its own models begin
    prices: Sequence[PricedModel]  # what is not in here has no known price


@light_dataclass(frozen=True, slots=True)
class AnyServer:
    """A server whose address and model the person writes in the settings; it may need a key."""

    name: str
    wire: Wire
    key_variable: str  # of its own: the key of a service must not go to another server


@light_dataclass(frozen=True, slots=True)
class LocalServer:
    """A server on the person's own machine that lists its models as Ollama does. It costs
    nothing."""

    name: str
    wire: Wire
    base_url: str
    title: str  # as people call it
    start_command: str
    fetch_command: str  # without the name of the model


@light_dataclass(frozen=True, slots=True)
class Job:
    """What a command-line agent is started for."""

    model: str  # empty: the agent's own choice
    tools: tuple[str, ...]  # the command line of our tools, as an MCP server
    limits: Limits


@light_dataclass(frozen=True, slots=True)
class ProgramAnswer:
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    problem: Problem | None = None  # in the program's own words
    is_over_budget: bool = False


SERVER = "heartbeat"  # the name of our tools, as an MCP server


@light_dataclass(frozen=True, slots=True)
class Program:
    """A command-line agent with its own login and its own loop. Law: its own tools are switched
    off, or can only read."""

    name: str
    program: str
    arguments: Callable[[Job], list[str]]
    # Raises ValueError, KeyError, TypeError or AttributeError for an output that is not an answer.
    read: Callable[[str], ProgramAnswer]
    settings: Callable[[Job], tuple[str, dict[str, Any]] | None]  # a file in its folder
    environment: Mapping[str, str]


Provider = Service | AnyServer | LocalServer | Program
