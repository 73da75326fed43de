"""The client of MCP servers, with a server that the test plays."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core.adapters.waiting.cancellation import CancelSwitch
from core.agent.mcp import client as mcp_client
from core.agent.mcp import session as mcp_session
from core.agent.mcp.client import ServerTroubleError
from core.agent.mcp.protocol import VERSIONS
from core.model.process import LONGEST_LINE
from tests.fakes.processes import FakeToolServer
from tests.unit.agent.mcp.played_server import (
    TEXT,
    TOOL,
    Line,
    Played,
    answer,
    greeting,
    refuse,
    say,
    silence,
)

Request = dict[str, Any]


@pytest.fixture
def play() -> Iterator[Callable[..., Played]]:
    played: list[Played] = []

    def begin(*words: Any, **answers: Any) -> Played:
        played.append(Played(*words, **answers))
        return played[-1]

    yield begin
    for one in played:
        one.servers.close()


Play = Callable[..., Played]


def then(*messages: object) -> Line:
    """Says these messages, then the text that a call asks for."""

    def line(server: FakeToolServer, request: Request) -> None:
        for message in messages:
            say(server, message)
        answer(server, request, TEXT)

    return line


def raw(*lines: bytes) -> Line:
    def line(server: FakeToolServer, request: Request) -> None:
        for one in lines:
            server.say(one)

    return line


def no_answer(played: Played) -> str:
    with pytest.raises(ServerTroubleError) as trouble:
        played.call()
    return str(trouble.value)


# -- the handshake ---------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_with_a_greeting_is_spoken(play: Play, version: str) -> None:
    played = play(initialize=greeting(version))
    assert played.call() == "seen"
    assert played.methods() == [
        "initialize",
        "notifications/initialized",
        "tools/list",
        "tools/call",
    ]
    assert played.got[0]["params"]["protocolVersion"] == "2025-11-25"
    assert played.got[0]["params"]["clientInfo"]["name"] == "heartbeat"


@pytest.mark.parametrize("version", ["1999-01-01", "2026-07-28", ""])
def test_another_version_is_named(play: Play, version: str) -> None:
    played = play(initialize=greeting(version))
    assert played.trouble == (
        f"it speaks version {version} of the protocol, and we speak 2025-11-25, 2025-06-18, "
        "2025-03-26, 2024-11-05"
    )
    assert not played.process.is_running


def test_a_server_that_knows_no_greeting_is_asked_without(play: Play) -> None:
    played = play(
        initialize=refuse(-32022, "no handshake"),
        server_discover={"supportedVersions": ["2026-07-28"], "capabilities": {}},
        tools_call={**TEXT, "resultType": "complete"},
    )
    assert played.call(what="all") == "seen"
    assert played.methods() == ["initialize", "server/discover", "tools/list", "tools/call"]
    for message in played.got[1:]:
        meta = message["params"]["_meta"]
        assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
        assert meta["io.modelcontextprotocol/clientInfo"]["name"] == "heartbeat"
        assert meta["io.modelcontextprotocol/clientCapabilities"] == {}
    assert played.got[-1]["params"]["arguments"] == {"what": "all"}


@pytest.mark.parametrize(
    "found",
    [
        None,
        {"supportedVersions": ["2031-01-01"], "capabilities": {}},
        {"supportedVersions": "2026-07-28"},
        {},
    ],
)
def test_what_a_server_says_to_the_greeting_is_passed_on(play: Play, found: object) -> None:
    played = play(initialize=refuse(-32600, "Pay first."), server_discover=found)
    assert played.trouble == "Pay first."


def test_of_a_long_refusal_the_beginning_is_kept(play: Play) -> None:
    played = play(initialize=refuse(-32600, "No! " * 10_000))
    assert played.trouble == ("No! " * 10_000)[:300]


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        ({}, "its answer cannot be read: protocolVersion Field required"),
        ({"protocolVersion": 3}, "its answer cannot be read: protocolVersion Input should be"),
        ([], "its answer cannot be read: result Input should be"),
        ("hello", "its answer cannot be read: result Input should be"),
    ],
)
def test_a_greeting_that_cannot_be_read_is_a_sentence(
    play: Play, result: object, sentence: str
) -> None:
    def line(server: FakeToolServer, request: Request) -> None:
        answer(server, request, result)

    assert play(initialize=line).trouble.startswith(sentence)


def test_a_program_that_is_not_there_is_a_sentence(play: Play) -> None:
    played = play()
    played.processes.takes = {}
    assert played.trouble == "there is no such program"


# -- the list of tools -----------------------------------------------------------------------------


def pages(*pages: Request) -> Line:
    left = list(pages)

    def line(server: FakeToolServer, request: Request) -> None:
        answer(server, request, left.pop(0))

    return line


def named(*names: str) -> list[Request]:
    return [{**TOOL, "name": name} for name in names]


def test_the_tools_of_all_pages_are_listed(play: Play) -> None:
    played = play(
        tools_list=pages(
            {"tools": named("a", "b"), "nextCursor": "2"},
            {"tools": [], "nextCursor": "3"},
            {"tools": named("c!"), "nextCursor": None},
        )
    )
    assert [tool.name for tool in played.start()] == ["played_a", "played_b", "played_c_"]
    assert [one.get("params") for one in played.got if one.get("method") == "tools/list"] == [
        None,
        {"cursor": "2"},
        {"cursor": "3"},
    ]


def test_a_list_without_end_is_given_up(play: Play) -> None:
    played = play(tools_list={"tools": [], "nextCursor": "more"})
    assert played.start() == ()
    assert played.methods().count("tools/list") == mcp_session.MOST_PAGES


def test_of_too_many_tools_the_first_are_offered(play: Play) -> None:
    played = play(tools_list={"tools": named(*map(str, range(40))), "nextCursor": "more"})
    assert len(played.start()) == mcp_session.MOST_TOOLS
    assert played.methods().count("tools/list") == 2


def test_a_tool_is_offered_as_the_server_describes_it(play: Play) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "$defs": {}}
    listed = {
        "name": "x" * 80,
        "description": f" Looks\n\n{'at it ' * 100}",
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True, "openWorldHint": False, "title": "Look"},
        "icons": "new in the next version",
    }
    (tool,) = play(tools_list={"tools": [listed]}).start()
    assert tool.own_name == "x" * 80
    assert tool.name == f"played_{'x' * 80}"[:64]
    assert tool.description.startswith("Looks at it at it")
    assert len(tool.description) == 300
    assert tool.parameters == schema
    assert (tool.only_reads, tool.is_local) == (True, True)


@pytest.mark.parametrize(
    ("hints", "only_reads", "is_local"),
    [
        (None, False, False),
        ({}, False, False),
        ({"openWorldHint": False}, False, False),
        ({"readOnlyHint": True}, True, False),
        ({"readOnlyHint": True, "openWorldHint": True}, True, False),
        ({"readOnlyHint": True, "openWorldHint": False}, True, True),
    ],
)
def test_only_what_a_server_says_clearly_counts(
    play: Play, hints: object, only_reads: bool, is_local: bool
) -> None:
    (tool,) = play(tools_list={"tools": [{**TOOL, "annotations": hints}]}).start()
    assert (tool.only_reads, tool.is_local) == (only_reads, is_local)


@pytest.mark.parametrize(
    ("tools", "sentence"),
    [
        ([{"name": "a"}], "tools.0.inputSchema Field required"),
        ([{"inputSchema": {"type": "object"}}], "tools.0.name Field required"),
        ([{"name": "a", "inputSchema": {}}], "the parameters of a: type Field required"),
        ([{"name": "a", "inputSchema": {"type": "array"}}], "the parameters of a: type Input"),
        ({"a": 1}, "tools Input should be a valid"),
        (None, "tools Input should be a valid"),
    ],
)
def test_a_list_that_cannot_be_read_is_a_sentence(play: Play, tools: object, sentence: str) -> None:
    played = play(tools_list={"tools": tools})
    assert played.trouble.startswith(f"its answer cannot be read: {sentence}")


# -- calls -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ({"content": []}, "[nothing]"),
        ({"content": [{"type": "text", "text": ""}]}, "[text]"),
        ({"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]}, "[image]"),
        ({"content": [{"type": "image", "text": "no"}]}, "[image]"),
        (
            {"content": [{"type": "resource", "resource": {"uri": "a:b", "text": "no"}}]},
            "[resource]",
        ),
        ({"content": [{"type": "hologram"}]}, "[hologram]"),
        ({"content": [], "structuredContent": {"a": 1}, "isError": None}, "[nothing]"),
        ({**TEXT, "structuredContent": {"a": 1}, "_meta": {"b": 2}}, "seen"),
    ],
)
def test_what_a_call_returns_is_text(play: Play, result: Request, said: str) -> None:
    assert play(tools_call=result).call() == said


def test_a_result_can_be_an_error(play: Play) -> None:
    assert no_answer(play(tools_call={**TEXT, "isError": True})) == (
        "The server played says that it failed: seen"
    )


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        ({}, "content Field required"),
        ({"content": "seen"}, "content Input should be"),
        ({"content": [{"type": "text"}], "isError": "maybe"}, "isError Input should be"),
        ({"content": [{"text": "no type"}]}, "content.0"),
        (
            {"resultType": "input_required", "requestState": "x"},
            "it asks the person for something, and nobody is there",
        ),
        (["seen"], "result Input should be"),
        (None, "its answer has no result"),
    ],
)
def test_a_result_that_cannot_be_read_is_a_sentence(
    play: Play, result: object, sentence: str
) -> None:
    def line(server: FakeToolServer, request: Request) -> None:
        answer(server, request, result)

    said = no_answer(play(tools_call=line))
    assert said.startswith("The server played gave no answer: its answer ")
    assert sentence in said


def test_a_refusal_is_passed_on(play: Play) -> None:
    played = play(tools_call=refuse(-32602, "Unknown tool."))
    assert no_answer(played) == "The server played gave no answer: Unknown tool."


def test_arguments_arrive_as_they_are(play: Play) -> None:
    played = play()
    played.call(text="Grüße \n 😀 \u2028", deep={"list": [1, None, 2.5, True]})
    assert played.got[-1]["params"] == {
        "name": "look",
        "arguments": {"text": "Grüße \n 😀 \u2028", "deep": {"list": [1, None, 2.5, True]}},
    }
    played.call(text="half a character: \ud800")
    assert played.got[-1]["params"]["arguments"]["text"] == "half a character: ?"


def test_arguments_that_json_cannot_say_are_refused(play: Play) -> None:
    played = play()
    with pytest.raises(ServerTroubleError, match="JSON cannot say"):
        played.call(number=float("nan"))
    assert played.call() == "seen"


def test_calls_from_several_threads_get_their_own_answers(play: Play) -> None:
    waiting: list[tuple[FakeToolServer, Request]] = []

    def line(server: FakeToolServer, request: Request) -> None:
        waiting.append((server, request))
        if len(waiting) == 8:  # answered in the other order, with the number as text
            for one, asked in reversed(waiting):
                text = str(asked["params"]["arguments"]["number"])
                result = {"content": [{"type": "text", "text": text}]}
                say(one, {"jsonrpc": "2.0", "id": str(asked["id"]), "result": result})

    played = play(tools_call=line)
    played.start()
    said: dict[int, str] = {}

    def call(number: int) -> None:
        said[number] = played.call(number=number)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert said == {number: str(number) for number in range(8)}


# -- what a server says besides its answers --------------------------------------------------------


@pytest.mark.parametrize(
    "noise",
    [
        {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x"}},
        {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"},
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": "half"}},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": 99, "result": {"content": []}},
        {"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "not yours"}},
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "What?"}},
        {"jsonrpc": "2.0", "id": True, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "result": greeting()},
        {"id": 77, "result": {}},
        {"hello": "world"},
        [],
        [[]],
        "a text",
        42,
        None,
    ],
)
def test_what_nobody_asked_for_is_ignored(play: Play, noise: object) -> None:
    played = play(tools_call=then(noise))
    assert played.call() == "seen"
    assert played.call() == "seen"


@pytest.mark.parametrize(
    "line",
    [b"Welcome!", b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"jsonrpc": "2.0", "id": 3', b"\x00"],
)
def test_lines_that_are_not_the_protocol_are_ignored(play: Play, line: bytes) -> None:
    def say_it(server: FakeToolServer, request: Request) -> None:
        server.say(line)
        answer(server, request, TEXT)

    assert play(tools_call=say_it).call() == "seen"


def test_several_messages_in_one_line_are_all_read(play: Play) -> None:
    def line(server: FakeToolServer, request: Request) -> None:
        noise = {"jsonrpc": "2.0", "method": "notifications/message"}
        say(server, [noise, 3, {"jsonrpc": "2.0", "id": request["id"], "result": TEXT}])

    assert play(tools_call=line).call() == "seen"


def test_only_the_first_of_two_answers_counts(play: Play) -> None:
    def line(server: FakeToolServer, request: Request) -> None:
        answer(server, request, TEXT)
        answer(server, request, {"content": [{"type": "text", "text": "again"}]})

    played = play(tools_call=line)
    assert [played.call(), played.call()] == ["seen", "seen"]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("ping", {"result": {}}),
        ("roots/list", {"error": {"code": -32601, "message": "There is no method roots/list."}}),
        (
            "sampling/createMessage",
            {"error": {"code": -32601, "message": "There is no method sampling/createMessage."}},
        ),
        (
            "elicitation/create",
            {"error": {"code": -32601, "message": "There is no method elicitation/create."}},
        ),
    ],
)
def test_requests_of_the_server_are_answered(
    play: Play, method: str, expected: dict[str, Any]
) -> None:
    asked = {"jsonrpc": "2.0", "id": "own-1", "method": method, "params": {}}

    def wait_for_reply(server: FakeToolServer, request: Request) -> None:
        say(server, asked)
        calls.append((server, request))

    def reply(server: FakeToolServer, message: Request) -> None:
        replies.append(message)
        answer(*calls[-1], TEXT)

    calls: list[tuple[FakeToolServer, Request]] = []
    replies: list[Request] = []
    played = play(tools_call=wait_for_reply)
    played.answers[""] = reply  # an answer has no method
    assert played.call() == "seen"
    assert replies == [{"jsonrpc": "2.0", "id": "own-1", **expected}]


# -- servers that misbehave ------------------------------------------------------------------------


def test_a_request_that_cannot_be_read_does_not_answer_ours(play: Play) -> None:
    """It has a number of its own, which may be the same as one of ours."""

    def ask_first(server: FakeToolServer, request: Request) -> None:
        say(server, {"jsonrpc": "1.0", "id": request["id"], "method": "sampling/createMessage"})
        answer(server, request, TEXT)

    assert play(tools_call=ask_first).call() == "seen"


def test_silence_at_the_start_is_given_up(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_client, "START_TIMEOUT", 0.2)
    played = play(initialize=silence)
    assert played.trouble == "it did not answer in time"
    assert "notifications/cancelled" not in played.methods(), "the protocol forbids it here"
    assert not played.process.is_running


def test_silence_during_a_call_is_given_up_and_the_server_is_told(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_client, "CALL_TIMEOUT", 0.2)
    played = play(tools_call=silence)
    assert no_answer(played) == "The server played gave no answer: it did not answer in time"
    asked, told = played.got[-2:]
    assert told["method"] == "notifications/cancelled"
    assert told["params"]["requestId"] == asked["id"]
    assert "id" not in told


def test_an_answer_that_comes_too_late_is_dropped(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(server: FakeToolServer, message: Request) -> None:
        result = {"content": [{"type": "text", "text": "late"}]}
        say(server, {"jsonrpc": "2.0", "id": message["params"]["requestId"], "result": result})

    played = play(tools_call=silence, notifications_cancelled=late)
    played.start()
    with monkeypatch.context() as patch:
        patch.setattr(mcp_client, "CALL_TIMEOUT", 0.1)
        no_answer(played)
    played.answers["tools_call"] = TEXT
    assert played.call() == "seen"


@pytest.mark.parametrize("when", ["call", "start"])
def test_a_cancellation_ends_every_wait(play: Play, when: str) -> None:
    switch = CancelSwitch()

    def cancel(server: FakeToolServer, request: Request) -> None:
        switch.set()

    before = time.monotonic()
    if when == "call":
        played = play(switch, tools_call=cancel)
        assert no_answer(played) == "The beat is being stopped."
        assert played.methods()[-1] == "notifications/cancelled"
    else:
        played = play(switch, initialize=cancel)
        assert played.trouble == "the beat is being stopped"
    assert time.monotonic() - before < 10
    switch.close()


def test_a_crash_during_a_call_is_a_sentence(play: Play) -> None:
    def crash(server: FakeToolServer, request: Request) -> None:
        server.exit()

    played = play(tools_call=crash)
    assert no_answer(played) == "The server played gave no answer: Connection closed"
    assert no_answer(played).startswith("The server played gave no answer: ")


def test_a_crash_at_the_start_is_a_sentence(play: Play) -> None:
    played = play()
    played.processes.begins["played"] = FakeToolServer.exit
    assert played.trouble == "Connection closed"


def test_a_server_that_reads_nothing_is_a_sentence(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_client, "CALL_TIMEOUT", 0.01)

    def turn_deaf(server: FakeToolServer, request: Request) -> None:
        server.is_deaf = True

    played = play(tools_call=turn_deaf)
    sentences = {no_answer(played) for _ in range(200)}
    assert sentences == {
        "The server played gave no answer: it did not answer in time",
        "The server played gave no answer: it does not read what it is sent",
    }


def test_a_line_that_is_too_long_is_a_sentence_and_the_server_goes_on(play: Play) -> None:
    played = play(tools_call=raw(b"x" * (LONGEST_LINE + 1)))
    assert no_answer(played) == (
        "The server played gave no answer: it wrote a line of more than 8 MiB"
    )
    played.answers["tools_call"] = TEXT
    assert played.call() == "seen"


def test_a_flood_does_not_hide_the_answer(play: Play) -> None:
    noise = json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}).encode()

    def flood(server: FakeToolServer, request: Request) -> None:
        for _ in range(20_000):
            server.say(noise)
        answer(server, request, TEXT)

    assert play(tools_call=flood).call() == "seen"


def test_after_the_end_a_call_is_a_sentence_and_nothing_starts_any_more(play: Play) -> None:
    played = play()
    (tool,) = played.start()
    played.servers.close()
    played.servers.close()
    assert not played.process.is_running
    with pytest.raises(ServerTroubleError, match="The server played has ended"):
        played.servers.call(tool, {})

    other = play()
    other.servers.close()
    assert other.trouble == "the beat is over"
    assert other.processes.started == []
