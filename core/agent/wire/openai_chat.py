"""OpenAI's protocol, "chat completions": writes requests and reads answers. Many other servers
speak it, some of them only in part. Pure."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, assert_never

from pydantic import BaseModel, ValidationError

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

STOP_REASONS: Mapping[str, StopReason] = {
    "stop": StopReason.END,
    "tool_calls": StopReason.CALLS,
    "function_call": StopReason.CALLS,
    "length": StopReason.LENGTH,
    "content_filter": StopReason.REFUSAL,
}
LIMIT = "max_completion_tokens"
OLD_LIMIT = "max_tokens"  # older servers ignore the other


class _Function(BaseModel):
    name: str = ""
    arguments: Any = None  # a text; an object with some servers


class _Call(BaseModel):
    id: str | None = None  # some servers send none
    function: _Function


class _Part(BaseModel):
    text: str = ""


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


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
    choices: list[_Choice]
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

    return Answer(text, calls, stop, _usage(completion.usage), _repeatable(text, calls))


def _text(content: "str | Sequence[_Part] | None") -> str:
    if content is None or isinstance(content, str):
        return content or ""

    return "".join(part.text for part in content)


def _calls(written: "Sequence[_Call]") -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(
            call.id or f"call_{number}", call.function.name, arguments_of(call.function.arguments)
        )
        for number, call in enumerate(written)
    )


def _repeatable(text: str, calls: Sequence[ToolCall]) -> dict[str, Any]:
    """The answer as servers take it back: many refuse arguments that are not an object."""
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": json.dumps(call.arguments or {}, ensure_ascii=False),
                },
            }
            for call in calls
        ]
    elif not text:
        message["content"] = ""  # without calls, null is refused

    return message


def _usage(used: _Used | None) -> Usage:
    if used is None:
        return Usage(requests=1)

    details = used.prompt_tokens_details
    return Usage(
        requests=1,
        input_tokens=used.prompt_tokens or 0,
        output_tokens=used.completion_tokens or 0,
        cache_read_tokens=(details.cached_tokens or 0) if details else 0,
    )


PATH = "/chat/completions"
CHAT = Codec(PATH, partial(encode, limit=LIMIT), decode)
CHAT_OF_OTHERS = Codec(PATH, partial(encode, limit=OLD_LIMIT), decode)
