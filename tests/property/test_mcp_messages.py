"""Any message that the official package of MCP reads, we read the same; what we write, it reads; and
nothing that a server writes is more than a sentence."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import mcp_types as official
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import methods
from mcp_types.jsonrpc import (
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from core.agent.mcp import messages
from core.agent.mcp.messages import UnreadableError

T = TypeVar("T")

MANY = settings(max_examples=300, deadline=None)

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
TABLE = st.dictionaries(TEXT, JSON, max_size=3)
VERSIONS = st.sampled_from(KNOWN_PROTOCOL_VERSIONS)


def built(model: type[BaseModel], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(fields).map(lambda values: model(**values))


def tried(read: Callable[[Any], T], value: Any) -> T | UnreadableError:
    try:
        return read(value)
    except UnreadableError as error:
        return error


def wire(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


@st.composite
def spoiled(draw: st.DrawFn, whole: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    """Such a value, or one in which something is missing, new or of another type."""
    value: dict[str, Any] = json.loads(json.dumps(draw(whole)))
    places = [value]
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.sampled_from(places))
        if place and draw(st.booleans()):
            key = draw(st.sampled_from(sorted(place)))
            places += [one for one in _tables(place[key]) if one not in places]
            place[key] = draw(JSON)
        else:
            place[draw(TEXT)] = draw(JSON)
    return value


def _tables(value: Any) -> list[dict[str, Any]]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]


ANNOTATIONS = built(
    official.ToolAnnotations,
    title=st.none() | TEXT,
    read_only_hint=st.none() | st.booleans(),
    destructive_hint=st.none() | st.booleans(),
    open_world_hint=st.none() | st.booleans(),
)
TOOLS = built(
    official.Tool,
    name=TEXT,
    description=st.none() | TEXT,
    input_schema=TABLE.map(lambda table: {**table, "type": "object"}),
    annotations=st.none() | ANNOTATIONS,
)
PAGES = built(
    official.ListToolsResult,
    tools=st.lists(TOOLS, max_size=3),
    next_cursor=st.none() | TEXT,
).map(wire)

RESOURCES = built(official.TextResourceContents, uri=st.just("a:b"), text=TEXT) | built(
    official.BlobResourceContents, uri=st.just("a:b"), blob=st.just("AA==")
)
PARTS = st.one_of(
    built(official.TextContent, text=TEXT),
    built(official.ImageContent, data=st.just("AA=="), mime_type=TEXT),
    built(official.AudioContent, data=st.just("AA=="), mime_type=TEXT),
    built(official.EmbeddedResource, resource=RESOURCES),
    built(official.ResourceLink, uri=st.just("a:b"), name=TEXT),
)
RESULTS = built(
    official.CallToolResult,
    content=st.lists(PARTS, max_size=4),
    structured_content=st.none() | TABLE,
    is_error=st.booleans(),
).map(wire)


def read_by_official(method: str, version: str, raw: dict[str, Any]) -> Any:
    """What the official client reads, as it reads it; None if it refuses the result."""
    try:
        return methods.parse_server_result(method, version, raw)
    except ValidationError:
        return None


@MANY
@given(raw=spoiled(PAGES), version=VERSIONS)
def test_a_list_of_tools_is_read_as_the_official_package_reads_it(
    raw: dict[str, Any], version: str
) -> None:
    theirs = read_by_official("tools/list", version, raw)
    page = tried(messages.read_tools, raw)
    if isinstance(page, UnreadableError):
        assert str(page)
        assert theirs is None
        return

    if theirs is not None:
        assert page.next_cursor == theirs.next_cursor
        assert [
            (
                tool.name,
                tool.description,
                tool.input_schema,
                bool(tool.annotations and tool.annotations.read_only),
                tool.annotations and tool.annotations.open_world,
            )
            for tool in page.tools
        ] == [
            (
                tool.name,
                tool.description,
                tool.input_schema,
                bool(tool.annotations and tool.annotations.read_only_hint),
                tool.annotations and tool.annotations.open_world_hint,
            )
            for tool in theirs.tools
        ]


@MANY
@given(raw=spoiled(RESULTS), version=VERSIONS)
def test_the_result_of_a_call_is_read_as_the_official_package_reads_it(
    raw: dict[str, Any], version: str
) -> None:
    theirs = read_by_official("tools/call", version, raw)
    result = tried(messages.read_call, raw)
    if isinstance(result, UnreadableError):
        assert str(result)
        assert not isinstance(theirs, official.CallToolResult)
        return

    if isinstance(theirs, official.CallToolResult):
        assert bool(result.is_error) == theirs.is_error
        assert result.text == "\n".join(
            getattr(part, "text", None) or f"[{part.type}]" for part in theirs.content
        )


GREETINGS = built(
    official.InitializeResult,
    protocol_version=TEXT | VERSIONS,
    capabilities=st.just(official.ServerCapabilities()),
    server_info=built(official.Implementation, name=TEXT, version=TEXT),
    instructions=st.none() | TEXT,
).map(wire)
DISCOVERIES = built(
    official.DiscoverResult,
    supported_versions=st.lists(TEXT | VERSIONS, max_size=3),
    capabilities=st.just(official.ServerCapabilities()),
).map(wire)


@MANY
@given(greeting=spoiled(GREETINGS), discovery=spoiled(DISCOVERIES))
def test_a_greeting_is_read_as_the_official_package_reads_it(
    greeting: dict[str, Any], discovery: dict[str, Any]
) -> None:
    theirs = read_by_official("initialize", "2025-11-25", greeting)
    if theirs is not None:
        assert messages.read_greeting(greeting).version == theirs.protocol_version

    found = read_by_official("server/discover", "2026-07-28", discovery)
    if found is not None:
        assert messages.read_discovery(discovery).versions == found.supported_versions


IDENTIFIERS = st.integers(-(2**53), 2**53) | TEXT
ERRORS = st.fixed_dictionaries(
    {"code": st.integers(-(2**31), 2**31), "message": TEXT}, optional={"data": JSON}
)
Fields = dict[str, st.SearchStrategy[Any]]


def envelopes(required: Fields, optional: Fields) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), **required},
        optional={"id": st.none() | IDENTIFIERS, **optional, "trace": JSON},
    )


# None is two of them at once: JSON-RPC forbids it, and each reader guesses.
ENVELOPES = (
    envelopes({"method": TEXT}, {"params": TABLE})
    | envelopes({"result": TABLE}, {})
    | envelopes({"error": ERRORS}, {})
    | envelopes({}, {"params": TABLE})
)


@MANY
@given(raw=ENVELOPES | JSON)
def test_a_message_is_taken_for_what_the_official_package_takes_it_for(raw: Any) -> None:
    line = json.dumps(raw).encode()
    try:
        theirs = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        theirs = None

    for value in messages.read_line(line):
        ours = tried(messages.read_message, value)
        if isinstance(ours, UnreadableError):
            assert str(ours)
            assert theirs is None
            continue

        match theirs:
            case JSONRPCRequest() | JSONRPCNotification():
                assert ours.method == theirs.method
                assert ours.id == getattr(theirs, "id", None)
            case JSONRPCResponse():
                assert ours.method is None
                assert (ours.id, ours.result) == (theirs.id, theirs.result)
            case JSONRPCError() if theirs.id is None:
                assert ours.id is None, "neither of us can tell whom it is for"
            case JSONRPCError():
                assert ours.method is None
                assert ours.result is None
                assert ours.error
                assert (ours.id, ours.error.code) == (theirs.id, theirs.error.code)
                assert ours.error.message == theirs.error.message


@MANY
@given(line=st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_whatever_a_server_writes_is_read_or_refused(line: bytes) -> None:
    for value in messages.read_line(line):
        message = tried(messages.read_message, value)
        assert not isinstance(message, UnreadableError) or str(message)


# -- what we write ---------------------------------------------------------------------------------


CLIENT = {"name": "heartbeat", "version": "1.0"}


def parsed(line: bytes) -> JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError:
    assert b"\n" not in line
    return jsonrpc_message_adapter.validate_json(line, by_name=False)


@MANY
@given(number=st.integers(1, 10**6), name=TEXT, arguments=TABLE, cursor=TEXT, version=VERSIONS)
def test_the_official_package_reads_our_requests(
    number: int, name: str, arguments: dict[str, Any], cursor: str, version: str
) -> None:
    asked: dict[str, dict[str, Any]] = {
        "tools/call": {"name": name, "arguments": arguments},
        "tools/list": {"cursor": cursor} if cursor else {},
    }
    if version in HANDSHAKE_PROTOCOL_VERSIONS:
        asked["initialize"] = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": CLIENT,
        }
    else:
        asked["server/discover"] = {}
        asked = {method: messages.stateless(one, CLIENT) for method, one in asked.items()}

    for method, parameters in asked.items():
        message = parsed(messages.request(number, method, parameters))
        assert isinstance(message, JSONRPCRequest)
        assert (message.id, message.method) == (number, method)
        assert (message.params or {}) == parameters

        request = methods.parse_client_request(method, version, message.params)
        if isinstance(request, official.CallToolRequest):
            assert request.params.arguments == arguments


@MANY
@given(number=st.integers(1, 10**6), reason=TEXT, identifier=IDENTIFIERS, version=VERSIONS)
def test_the_official_package_reads_our_notifications_and_answers(
    number: int, reason: str, identifier: int | str, version: str
) -> None:
    cancelled = parsed(
        messages.notification("notifications/cancelled", {"requestId": number, "reason": reason})
    )
    assert isinstance(cancelled, JSONRPCNotification)
    methods.validate_client_notification(cancelled.method, version, cancelled.params)

    if version in HANDSHAKE_PROTOCOL_VERSIONS:
        initialized = parsed(messages.notification("notifications/initialized", {}))
        assert isinstance(initialized, JSONRPCNotification)
        methods.validate_client_notification(initialized.method, version, initialized.params)

    pong = parsed(messages.result(identifier, {}))
    assert isinstance(pong, JSONRPCResponse)
    assert (pong.id, pong.result) == (identifier, {})

    refused = parsed(messages.refusal(identifier, -32601, reason))
    assert isinstance(refused, JSONRPCError)
    assert (refused.id, refused.error.code, refused.error.message) == (identifier, -32601, reason)
