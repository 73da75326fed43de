"""Serves tools over MCP on standard input and output. Law: nothing but the protocol is written to
standard output.

It does not use the official package, because a server of tools answers four kinds of requests,
and that package takes longer to import than most calls take. It is tested with the official
client.
"""

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, Protocol

from core.agent.mcp.protocol import (
    INVALID_PARAMETERS,
    INVALID_REQUEST,
    NO_METHOD,
    OWN_ERROR,
    PARSE_ERROR,
    VERSIONS,
)
from core.agent.tool import OfferedTool
from core.model.errors import HeartbeatError


class ServedTools(Protocol):
    """The tools that are served. Both methods may be called from any thread."""

    def tools(self) -> Sequence[OfferedTool]: ...

    def answer(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """What the tool returns, and whether the call succeeded."""
        ...


class _RequestError(Exception):
    """What is wrong with a request."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def serve(served: ServedTools, version: str, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Answer requests until the input ends. Tool calls run at the same time and are answered as
    they end."""
    connection = _Connection(served, version, outgoing)
    calls: list[threading.Thread] = []
    for line in incoming:
        if not line.strip():
            continue

        thread = threading.Thread(target=connection.answer, args=(line,))
        thread.start()
        calls = [one for one in (*calls, thread) if one.is_alive()]
        if b'"tools/call"' not in line:
            thread.join()  # everything else is fast, and is answered in order

    for thread in calls:
        thread.join()


class _Connection:
    def __init__(self, served: ServedTools, version: str, outgoing: BinaryIO) -> None:
        self._served = served
        self._version = version
        self._outgoing = outgoing
        self._lock = threading.Lock()

    def answer(self, line: bytes) -> None:
        identifier: object = None
        try:
            request = _read(line)
            identifier = request.get("id")
            if "id" not in request or "method" not in request:
                return  # a notification, or an answer to a request that we never send

            result = self._result(request["method"], request.get("params") or {})
            self._send({"id": identifier, "result": result})
        except _RequestError as error:
            self._send({"id": identifier, "error": {"code": error.code, "message": str(error)}})
        except HeartbeatError as error:
            self._send({"id": identifier, "error": {"code": OWN_ERROR, "message": error.message}})

    def _result(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        match method:
            case "initialize":
                asked = parameters.get("protocolVersion")
                return {
                    "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "heartbeat", "version": self._version},
                }
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [_listed(tool) for tool in self._served.tools()]}
            case "tools/call":
                return self._called(parameters)
            case _:
                raise _RequestError(NO_METHOD, f"There is no method {method}.")

    def _called(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        name = parameters.get("name")
        arguments = parameters.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise _RequestError(INVALID_PARAMETERS, "A call has a name and a table of arguments.")

        text, is_done = self._served.answer(name, arguments)
        return {"content": [{"type": "text", "text": text}], "isError": not is_done}

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        with self._lock:
            self._outgoing.write(data)
            self._outgoing.flush()


def _read(line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise _RequestError(PARSE_ERROR, "This is not JSON.") from None

    if not isinstance(request, dict) or not isinstance(request.get("params") or {}, dict):
        raise _RequestError(INVALID_REQUEST, "This is not a request.")

    return request


def _listed(tool: OfferedTool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": dict(tool.parameters),
        "annotations": {"readOnlyHint": not tool.changes_something, "openWorldHint": False},
    }
