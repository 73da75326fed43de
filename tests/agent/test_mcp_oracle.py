"""Our client of MCP servers against the official one: with the same server, both find the same
tools and the same answers."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import CallToolResult, Tool
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from core.adapters.processes.tool_servers import SystemToolServers
from core.agent.mcp import client as mcp_client
from core.agent.mcp.client import ServerTool, ServerTroubleError, ToolServers
from core.agent.mcp.protocol import STATELESS_VERSION, VERSIONS
from core.model.settings import McpServer
from tests.e2e.machine import wait_for

BIN = Path(sys.executable).parent
PEERS = Path(sys.prefix) / "peers" / "node_modules" / ".bin"  # `./run test` installs them
OFFICIAL = Path(__file__).with_name("official_server.py")
ALL_VERSIONS = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)
Calls = list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Seen:
    """What a client gets from a server."""

    tools: list[tuple[str, str, Mapping[str, Any], bool, bool]]
    answers: list[str]


@contextmanager
def ours(words: tuple[str, ...], folder: Path) -> Iterator[tuple[ToolServers, list[ServerTool]]]:
    servers = ToolServers(
        {"x": McpServer(words[0], words[1:])},
        folder,
        dict(os.environ),
        SystemToolServers(time.monotonic),
        time.monotonic,
    )
    try:
        tools = servers.start()
        assert servers.troubles == {}
        yield servers, list(tools)
    finally:
        servers.close()


def answer(servers: ToolServers, tools: list[ServerTool], name: str, **arguments: Any) -> str:
    (tool,) = [one for one in tools if one.own_name == name]
    try:
        return servers.call(tool, arguments)
    except ServerTroubleError as error:
        return f"error: {error}"


def seen_by_ours(words: tuple[str, ...], folder: Path, calls: Calls) -> Seen:
    with ours(words, folder) as (servers, tools):
        listed = [
            (one.own_name, one.description, one.parameters, one.only_reads, one.is_local)
            for one in tools
        ]
        return Seen(
            listed, [answer(servers, tools, name, **arguments) for name, arguments in calls]
        )


def seen_by_official(words: tuple[str, ...], folder: Path, calls: Calls) -> Seen:
    async def talk() -> Seen:
        parameters = StdioServerParameters(
            command=words[0], args=list(words[1:]), env=dict(os.environ), cwd=folder
        )
        with open(os.devnull, "w") as null:
            async with Client(stdio_client(parameters, errlog=null), mode="auto") as client:
                tools: list[Tool] = []
                cursor: str | None = None
                while True:
                    page = await client.list_tools(cursor=cursor)
                    tools += page.tools
                    cursor = page.next_cursor
                    if cursor is None:
                        break
                answers = [await said(client, name, arguments) for name, arguments in calls]
                return Seen([described(tool) for tool in tools], answers)

    return asyncio.run(asyncio.wait_for(talk(), 60))


async def said(client: Client, name: str, arguments: dict[str, Any]) -> str:
    try:
        result = await client.call_tool(name, arguments)
    except Exception as error:
        return f"error: The server x gave no answer: {error}"

    assert isinstance(result, CallToolResult)
    text = "\n".join(getattr(part, "text", None) or f"[{part.type}]" for part in result.content)
    if result.is_error:
        return f"error: The server x says that it failed: {text}"
    return text or "[nothing]"


def described(tool: Tool) -> tuple[str, str, Mapping[str, Any], bool, bool]:
    hints = tool.annotations
    only_reads = bool(hints and hints.read_only_hint)
    is_local = only_reads and hints is not None and hints.open_world_hint is False
    description = " ".join((tool.description or "").split())[:300]
    return tool.name, description, tool.input_schema, only_reads, is_local


def test_we_know_the_versions_that_the_official_package_knows() -> None:
    assert tuple(reversed(VERSIONS)) == HANDSHAKE_PROTOCOL_VERSIONS
    assert (STATELESS_VERSION,) == MODERN_PROTOCOL_VERSIONS


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_both_see_the_same_in_a_server_of_each_version(version: str, tmp_path: Path) -> None:
    words = (sys.executable, str(OFFICIAL), version)
    names = ["text", "nothing", "image", "audio", "resources", "structured", "fail", "long"]
    calls: Calls = [(name, {}) for name in names]
    calls += [("echo", {"words": 'Grüße\n😀 \u2028 \\ "'}), ("refuse", {})]

    seen = seen_by_ours(words, tmp_path, calls)
    assert seen == seen_by_official(words, tmp_path, calls)
    assert len(seen.tools) == 12
    assert seen.answers[0] == "one\nGrüße\n😀 \u2028\n[text]"
    assert seen.answers[-1] == "error: The server x gave no answer: Not today."


def git_repository(folder: Path) -> Path:
    repository = folder / "code"
    subprocess.run(["git", "init", "-q", repository], check=True)
    (repository / "a.md").write_text("new\n")
    return repository


def test_both_see_the_same_in_the_git_server(tmp_path: Path) -> None:
    repository = str(git_repository(tmp_path))
    words = (str(BIN / "mcp-server-git"), "--repository", repository)
    calls: Calls = [
        ("git_status", {"repo_path": repository}),
        ("git_status", {"repo_path": str(tmp_path / "nowhere")}),
        ("git_status", {}),
    ]
    seen = seen_by_ours(words, tmp_path, calls)
    assert seen == seen_by_official(words, tmp_path, calls)
    assert "a.md" in seen.answers[0]


def test_both_see_the_same_in_the_time_server(tmp_path: Path) -> None:
    words = (str(BIN / "mcp-server-time"), "--local-timezone", "Europe/Berlin")
    convert = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    calls: Calls = [
        ("convert_time", convert),
        ("convert_time", {**convert, "source_timezone": "Mars/Base"}),
    ]
    seen = seen_by_ours(words, tmp_path, calls)
    assert seen == seen_by_official(words, tmp_path, calls)
    assert "21:00" in seen.answers[0]


def test_both_see_the_same_in_the_filesystem_server_from_npm(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "a.md").write_text("hello\n")
    words = (str(PEERS / "mcp-server-filesystem"), str(shared))
    calls: Calls = [
        ("read_text_file", {"path": str(shared / "a.md")}),
        ("list_directory", {"path": str(shared)}),
        ("read_text_file", {"path": str(tmp_path / "b.md")}),
    ]
    seen = seen_by_ours(words, tmp_path, calls)
    assert seen == seen_by_official(words, tmp_path, calls)
    assert seen.answers[0] == "hello\n"


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_the_official_server_gets_its_answers_from_us(version: str, tmp_path: Path) -> None:
    with ours((sys.executable, str(OFFICIAL), version), tmp_path) as (servers, tools):
        assert answer(servers, tools, "ask") == "EmptyResult MCPError"


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_the_official_server_stops_what_we_gave_up(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ours((sys.executable, str(OFFICIAL), version), tmp_path) as (servers, tools):
        with monkeypatch.context() as patch:
            patch.setattr(mcp_client, "CALL_TIMEOUT", 1.0)
            assert answer(servers, tools, "hang").endswith("it did not answer in time")
        wait_for((tmp_path / "cancelled").exists, "the end of the call")
        assert answer(servers, tools, "echo", words="go on") == "go on"
