"""Runs the MCP servers of one batch, each a process that the person approved. Law: a server that
is broken, slow or gone only leads to an error message, and none of them outlives the batch.

Servers start and end in threads of their own, all at once; a caller waits for an answer or a
timeout.
"""

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.model.process import NotStarted
from core.model.settings import McpServer
from core.ports.processes import Cancellation, ToolServerProcesses

if TYPE_CHECKING:
    # They load pydantic, which a batch without servers may not need.
    from core.agent.mcp.connection import Connection
    from core.agent.mcp.messages import ListedTool
    from core.agent.mcp.session import Session

START_TIMEOUT = 30.0  # seconds
CALL_TIMEOUT = 60.0
END_TIMEOUT = 10.0
LONGEST_NAME = 64  # characters that providers accept
LARGEST_SCHEMAS = 100_000  # characters of what all tools of a server take
LONGEST_DESCRIPTION = 300  # characters; more would cost too much in every request

LONGEST_TROUBLE = 300  # characters; it may be the server's own words


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
        processes: ToolServerProcesses,
        monotonic: Callable[[], float],
        cancelled: Cancellation | None = None,
    ) -> None:
        self._servers = servers
        self._folder = folder
        self._environment = environment
        self._processes = processes
        self._monotonic = monotonic
        self._cancelled = cancelled
        self._lock = threading.Lock()
        self._connections: list[Connection] = []  # also of servers that cannot be used
        self._sessions: dict[str, Session] = {}  # the servers that can be used
        self._found: dict[str, list[ListedTool]] = {}
        self.troubles: dict[str, str] = {}  # by server
        self._has_started = False
        self._is_closed = False

    def start(self) -> tuple[ServerTool, ...]:
        """Start all servers at once. Return the tools of those that answered in time."""
        if not self._has_started:
            self._has_started = True
            starts = [partial(self._start, name) for name in self._servers]
            _do_at_once(starts, START_TIMEOUT + END_TIMEOUT)

        return tuple(
            _offered(name, tool) for name in self._servers for tool in self._found.get(name, ())
        )

    def call(self, tool: ServerTool, arguments: Mapping[str, Any]) -> str:
        """What the tool returns. Raises ServerTroubleError if it returns nothing."""
        from core.agent.mcp.connection import NoAnswer, Why

        session = self._sessions.get(tool.server)
        if session is None:
            raise ServerTroubleError(f"The server {tool.server} has ended.")

        try:
            result = session.call(tool.own_name, arguments, self._monotonic() + CALL_TIMEOUT)
        except ValueError as error:
            raise ServerTroubleError(f"JSON cannot say these arguments: {error}.") from None

        if isinstance(result, NoAnswer):
            if result.why is Why.CANCELLED:
                raise ServerTroubleError("The beat is being stopped.")
            raise ServerTroubleError(f"The server {tool.server} gave no answer: {result.reason}")

        if result.is_error:
            raise ServerTroubleError(f"The server {tool.server} says that it failed: {result.text}")

        return result.text or "[nothing]"

    def endings(self) -> dict[str, str]:
        """By server: why it did not start; empty if it did."""
        return {name: self.troubles.get(name, "") for name in self._servers}

    def close(self) -> None:
        """End all servers at once: each is asked to end, and killed with all that it started if
        it does not."""
        with self._lock:
            self._is_closed = True
            ends = [connection.end for connection in self._connections]

        self._sessions.clear()
        _do_at_once(ends, END_TIMEOUT)

    # -- in a thread of the server -----------------------------------------------------------------

    def _start(self, name: str) -> None:
        from core.agent.mcp.connection import NoAnswer
        from core.agent.mcp.session import Session

        connection = self._connect(self._servers[name])
        if isinstance(connection, NotStarted):
            self.troubles[name] = connection.reason
            return

        session = Session(connection)
        tools = session.open(self._monotonic() + START_TIMEOUT)
        if isinstance(tools, NoAnswer):
            self.troubles[name] = tools.reason[:LONGEST_TROUBLE]
            connection.end()
            return

        if not _are_small([tool.input_schema for tool in tools]):
            self.troubles[name] = (
                f"its tools are described in more than {LARGEST_SCHEMAS:,} characters, or not in "
                "JSON, and all of that would be part of every request"
            )
            connection.end()
            return

        self._found[name] = tools
        self._sessions[name] = session

    def _connect(self, server: McpServer) -> "Connection | NotStarted":
        from core.agent.mcp.connection import Connection

        words = (server.command, *server.args)
        with self._lock:  # so that close() sees every process
            if self._is_closed:
                return NotStarted("the beat is over")

            process = self._processes.start(words, self._folder, self._environment)
            if isinstance(process, NotStarted):
                return process

            try:
                connection = Connection(process, self._monotonic, self._cancelled)
            except RuntimeError:
                process.end()
                return NotStarted("the machine is out of threads")

            self._connections.append(connection)
            return connection


def _do_at_once(works: Sequence[Callable[[], None]], seconds: float) -> None:
    """Do all of it, each in a thread of its own. Returns when all are done; none takes longer than
    these seconds."""
    threads = [threading.Thread(target=work, name="mcp servers", daemon=True) for work in works]
    for thread in threads:
        thread.start()

    for thread in threads:
        thread.join(seconds)


def _offered(server: str, tool: "ListedTool") -> ServerTool:
    hints = tool.annotations
    only_reads = bool(hints and hints.read_only)
    return ServerTool(
        name=_plain(f"{server}_{tool.name}")[:LONGEST_NAME],
        server=server,
        own_name=tool.name,
        description=" ".join((tool.description or "").split())[:LONGEST_DESCRIPTION],
        parameters=tool.input_schema,
        only_reads=only_reads,
        is_local=only_reads and hints is not None and hints.open_world is False,
    )


def _are_small(schemas: Sequence[Mapping[str, Any]]) -> bool:
    """Whether they can be part of every request."""
    try:
        return len(json.dumps(schemas, allow_nan=False)) <= LARGEST_SCHEMAS
    except (ValueError, RecursionError):
        return False


def _plain(name: str) -> str:
    """The name with `_` for each character that some provider refuses in a tool's name."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)
