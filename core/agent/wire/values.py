"""What is said in a conversation with a model, whatever its protocol. Frozen values, no IO."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from core.agent.tool import OfferedTool
from core.model.agent import Usage

ONE_REQUEST = Usage(requests=1)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to use."""

    id: str
    name: str
    arguments: Mapping[str, Any] | None  # None: they are not a JSON object


class StopReason(StrEnum):
    """Why the answer ended."""

    END = "end"
    CALLS = "calls"
    LENGTH = "length"  # it reached the longest answer that was allowed
    REFUSAL = "refusal"  # the model will not answer
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said in one turn."""

    text: str
    calls: tuple[ToolCall, ...]
    stop: StopReason
    usage: Usage
    # The turn as the next request repeats it, in the protocol's own form: parts that we do not
    # know, such as signed reasoning, have to come back unchanged.
    message: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call came to. A provider refuses a request that leaves a call unanswered."""

    call: ToolCall
    content: str


@dataclass(frozen=True, slots=True)
class UserTurn:
    """What the model is told next: results first, as both protocols want them."""

    results: tuple[ToolResult, ...] = ()
    text: str = ""

    @property
    def characters(self) -> int:
        return len(self.text) + sum(len(result.content) for result in self.results)


Turn = UserTurn | Answer


@dataclass(frozen=True, slots=True)
class Form:
    """A fixed shape that the answer must have."""

    name: str
    description: str
    schema: Mapping[str, Any]


class CacheTime(StrEnum):
    """How long the provider is asked to keep the stable part of the prompt. Only some providers
    want to be asked."""

    FIVE_MINUTES = "5m"
    AN_HOUR = "1h"


@dataclass(frozen=True, slots=True)
class Request:
    """One question to the model, with all that was said before: the protocols keep no state."""

    model: str
    instructions: str
    turns: Sequence[Turn]
    longest_answer: int  # tokens
    tools: Sequence[OfferedTool] = ()
    form: Form | None = None
    cache: CacheTime | None = None  # None: this conversation is not worth keeping


class Trouble(StrEnum):
    """What can go wrong with a request."""

    KEY = "key"
    FORBIDDEN = "forbidden"  # the key is known, and not good for this
    CREDIT = "credit"
    PAUSE = "pause"
    SERVER = "server"
    NO_MODEL = "no model"
    TOO_LONG = "too long"
    REFUSED = "refused"
    REDIRECT = "redirect"
    REFUSAL = "refusal"  # of the model: it will not do what is due
    UNREACHABLE = "unreachable"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer."""

    trouble: Trouble
    said: str  # the provider's own words, or the library's
    status: int | None = None  # None: no response came
    retry_after: timedelta | None = None  # what the provider asks for
    may_retry: bool = False  # the same request may succeed a little later
    usage: Usage = ONE_REQUEST  # what it counts as


@dataclass(frozen=True, slots=True)
class Codec:
    """A protocol: how a request is written and an answer is read."""

    path: str  # what is added to the address of the API
    encode: Callable[[Request], dict[str, Any]]
    decode: Callable[[bytes], Answer | Failure]
