"""What we ask an MCP server for: which version it speaks, its tools, a call of one. Law: a server
is greeted as all versions but the newest know it, and asked without a greeting if it refuses.

The order matters: a server of an old version may hang or end if it is asked for something that it
does not know, and one that speaks both ways understands the greeting.
"""

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, TypeVar

from core.agent.mcp.connection import Connection, NoAnswer, Why
from core.agent.mcp.messages import (
    CallResult,
    Discovery,
    ListedTool,
    ToolPage,
    UnreadableError,
    read_call,
    read_discovery,
    read_greeting,
    read_tools,
    stateless,
)
from core.agent.mcp.protocol import STATELESS_VERSION, VERSIONS

T = TypeVar("T")

MOST_TOOLS = 64  # of one server
MOST_PAGES = 32  # of its list of tools


class Session:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._is_stateless = False
        self._client = {"name": "heartbeat", "version": version("heartbeat-desktop")}

    def open(self, deadline: float) -> list[ListedTool] | NoAnswer:
        """Agree on a version, and return its first tools."""
        refused = self._greet(deadline)
        return refused or self._tools(deadline)

    def call(
        self, name: str, arguments: Mapping[str, Any], deadline: float
    ) -> CallResult | NoAnswer:
        parameters = {"name": name, "arguments": dict(arguments)}
        return self._ask("tools/call", parameters, deadline, read_call)

    def _greet(self, deadline: float) -> NoAnswer | None:
        """Why we do not understand each other; None: we do."""
        hello = {"protocolVersion": VERSIONS[0], "capabilities": {}, "clientInfo": self._client}
        greeting = self._ask("initialize", hello, deadline, read_greeting, may_cancel=False)
        if isinstance(greeting, NoAnswer):
            is_refused = greeting.why is Why.REFUSED
            return None if is_refused and self._is_understood_without(deadline) else greeting

        if greeting.version not in VERSIONS:
            known = ", ".join(VERSIONS)
            return NoAnswer(
                Why.BROKEN,
                f"it speaks version {greeting.version} of the protocol, and we speak {known}",
            )

        self._connection.tell("notifications/initialized", {})
        return None

    def _is_understood_without(self, deadline: float) -> bool:
        """Whether the server speaks the version that has no greeting."""
        self._is_stateless = True
        found = self._ask("server/discover", {}, deadline, read_discovery, may_cancel=False)
        return isinstance(found, Discovery) and STATELESS_VERSION in found.versions

    def _tools(self, deadline: float) -> list[ListedTool] | NoAnswer:
        tools: list[ListedTool] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            parameters = {"cursor": cursor} if cursor else {}
            page = self._ask("tools/list", parameters, deadline, read_tools)
            if not isinstance(page, ToolPage):
                return page

            tools += page.tools
            cursor = page.next_cursor
            if not cursor or len(tools) >= MOST_TOOLS:
                break

        return tools[:MOST_TOOLS]

    def _ask(
        self,
        method: str,
        parameters: Mapping[str, Any],
        deadline: float,
        read: Callable[[Mapping[str, Any]], T],
        *,
        may_cancel: bool = True,
    ) -> T | NoAnswer:
        if self._is_stateless:
            parameters = stateless(parameters, self._client)

        answer = self._connection.ask(method, parameters, deadline, may_cancel=may_cancel)
        if isinstance(answer, NoAnswer):
            return answer

        try:
            return read(answer)
        except UnreadableError as error:
            return NoAnswer(Why.BROKEN, f"its answer cannot be read: {error}")
