"""What we and an MCP server say to each other: writes our messages and reads theirs. Pure.

Of a message only the parts that we use are read. What else it contains may have any form, so that a
server of a newer or older version is understood.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from core.agent.mcp.protocol import STATELESS_VERSION
from core.agent.wire.reading import flaws_of

M = TypeVar("M", bound=BaseModel)

INPUT_REQUIRED = "input_required"


class UnreadableError(Exception):
    """What is wrong with a message or a result."""


# -- what is on the wire ---------------------------------------------------------------------------


class Refusal(BaseModel):
    """The `error` of an answer."""

    code: int
    message: str


class Message(BaseModel):
    """A request, a notification or an answer. Which one it is depends on the fields it has."""

    jsonrpc: Literal["2.0"]
    id: Annotated[int, Field(strict=True)] | str | None = None
    method: str | None = None
    result: dict[str, Any] | None = None
    error: Refusal | None = None


class Greeting(BaseModel):
    """The result of `initialize`."""

    version: str = Field(alias="protocolVersion")


class Discovery(BaseModel):
    """The result of `server/discover`."""

    versions: Annotated[list[str], Field(fail_fast=True)] = Field(alias="supportedVersions")


class Hints(BaseModel):
    """What a server says about its tool."""

    read_only: bool | None = Field(default=None, alias="readOnlyHint")
    open_world: bool | None = Field(default=None, alias="openWorldHint")


class Parameters(BaseModel):
    """The part of a tool's JSON schema without which no provider takes it."""

    type: Literal["object"]


class ListedTool(BaseModel):
    name: str
    description: str | None = None
    input_schema: dict[str, Any] = Field(alias="inputSchema")
    annotations: Hints | None = None


class ToolPage(BaseModel):
    """The result of `tools/list`."""

    # One flaw is enough: there may be millions.
    tools: Annotated[list[ListedTool], Field(fail_fast=True)]
    next_cursor: str | None = Field(default=None, alias="nextCursor")


class TextPart(BaseModel):
    type: Literal["text"]
    text: str


class OtherPart(BaseModel):
    """An image, a sound, a resource, or something newer."""

    type: str


Part = Annotated[TextPart | OtherPart, Field(union_mode="left_to_right")]


class CallResult(BaseModel):
    """The result of `tools/call`."""

    content: Annotated[list[Part], Field(fail_fast=True)]
    is_error: bool | None = Field(default=None, alias="isError")

    @property
    def text(self) -> str:
        """Its text; a part that is not text is replaced by its type."""
        return "\n".join(
            (part.text if isinstance(part, TextPart) else "") or f"[{part.type}]"
            for part in self.content
        )


_JSON: TypeAdapter[Any] = TypeAdapter(Any)


# -- reading ---------------------------------------------------------------------------------------


def read_line(line: bytes) -> list[Any]:
    """The messages in a line, each of them still unchecked. A line that is not JSON has none: some
    servers print other things too. In one version of the protocol a line may have several."""
    try:
        value = _JSON.validate_json(line)
    except ValidationError:
        return []

    return value if isinstance(value, list) else [value]


def read_message(value: object) -> Message:
    """Raises UnreadableError."""
    return _checked(Message, value)


def read_greeting(result: Mapping[str, Any]) -> Greeting:
    return _checked(Greeting, result)


def read_discovery(result: Mapping[str, Any]) -> Discovery:
    return _checked(Discovery, result)


def read_tools(result: Mapping[str, Any]) -> ToolPage:
    page = _checked(ToolPage, result)
    for tool in page.tools:
        try:
            Parameters.model_validate(tool.input_schema)
        except ValidationError as error:
            raise UnreadableError(f"the parameters of {tool.name}: {flaws_of(error)}") from None

    return page


def read_call(result: Mapping[str, Any]) -> CallResult:
    if result.get("resultType") == INPUT_REQUIRED:
        raise UnreadableError("it asks the person for something, and nobody is there")

    return _checked(CallResult, result)


def _checked(model: type[M], value: object) -> M:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise UnreadableError(flaws_of(error)) from None


# -- writing ---------------------------------------------------------------------------------------


def request(number: int, method: str, parameters: Mapping[str, Any]) -> bytes:
    return _line({"id": number, "method": method, **_given(parameters)})


def notification(method: str, parameters: Mapping[str, Any]) -> bytes:
    return _line({"method": method, **_given(parameters)})


def result(identifier: int | str, value: Mapping[str, Any]) -> bytes:
    return _line({"id": identifier, "result": value})


def refusal(identifier: int | str, code: int, message: str) -> bytes:
    return _line({"id": identifier, "error": {"code": code, "message": message}})


def stateless(parameters: Mapping[str, Any], client: Mapping[str, str]) -> dict[str, Any]:
    """The parameters of a request to a server without a handshake: each says who asks."""
    prefix = "io.modelcontextprotocol/"
    meta = {
        f"{prefix}protocolVersion": STATELESS_VERSION,
        f"{prefix}clientInfo": client,
        f"{prefix}clientCapabilities": {},
    }
    return {**parameters, "_meta": meta}


def _given(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {"params": parameters} if parameters else {}


def _line(message: Mapping[str, Any]) -> bytes:
    """Raises ValueError for a number that JSON does not have. A character that UTF-8 does not have
    is sent as `?`."""
    text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, allow_nan=False)
    return text.encode(errors="replace")
