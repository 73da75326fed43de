"""What the two protocols allow and what servers make of them: written requests, read answers."""

import json
import tracemalloc
from typing import Any

import pytest

from core.agent.tool import OfferedTool
from core.agent.wire.anthropic_messages import MESSAGES
from core.agent.wire.openai_chat import CHAT, CHAT_OF_OTHERS
from core.agent.wire.protocols import codec_of
from core.agent.wire.values import (
    Answer,
    CacheTime,
    Codec,
    Failure,
    Form,
    Request,
    StopReason,
    ToolCall,
    ToolResult,
    Trouble,
    UserTurn,
)
from core.model.agent import Usage
from core.rules.providers.record import Protocol

ASK = UserTurn(text="Tidy.")
TOOL = OfferedTool("note", "Writes a note.", {"type": "object"}, changes_something=True)
FORM = Form("answer", "Answer all.", {"type": "object"})


def read(codec: Codec, written: Any) -> Answer:
    answer = codec.decode(json.dumps(written).encode())
    assert isinstance(answer, Answer), answer
    return answer


def message(*blocks: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {"content": list(blocks), "stop_reason": "end_turn", **other}


def completion(reason: str = "stop", **message: Any) -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": reason}]}


def test_every_protocol_has_a_codec() -> None:
    assert {codec_of(protocol).path for protocol in Protocol} == {"/messages", "/chat/completions"}


@pytest.mark.parametrize("codec", [MESSAGES, CHAT], ids=["anthropic", "openai"])
@pytest.mark.parametrize(
    "written", [b"", b"{", b"[]", b"null", b"{}", b'{"content": 7}', b'{"choices": []}', b"\xff"]
)
def test_what_is_not_an_answer_is_a_failure_that_says_so(codec: Codec, written: bytes) -> None:
    failure = codec.decode(written)
    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.UNREADABLE
    assert failure.said
    assert not failure.may_retry


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ({"a": 1}, {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        (None, {}),
        ("{bad", None),
        ("[1]", None),
        ([1], None),
        ("[" * 100_000, None),
    ],
    ids=lambda value: str(value)[:12],
)
def test_arguments_come_as_an_object_or_as_its_text(written: Any, arguments: Any) -> None:
    theirs = read(MESSAGES, message({"type": "tool_use", "id": "1", "name": "n", "input": written}))
    assert theirs.calls == (ToolCall("1", "n", arguments),)
    assert theirs.message["content"][0]["input"] == (arguments or {}), "it is sent back"

    call = {"id": "1", "type": "function", "function": {"name": "n", "arguments": written}}
    others = read(CHAT, completion("tool_calls", content=None, tool_calls=[call]))
    assert others.calls == (ToolCall("1", "n", arguments),)
    sent_back = others.message["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent_back) == (arguments or {})


# -- Anthropic -------------------------------------------------------------------------------------


def test_blocks_that_we_do_not_know_are_sent_back_unchanged() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2ln", "more": {"a": [1]}}
    answer = read(MESSAGES, message(thinking, {"type": "text", "text": "Done."}))

    assert answer.text == "Done."
    request = Request("m", "Be brief.", [ASK, answer, UserTurn(text="Go on.")], 100)
    assert MESSAGES.encode(request)["messages"][1]["content"][0] == thinking


@pytest.mark.parametrize("blocks", [[], [{"type": "text", "text": " "}]], ids=str)
def test_an_answer_of_nothing_is_sent_back_as_something(blocks: list[dict[str, Any]]) -> None:
    """The API refuses an empty message and a blank text."""
    answer = read(MESSAGES, message(*blocks))
    assert answer.message["content"] == [{"type": "text", "text": "(nothing)"}]


def test_tokens_of_the_cache_are_input_too() -> None:
    usage: dict[str, Any] = {
        "input_tokens": 10,
        "output_tokens": 3,
        "cache_read_input_tokens": 200,
        "cache_creation_input_tokens": None,
    }
    assert read(MESSAGES, message(usage=usage)).usage == Usage(1, 210, 3, 200, 0)

    kept = {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 70}
    usage |= {"cache_creation_input_tokens": 100, "cache_creation": kept}
    wanted = Usage(1, 310, 3, 200, 100, cache_write_hour_tokens=70)
    assert read(MESSAGES, message(usage=usage)).usage == wanted

    assert read(MESSAGES, message()).usage == Usage(1)


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", StopReason.END),
        ("tool_use", StopReason.CALLS),
        ("max_tokens", StopReason.LENGTH),
        ("refusal", StopReason.REFUSAL),
        ("pause_turn", StopReason.OTHER),
        (None, StopReason.OTHER),
    ],
)
def test_why_an_answer_of_anthropic_ended(reason: str | None, stop: StopReason) -> None:
    assert read(MESSAGES, message(stop_reason=reason)).stop is stop


def test_the_stable_part_is_marked_for_the_cache_and_the_conversation_too() -> None:
    hour = MESSAGES.encode(Request("m", "Be brief.", [ASK], 100, [TOOL], cache=CacheTime.AN_HOUR))
    assert hour["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert hour["cache_control"] == {"type": "ephemeral", "ttl": "5m"}

    never = MESSAGES.encode(Request("m", "Be brief.", [ASK], 100, [TOOL]))
    assert "cache_control" not in json.dumps(never)


def test_anthropic_is_held_to_a_form_by_a_tool() -> None:
    body = MESSAGES.encode(Request("m", "Judge.", [ASK], 100, form=FORM))
    assert body["tool_choice"] == {"type": "any"}
    assert [tool["name"] for tool in body["tools"]] == ["answer"]


def test_an_empty_result_is_something() -> None:
    turn = UserTurn((ToolResult(ToolCall("1", "n", {}), ""),))
    body = MESSAGES.encode(Request("m", "Be brief.", [turn], 100))
    assert body["messages"][0]["content"][0]["content"] == "(nothing)"


# -- OpenAI ----------------------------------------------------------------------------------------


def test_calls_without_an_id_get_one() -> None:
    calls = [{"function": {"name": "a"}}, {"id": "", "function": {"name": "b"}}]
    answer = read(CHAT, completion("tool_calls", tool_calls=calls))

    assert [call.id for call in answer.calls] == ["call_0", "call_1"]
    turn = UserTurn(tuple(ToolResult(call, "ok") for call in answer.calls))
    sent = CHAT.encode(Request("m", "Be brief.", [ASK, answer, turn], 100))["messages"]
    assert [one["tool_call_id"] for one in sent[-2:]] == ["call_0", "call_1"]


@pytest.mark.parametrize(
    "content", ["Done.", [{"type": "text", "text": "Do"}, {"type": "text", "text": "ne."}]]
)
def test_a_text_may_come_in_parts(content: Any) -> None:
    assert read(CHAT, completion(content=content)).text == "Done."


def test_a_refusal_is_one_and_its_words_are_kept() -> None:
    answer = read(CHAT, completion(content=None, refusal="I cannot do that."))
    assert (answer.stop, answer.text) == (StopReason.REFUSAL, "I cannot do that.")


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}])
def test_a_server_that_does_not_count_is_understood(usage: Any) -> None:
    assert read(CHAT, completion(content="Hi.") | {"usage": usage}).usage == Usage(1)


def test_an_answer_of_nothing_is_sent_back_as_an_empty_text() -> None:
    assert read(CHAT, completion(content=None)).message == {"role": "assistant", "content": ""}


def test_what_a_server_adds_to_an_answer_is_sent_back_unchanged() -> None:
    """Some servers sign the model's reasoning, and refuse a conversation without it."""
    signed = {"google": {"thought_signature": "c2ln"}}
    call = {
        "id": "1",
        "type": "function",
        "index": 0,
        "function": {"name": "a", "arguments": "{}"},
        "extra_content": signed,
    }
    said = completion(
        "tool_calls",
        tool_calls=[call],
        reasoning_details=[{"text": "hm"}],
        annotations=[],
        audio=None,
        function_call=None,
    )

    sent = read(CHAT, said).message

    assert sent["reasoning_details"] == [{"text": "hm"}]
    assert sent["tool_calls"][0]["extra_content"] == signed
    assert not {"annotations", "audio", "function_call", "refusal"} & sent.keys()
    assert "index" not in sent["tool_calls"][0]


@pytest.mark.parametrize("tokens", [-1, -(10**12), 10**30])
def test_a_count_that_cannot_be_is_not_believed(tokens: int) -> None:
    anthropic = read(MESSAGES, message(usage={"input_tokens": tokens, "output_tokens": tokens}))
    counted = {"prompt_tokens": tokens, "completion_tokens": tokens}
    openai = read(CHAT, completion(content="Hi.") | {"usage": counted})

    assert anthropic.usage == openai.usage == Usage(1)  # as if it had not counted


def test_openai_is_held_to_a_form_by_a_format() -> None:
    body = CHAT.encode(Request("m", "Judge.", [ASK], 100, form=FORM))
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert "tools" not in body


def test_other_servers_know_the_old_name_of_the_limit() -> None:
    request = Request("m", "Be brief.", [ASK], 100)
    assert CHAT.encode(request)["max_completion_tokens"] == 100
    assert CHAT_OF_OTHERS.encode(request)["max_tokens"] == 100


@pytest.mark.parametrize(
    ("codec", "data"),
    [
        (MESSAGES, b'{"content":[' + b"0," * 1_000_000 + b"0]}"),
        (CHAT, b'{"choices":[' + b"0," * 1_000_000 + b"0]}"),
    ],
    ids=["anthropic", "openai"],
)
def test_of_a_million_flaws_the_first_is_enough(codec: Codec, data: bytes) -> None:
    tracemalloc.start()
    try:
        answer = codec.decode(data)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert isinstance(answer, Failure)
    assert most < 20 << 20


def test_arguments_that_never_end_are_none() -> None:
    deep = '{"a":' * 100 + "1" + "}" * 100
    calls = [{"id": "1", "function": {"name": "a", "arguments": deep}}]
    assert read(CHAT, completion("tool_calls", tool_calls=calls)).calls[0].arguments is None
