"""Our own client compared with those of the providers, over conversations that are made up.

The providers' packages and pydantic-ai are the oracle: our requests fit their types and say what
they would say, and answers are read the same both ways.
"""

import asyncio
import json
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from core.agent.choose import Access
from core.agent.tool import OfferedTool
from core.agent.wire.protocols import codec_of
from core.agent.wire.values import (
    Answer,
    CacheTime,
    Codec,
    Form,
    Request,
    StopReason,
    ToolResult,
    Turn,
    UserTurn,
)
from core.model.agent import ModelChoice
from core.rules.providers import PROVIDERS, Program
from tests.model_server import ModelServer, Say
from tests.models.vendor_clients import model_of, web_client

pytestmark = pytest.mark.timeout(300)
MANY = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
LONGEST = 1000

# -- conversations that are made up -----------------------------------------------------------------

names = st.text(string.ascii_lowercase + "_", min_size=1, max_size=12)
# Providers refuse a blank text.
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40).filter(
    str.strip
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=5,
)
arguments = st.dictionaries(names, values, max_size=3)
counts = st.integers(0, 10_000)


@dataclass(frozen=True)
class Spoken:
    """What a model says in one turn, whatever the protocol."""

    text: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    stop: StopReason
    read: int
    fresh: int
    output: int
    written: int  # into the cache; only Anthropic counts it
    written_for_an_hour: int


@dataclass(frozen=True)
class Conversation:
    instructions: str
    tools: tuple[OfferedTool, ...]
    question: str
    turns: tuple[tuple[Spoken, tuple[str, ...]], ...]  # an answer, and what its calls came to


@st.composite
def spoken(draw: st.DrawFn) -> Spoken:
    calls = tuple(draw(st.lists(st.tuples(names, arguments), max_size=3)))
    text = draw(texts if not calls else st.just("") | texts)
    end = StopReason.CALLS if calls else StopReason.END
    stop = draw(st.sampled_from([end, end, StopReason.LENGTH, StopReason.REFUSAL]))
    return Spoken(text, calls, stop, *(draw(counts) for _ in range(5)))


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    tools = tuple(
        OfferedTool(name, draw(texts), {"type": "object", "properties": {}}, changes_something=True)
        for name in draw(st.lists(names, max_size=3, unique=True))
    )
    answers = draw(st.lists(spoken(), max_size=3))
    turns = tuple((one, tuple(draw(texts) for _ in one.calls)) for one in answers)
    return Conversation(draw(texts), tools, draw(texts), turns)


# -- the two protocols -----------------------------------------------------------------------------


def anthropic_answer(one: Spoken, number: int) -> dict[str, Any]:
    reasons = {
        StopReason.END: "end_turn",
        StopReason.CALLS: "tool_use",
        StopReason.LENGTH: "max_tokens",
        StopReason.REFUSAL: "refusal",
    }
    blocks: list[dict[str, Any]] = [{"type": "text", "text": one.text}] if one.text else []
    blocks += [
        {"type": "tool_use", "id": f"toolu_{number}_{index}", "name": name, "input": given}
        for index, (name, given) in enumerate(one.calls)
    ]
    usage = {
        "input_tokens": one.fresh,
        "output_tokens": one.output,
        "cache_read_input_tokens": one.read,
        "cache_creation_input_tokens": one.written + one.written_for_an_hour,
        "cache_creation": {
            "ephemeral_5m_input_tokens": one.written,
            "ephemeral_1h_input_tokens": one.written_for_an_hour,
        },
    }
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": blocks,
        "stop_reason": reasons[one.stop],
        "stop_sequence": None,
        "usage": usage,
    }


def openai_answer(one: Spoken, number: int) -> dict[str, Any]:
    reasons = {
        StopReason.END: "stop",
        StopReason.CALLS: "tool_calls",
        StopReason.LENGTH: "length",
        StopReason.REFUSAL: "content_filter",
    }
    calls = [
        {
            "id": f"call_{number}_{index}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given)},
        }
        for index, (name, given) in enumerate(one.calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": one.text or None}
    if calls:
        message["tool_calls"] = calls

    usage = {
        "prompt_tokens": one.fresh + one.read,
        "completion_tokens": one.output,
        "total_tokens": one.fresh + one.read + one.output,
        "prompt_tokens_details": {"cached_tokens": one.read},
    }
    choice = {"index": 0, "message": message, "finish_reason": reasons[one.stop], "logprobs": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": "scripted",
        "choices": [choice],
        "usage": usage,
    }


ANSWERS = {"anthropic": anthropic_answer, "openai": openai_answer}
PROTOCOLS = pytest.mark.parametrize("provider", ["anthropic", "openai"])


def access_of(provider: str, base_url: str = "") -> Access:
    record = PROVIDERS[provider]
    assert not isinstance(record, Program)
    return Access(ModelChoice(provider, "scripted", "", base_url), record.wire, "sk-any")


def codec(provider: str) -> Codec:
    return codec_of(access_of(provider).wire.protocol)


def request_of(provider: str, conversation: Conversation, **other: Any) -> Request:
    """The next request of the conversation, with its answers as our reader read them."""
    turns: list[Turn] = [UserTurn(text=conversation.question)]
    for number, (one, results) in enumerate(conversation.turns):
        answer = codec(provider).decode(json.dumps(ANSWERS[provider](one, number)).encode())
        assert isinstance(answer, Answer), answer
        told = zip(answer.calls, results, strict=True)
        following = tuple(ToolResult(call, result) for call, result in told)
        turns += [answer, UserTurn(following, "" if following else "Go on.")]

    return Request(
        "scripted", conversation.instructions, turns, LONGEST, conversation.tools, **other
    )


# -- answers ---------------------------------------------------------------------------------------


@PROTOCOLS
@MANY
@given(one=spoken())
def test_an_answer_is_read_as_it_was_meant(provider: str, one: Spoken) -> None:
    answer = codec(provider).decode(json.dumps(ANSWERS[provider](one, 0)).encode())

    assert isinstance(answer, Answer)
    assert answer.text == one.text
    assert tuple((call.name, call.arguments) for call in answer.calls) == one.calls
    assert answer.stop is one.stop
    written = one.written + one.written_for_an_hour if provider == "anthropic" else 0
    assert answer.usage.input_tokens == one.fresh + one.read + written
    assert answer.usage.cache_write_tokens == written
    assert answer.usage.cache_write_hour_tokens == min(one.written_for_an_hour, written)
    assert answer.usage.cache_read_tokens == one.read
    assert answer.usage.output_tokens == one.output


@PROTOCOLS
@MANY
@given(one=spoken())
def test_the_providers_package_reads_the_same(provider: str, one: Spoken) -> None:
    written = ANSWERS[provider](one, 0)
    answer = codec(provider).decode(json.dumps(written).encode())
    assert isinstance(answer, Answer)

    if provider == "anthropic":
        assert_same_as_anthropic(answer, written)
    else:
        assert_same_as_openai(answer, written)


def assert_same_as_anthropic(answer: Answer, written: Mapping[str, Any]) -> None:
    from anthropic.types import Message, TextBlock, ToolUseBlock

    message = Message.model_validate(written)
    texts = [block.text for block in message.content if isinstance(block, TextBlock)]
    calls = [block for block in message.content if isinstance(block, ToolUseBlock)]

    assert "".join(texts) == answer.text
    assert [(one.id, one.name, one.input) for one in calls] == [
        (one.id, one.name, one.arguments) for one in answer.calls
    ]
    assert message.usage.output_tokens == answer.usage.output_tokens
    read = message.usage.cache_read_input_tokens or 0
    created = message.usage.cache_creation_input_tokens or 0
    assert message.usage.input_tokens + read + created == answer.usage.input_tokens
    assert created == answer.usage.cache_write_tokens
    assert message.usage.cache_creation
    kept = message.usage.cache_creation.ephemeral_1h_input_tokens
    assert kept == answer.usage.cache_write_hour_tokens
    assert (message.stop_reason == "max_tokens") == (answer.stop is StopReason.LENGTH)
    assert (message.stop_reason == "refusal") == (answer.stop is StopReason.REFUSAL)


def assert_same_as_openai(answer: Answer, written: Mapping[str, Any]) -> None:
    from openai.types.chat import ChatCompletion, ChatCompletionMessageFunctionToolCall

    completion = ChatCompletion.model_validate(written)
    message = completion.choices[0].message
    calls = [
        one
        for one in message.tool_calls or ()
        if isinstance(one, ChatCompletionMessageFunctionToolCall)
    ]

    assert (message.content or "") == answer.text
    assert [(one.id, one.function.name, json.loads(one.function.arguments)) for one in calls] == [
        (one.id, one.name, one.arguments) for one in answer.calls
    ]
    assert completion.usage
    assert completion.usage.prompt_tokens == answer.usage.input_tokens
    assert completion.usage.completion_tokens == answer.usage.output_tokens
    finish = completion.choices[0].finish_reason
    assert (finish == "length") == (answer.stop is StopReason.LENGTH)
    assert (finish == "content_filter") == (answer.stop is StopReason.REFUSAL)


# -- requests --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def anthropic_type() -> TypeAdapter[Any]:
    from anthropic.types import message_create_params

    return TypeAdapter(message_create_params.MessageCreateParamsNonStreaming)


@pytest.fixture(scope="module")
def openai_type() -> TypeAdapter[Any]:
    from openai.types.chat import completion_create_params

    return TypeAdapter(completion_create_params.CompletionCreateParamsNonStreaming)


FORM = Form("answer", "Answer.", {"type": "object", "properties": {"a": {"type": "string"}}})


@MANY
@given(conversation=conversations(), form=st.none() | st.just(FORM))
def test_a_request_fits_the_types_of_anthropic(
    anthropic_type: TypeAdapter[Any], conversation: Conversation, form: Form | None
) -> None:
    request = request_of("anthropic", conversation, form=form, cache=CacheTime.AN_HOUR)
    anthropic_type.validate_python(codec("anthropic").encode(request), strict=False)


@MANY
@given(conversation=conversations(), form=st.none() | st.just(FORM))
def test_a_request_fits_the_types_of_openai(
    openai_type: TypeAdapter[Any], conversation: Conversation, form: Form | None
) -> None:
    request = request_of("openai", conversation, form=form)
    openai_type.validate_python(codec("openai").encode(request), strict=False)


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@PROTOCOLS
@MANY
@given(conversation=conversations())
def test_a_request_says_what_the_providers_client_would_say(
    server: ModelServer, provider: str, conversation: Conversation
) -> None:
    ours = json.loads(json.dumps(codec(provider).encode(request_of(provider, conversation))))
    theirs = sent_by_the_oracle(server, provider, conversation)

    assert ours["model"] == theirs["model"]
    assert normal(ours.get("system")) == normal(theirs.get("system"))
    assert [normal(one) for one in ours["messages"]] == [normal(one) for one in theirs["messages"]]
    assert [normal(one) for one in ours.get("tools", [])] == [
        normal(one) for one in theirs.get("tools") or []
    ]


def sent_by_the_oracle(
    server: ModelServer, provider: str, conversation: Conversation
) -> Mapping[str, Any]:
    server.play(Say("ok"))
    asyncio.run(_asked(access_of(provider, server.base_url(provider)), conversation))
    return server.received[0].body


async def _asked(access: Access, conversation: Conversation) -> None:
    from pydantic_ai.direct import model_request
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=dict(tool.parameters),
            strict=False,
        )
        for tool in conversation.tools
    ]
    async with web_client(access.choice.base_url) as web:
        await model_request(
            model_of(access, web),
            _messages(access.choice.provider, conversation),
            model_settings={"max_tokens": LONGEST},
            model_request_parameters=ModelRequestParameters(function_tools=tools),
        )


def _messages(provider: str, conversation: Conversation) -> Sequence[Any]:
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    said = conversation.instructions
    messages: list[Any] = [
        ModelRequest(parts=[UserPromptPart(conversation.question)], instructions=said)
    ]
    prefix = "toolu" if provider == "anthropic" else "call"
    for number, (one, results) in enumerate(conversation.turns):
        ids = [f"{prefix}_{number}_{index}" for index in range(len(one.calls))]
        parts: list[Any] = [TextPart(one.text)] if one.text else []
        parts += [
            ToolCallPart(name, dict(given), id_)
            for (name, given), id_ in zip(one.calls, ids, strict=True)
        ]
        returned: list[Any] = [
            ToolReturnPart(name, result, id_)
            for (name, _), result, id_ in zip(one.calls, results, ids, strict=True)
        ]
        messages += [
            ModelResponse(parts=parts),
            ModelRequest(parts=returned or [UserPromptPart("Go on.")], instructions=said),
        ]

    return messages


def normal(written: Any) -> Any:
    """The same thing for what means the same: a text alone or as the only block, JSON as text in
    any spelling, and keys that say nothing."""
    if isinstance(written, list):
        blocks = [normal(one) for one in written]
        is_text = (
            len(blocks) == 1
            and isinstance(blocks[0], dict)
            and set(blocks[0])
            == {
                "type",
                "text",
            }
        )
        return blocks[0]["text"] if is_text else blocks
    if not isinstance(written, dict):
        return written

    meaningless = {
        "is_error": False,
        "strict": False,
        "cache_control": written.get("cache_control"),
    }
    kept = {
        key: normal(value)
        for key, value in written.items()
        if value is not None and (key not in meaningless or meaningless[key] != value)
    }
    if isinstance(kept.get("arguments"), str):
        kept["arguments"] = json.loads(kept["arguments"])

    return kept
