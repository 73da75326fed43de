"""OpenAI's protocol, "chat completions": writes requests and reads answers. Many other servers
speak it, some of them only in part. Pure."""

import json
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, assert_never

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.agent.tool import OfferedTool
from core.agent.wire.reading import arguments_of, unreadable
from core.agent.wire.values import (
    Answer,
    Codec,
    Failure,
    Form,
    Request,
    StopReason,
    ToolCall,
    Turn,
    UserTurn,
)
from core.model.agent import Usage
from core.rules.counting import count_of

STOP_REASONS: Mapping[str, StopReason] = {
    "stop": StopReason.END,
    "tool_calls": StopReason.CALLS,
    "function_call": StopReason.CALLS,
    "length": StopReason.LENGTH,
    "content_filter": StopReason.REFUSAL,
}
# OpenAI sends these, and does not take them back.
NOT_SENT_BACK = frozenset({"annotations", "audio", "function_call"})
NOT_SENT_BACK_OF_A_CALL = frozenset({"index"})
LIMIT = "max_completion_tokens"
OLD_LIMIT = "max_tokens"  # older servers ignore the other


class _Kept(BaseModel):
    """What we do not know of it is kept, to be sent back unchanged: some servers sign a model's
    reasoning, and refuse a conversation without it."""

    model_config = ConfigDict(extra="allow")


class _Function(_Kept):
    name: str = ""
    arguments: Any = None  # a text; an object with some servers


class _Call(_Kept):
    id: str | None = None  # some servers send none
    function: _Function


class _Part(BaseModel):
    text: str | None = None


class _Message(_Kept):
    content: str | Annotated[list[_Part], Field(fail_fast=True)] | None = None
    refusal: str | None = None
    tool_calls: Annotated[list[_Call], Field(fail_fast=True)] | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Details(BaseModel):
    cached_tokens: int | None = None


class _Used(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class _Completion(BaseModel):
    # One flaw is enough: 8 MiB may have millions.
    choices: Annotated[list[_Choice], Field(fail_fast=True)]
    usage: _Used | None = None  # some servers do not count


def encode(request: Request, limit: str) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": request.model,
        limit: request.longest_answer,
        "messages": [
            {"role": "system", "content": request.instructions},
            *(message for turn in request.turns for message in _messages(turn)),
        ],
    }
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.form:
        body["response_format"] = _format(request.form)

    return body


def _tool(tool: OfferedTool) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
    return {"type": "function", "function": function}


def _format(form: Form) -> dict[str, Any]:
    schema = {"name": form.name, "description": form.description, "schema": dict(form.schema)}
    return {"type": "json_schema", "json_schema": schema}


def _messages(turn: Turn) -> list[dict[str, Any]]:
    match turn:
        case Answer():
            return [dict(turn.message)]
        case UserTurn():
            messages: list[dict[str, Any]] = [
                {"role": "tool", "tool_call_id": result.call.id, "content": result.content}
                for result in turn.results
            ]
            if turn.text or not messages:
                messages.append({"role": "user", "content": turn.text})

            return messages
        case other:
            assert_never(other)


def decode(data: bytes) -> Answer | Failure:
    try:
        completion = _Completion.model_validate_json(data)
    except ValidationError as error:
        return unreadable(error)

    if not completion.choices:
        return unreadable("an answer without a choice")

    choice = completion.choices[0]
    message = choice.message
    text = _text(message.content)
    calls = _calls(message.tool_calls or ())
    stop = STOP_REASONS.get(choice.finish_reason or "", StopReason.OTHER)
    if message.refusal:
        text = text or message.refusal
        stop = StopReason.REFUSAL

    repeated = _repeatable(message, text, calls)
    return Answer(text, calls, stop, _usage(completion.usage), repeated)


def _text(content: "str | Sequence[_Part] | None") -> str:
    if content is None or isinstance(content, str):
        return content or ""

    return "".join(part.text or "" for part in content)


def _calls(written: "Sequence[_Call]") -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(
            call.id or f"call_{number}", call.function.name, arguments_of(call.function.arguments)
        )
        for number, call in enumerate(written)
    )


def _repeatable(message: _Message, text: str, calls: Sequence[ToolCall]) -> dict[str, Any]:
    """The answer as servers take it back: many refuse arguments that are not an object, and some
    of what they send themselves."""
    repeated: dict[str, Any] = {
        **_unknown(message, NOT_SENT_BACK),
        "role": "assistant",
        "content": text or None,
    }
    if calls:
        written = message.tool_calls or ()
        repeated["tool_calls"] = [
            _repeatable_call(*both) for both in zip(written, calls, strict=True)
        ]
    elif not text:
        repeated["content"] = ""  # without calls, null is refused

    return repeated


def _repeatable_call(written: _Call, call: ToolCall) -> dict[str, Any]:
    return {
        **_unknown(written, NOT_SENT_BACK_OF_A_CALL),
        "id": call.id,
        "type": "function",
        "function": {
            **_unknown(written.function),
            "name": call.name,
            "arguments": json.dumps(call.arguments or {}, ensure_ascii=False),
        },
    }


def _unknown(part: _Kept, but: Collection[str] = ()) -> dict[str, Any]:
    """What there is in it besides what we read; nothing that is empty."""
    return {
        name: value
        for name, value in (part.model_extra or {}).items()
        if name not in but and value not in (None, [], "")
    }


def _usage(used: _Used | None) -> Usage:
    if used is None:
        return Usage(requests=1)

    details = used.prompt_tokens_details
    return Usage(
        requests=1,
        input_tokens=count_of(used.prompt_tokens),
        output_tokens=count_of(used.completion_tokens),
        cache_read_tokens=count_of(details.cached_tokens if details else None),
    )


PATH = "/chat/completions"
CHAT = Codec(PATH, partial(encode, limit=LIMIT), decode)
CHAT_OF_OTHERS = Codec(PATH, partial(encode, limit=OLD_LIMIT), decode)
