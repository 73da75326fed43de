"""An MCP server that a test plays, on the fake of the processes."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.agent.mcp.client import ServerTool, ToolServers
from core.model.settings import McpServer
from core.ports.processes import Cancellation
from tests.fakes.processes import FakeToolServer, FakeToolServers

NAME = "played"
TOOL: dict[str, Any] = {"name": "look", "inputSchema": {"type": "object"}}
TEXT: dict[str, Any] = {"content": [{"type": "text", "text": "seen"}]}

Answers = Mapping[str, Any]  # the result for a method, or what makes the line
Line = Callable[[FakeToolServer, dict[str, Any]], None]


def say(server: FakeToolServer, message: object) -> None:
    server.say(json.dumps(message).encode())


def answer(server: FakeToolServer, request: Mapping[str, Any], result: object) -> None:
    say(server, {"jsonrpc": "2.0", "id": request["id"], "result": result})


def refuse(code: int, message: str) -> Line:
    def line(server: FakeToolServer, request: dict[str, Any]) -> None:
        error = {"code": code, "message": message}
        say(server, {"jsonrpc": "2.0", "id": request["id"], "error": error})

    return line


def silence(server: FakeToolServer, request: dict[str, Any]) -> None:
    pass


def greeting(version: str = "2025-11-25") -> dict[str, Any]:
    return {
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "played", "version": "1"},
    }


class Played:
    """The servers of a batch: one, which answers as the test says."""

    def __init__(self, cancelled: Cancellation | None = None, **answers: Any) -> None:
        """The name of an answer is that of its method, with `_` for `/`."""
        self.answers: dict[str, Any] = {
            "initialize": greeting(),
            "tools_list": {"tools": [TOOL]},
            "tools_call": TEXT,
            **answers,
        }
        self.processes = FakeToolServers()
        self.processes.takes = {NAME: self._take}
        self.servers = ToolServers(
            {NAME: McpServer(NAME)},
            Path("/workspace"),
            {},
            self.processes,
            time.monotonic,
            cancelled,
        )

    def _take(self, server: FakeToolServer, line: bytes) -> None:
        message = json.loads(line)
        method = str(message.get("method", "")).replace("/", "_")
        given = self.answers.get(method)
        if callable(given):
            given(server, message)
        elif "id" in message and method:
            if given is None:
                refuse(-32601, "Method not found")(server, message)
            else:
                answer(server, message, given)

    def start(self) -> tuple[ServerTool, ...]:
        return self.servers.start()

    def call(self, **arguments: Any) -> str:
        (tool,) = self.start()
        return self.servers.call(tool, arguments)

    @property
    def trouble(self) -> str:
        self.start()
        return self.servers.troubles[NAME]

    @property
    def process(self) -> FakeToolServer:
        (one,) = self.processes.started
        return one

    @property
    def got(self) -> list[dict[str, Any]]:
        """What the server was sent."""
        return [json.loads(line) for line in self.process.got]

    def methods(self) -> list[str]:
        return [message.get("method", "answer") for message in self.got]
