"""Runs the MCP servers of one batch, each a process that the person approved. Law: a server that
is broken, slow or gone only leads to an error message, and none of them outlives the batch.

All clients run in one thread with its own event loop; a caller waits for an answer or a timeout.
"""

import asyncio
import concurrent.futures
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from core.model.settings import McpServer
from core.ports.processes import Cancellation

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp_types import CallToolResult, Tool

START_TIMEOUT = 30.0  # seconds
CALL_TIMEOUT = 60.0
END_TIMEOUT = 10.0
POLL_INTERVAL = 0.2  # seconds between two checks for a cancellation
MOST_TOOLS = 64  # per server
LONGEST_NAME = 64  # characters that providers accept
LONGEST_DESCRIPTION = 300  # characters; more would cost too much in every request


class ServerTroubleError(Exception):
    """Why there is no answer, as a sentence for the model."""


@dataclass(frozen=True, slots=True)
class ServerTool:
    name: str  # as the model calls it: the server's name, then the tool's
    server: str
    own_name: str
    description: str
    parameters: Mapping[str, Any]
    only_reads: bool  # the server says that it changes nothing
    is_local: bool  # and that it accesses nothing outside of this machine


class ToolServers:
    def __init__(
        self,
        servers: Mapping[str, McpServer],
        folder: Path,
        environment: Mapping[str, str],
        cancelled: Cancellation | None = None,
    ) -> None:
        self._cancelled = cancelled
        self._servers = servers
        self._folder = folder
        self._environment = environment
        self._sessions: dict[str, ClientSession] = {}
        self._found: dict[str, list[Tool]] = {}
        self.troubles: dict[str, str] = {}  # by server
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> tuple[ServerTool, ...]:
        """Start all servers at once. Return the tools of those that answered in time."""
        if self._servers and self._thread is None:
            self._thread = threading.Thread(
                target=lambda: asyncio.run(self._serve_all()), name="mcp servers", daemon=True
            )
            self._thread.start()
            self._ready.wait(START_TIMEOUT + END_TIMEOUT)

        return tuple(
            _offered(name, tool)
            for name, tools in self._found.items()
            for tool in tools[:MOST_TOOLS]
        )

    def call(self, tool: ServerTool, arguments: Mapping[str, Any]) -> str:
        """What the tool returns. Raises ServerTroubleError if it returns nothing."""
        session = self._sessions.get(tool.server)
        loop = self._loop
        if session is None or loop is None:
            raise ServerTroubleError(f"The server {tool.server} has ended.")

        asked = asyncio.run_coroutine_threadsafe(
            session.call_tool(tool.own_name, dict(arguments), read_timeout_seconds=CALL_TIMEOUT),
            loop,
        )
        while not concurrent.futures.wait([asked], POLL_INTERVAL).done:
            if self._cancelled is not None and self._cancelled.is_set():
                asked.cancel()
                raise ServerTroubleError("The beat is being stopped.")

        try:
            result = asked.result()
        except Exception as error:
            # The protocol has many ways to fail, and the batch goes on after each of them.
            raise ServerTroubleError(f"The server {tool.server} gave no answer: {error}") from None

        return _text(result, tool.server)

    def close(self) -> None:
        """End all servers: each is asked to end, and killed with all that it started after two
        seconds."""
        if self._thread and self._loop and self._ending:
            if self._thread.is_alive():
                self._loop.call_soon_threadsafe(self._ending.set)
            self._thread.join(END_TIMEOUT)

    # -- in the thread of the servers --------------------------------------------------------------

    async def _serve_all(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        started = {name: asyncio.Event() for name in self._servers}
        with open(os.devnull, "w", encoding="utf-8") as null:
            tasks = [
                asyncio.create_task(self._serve(name, server, started[name], null))
                for name, server in self._servers.items()
            ]
            for one in started.values():
                await one.wait()

            self._ready.set()
            await asyncio.gather(*tasks)

    async def _serve(
        self, name: str, server: McpServer, started: asyncio.Event, null: TextIO
    ) -> None:
        """Run one server from its start to its end."""
        from mcp import ClientSession, StdioServerParameters, stdio_client

        assert self._ending
        parameters = StdioServerParameters(
            command=server.command,
            args=list(server.args),
            env=dict(self._environment),
            cwd=self._folder,
        )

        try:
            async with (
                stdio_client(parameters, errlog=null) as streams,
                ClientSession(*streams) as session,
            ):
                async with asyncio.timeout(START_TIMEOUT):
                    await session.initialize()
                    self._found[name] = await _all_tools(session)

                self._sessions[name] = session
                started.set()
                await self._ending.wait()
        except (Exception, BaseExceptionGroup) as error:
            self.troubles[name] = _reason(error)
        finally:
            self._sessions.pop(name, None)
            started.set()


def _reason(error: BaseException) -> str:
    match error:
        case BaseExceptionGroup():
            return _reason(error.exceptions[0])
        case TimeoutError():
            return "it did not answer in time"
        case FileNotFoundError():
            return "there is no such program"
        case OSError():
            return error.strerror or str(error)

    return str(error) or type(error).__name__


async def _all_tools(session: "ClientSession") -> "list[Tool]":
    from mcp_types import PaginatedRequestParams

    page = await session.list_tools()
    tools = [*page.tools]

    while page.next_cursor and len(tools) < MOST_TOOLS:
        page = await session.list_tools(params=PaginatedRequestParams(cursor=page.next_cursor))
        tools += page.tools

    return tools


def _offered(server: str, tool: "Tool") -> ServerTool:
    hints = tool.annotations
    only_reads = bool(hints and hints.read_only_hint)
    return ServerTool(
        name=_plain(f"{server}_{tool.name}")[:LONGEST_NAME],
        server=server,
        own_name=tool.name,
        description=" ".join((tool.description or "").split())[:LONGEST_DESCRIPTION],
        parameters=tool.input_schema,
        only_reads=only_reads,
        is_local=only_reads and hints is not None and hints.open_world_hint is False,
    )


def _plain(name: str) -> str:
    """The name with `_` for each character that some provider refuses in a tool's name."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def _text(result: "CallToolResult", server: str) -> str:
    """The text of an answer; a part that is not text is replaced by its type."""
    parts = [getattr(part, "text", None) or f"[{part.type}]" for part in result.content]
    text = "\n".join(str(part) for part in parts)
    if result.is_error:
        raise ServerTroubleError(f"The server {server} says that it failed: {text}")

    return text or "[nothing]"
