"""Anthropic's protocol, "messages": writes requests and reads answers. Pure."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, assert_never

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.agent.tool import OfferedTool
from core.agent.wire.reading import arguments_of, unreadable
from core.agent.wire.values import (
    Answer,
    CacheTime,
    Codec,
    Failure,
    Request,
    StopReason,
    ToolCall,
    Turn,
    UserTurn,
)
from core.model.agent import Usage
from core.rules.counting import count_of

STOP_REASONS: Mapping[str, StopReason] = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "tool_use": StopReason.CALLS,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "refusal": StopReason.REFUSAL,
}
TEXT = "text"
TOOL_USE = "tool_use"
EMPTY = "(nothing)"  # the API refuses an empty text


class _Block(BaseModel):
    """A part of an answer. What we do not know of it is kept, to be sent back unchanged."""

    model_config = ConfigDict(extra="allow")

    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    input: Any = None


class _Created(BaseModel):
    ephemeral_1h_input_tokens: int | None = None


class _Used(BaseModel):
    input_tokens: int | None = None  # without those of the cache
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation: _Created | None = None  # of those, by how long they are kept


class _Message(BaseModel):
    content: Annotated[
        list[_Block], Field(fail_fast=True)
    ]  # one flaw is enough: 8 MiB may have millions
    stop_reason: str | None = None
    usage: _Used | None = None  # some servers do not count


def encode(request: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.longest_answer,
        "system": [_cached({"type": TEXT, "text": request.instructions}, request.cache)],
        "messages": [_message(turn) for turn in request.turns],
    }

    tools = [_tool(tool) for tool in request.tools]
    if request.form:
        # Only a call of a tool is held to a schema by every model.
        form = request.form
        tools.append(
            {
                "name": form.name,
                "description": form.description,
                "input_schema": dict(form.schema),
            }
        )
        body["tool_choice"] = {"type": "any"}

    if tools:
        body["tools"] = tools
    if request.cache:
        # What this conversation has said so far is needed again in seconds.
        body["cache_control"] = {"type": "ephemeral", "ttl": CacheTime.FIVE_MINUTES.value}

    return body


def _cached(block: dict[str, Any], cache: CacheTime | None) -> dict[str, Any]:
    """Marks the end of the stable part: the tools, which come before the system's text, and it."""
    if cache is None:
        return block

    return {**block, "cache_control": {"type": "ephemeral", "ttl": cache.value}}


def _tool(tool: OfferedTool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": dict(tool.parameters),
    }


def _message(turn: Turn) -> dict[str, Any]:
    match turn:
        case Answer():
            return dict(turn.message)
        case UserTurn():
            return {"role": "user", "content": _user_blocks(turn)}
        case other:
            assert_never(other)


def _user_blocks(turn: UserTurn) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [
        {
            "type": "tool_result",
            "tool_use_id": result.call.id,
            "content": result.content or EMPTY,
        }
        for result in turn.results
    ]
    if turn.text or not blocks:
        blocks.append({"type": TEXT, "text": turn.text or EMPTY})

    return blocks


def decode(data: bytes) -> Answer | Failure:
    try:
        message = _Message.model_validate_json(data)
    except ValidationError as error:
        return unreadable(error)

    text = "".join(block.text for block in message.content if block.type == TEXT)
    calls = tuple(
        ToolCall(block.id, block.name, arguments_of(block.input))
        for block in message.content
        if block.type == TOOL_USE
    )
    stop = STOP_REASONS.get(message.stop_reason or "", StopReason.OTHER)
    repeated = {"role": "assistant", "content": _repeatable(message.content)}
    return Answer(text, calls, stop, _usage(message.usage), repeated)


def _repeatable(content: Sequence[_Block]) -> list[dict[str, Any]]:
    """The answer as the API takes it back: it refuses arguments that are not an object, a blank
    text, and a message of nothing."""
    blocks: list[dict[str, Any]] = []
    for block in content:
        fields = block.model_dump(exclude_unset=True)
        if block.type == TOOL_USE:
            fields["input"] = arguments_of(block.input) or {}
        if block.type != TEXT or block.text.strip():
            blocks.append(fields)

    return blocks or [{"type": TEXT, "text": EMPTY}]


def _usage(used: _Used | None) -> Usage:
    if used is None:
        return Usage(requests=1)

    read = count_of(used.cache_read_input_tokens)
    written = count_of(used.cache_creation_input_tokens)
    created = used.cache_creation or _Created()
    for_an_hour = count_of(created.ephemeral_1h_input_tokens)

    return Usage(
        requests=1,
        input_tokens=count_of(used.input_tokens) + read + written,
        output_tokens=count_of(used.output_tokens),
        cache_read_tokens=read,
        cache_write_tokens=written,
        cache_write_hour_tokens=min(for_an_hour, written),
    )


MESSAGES = Codec("/messages", encode, decode)
