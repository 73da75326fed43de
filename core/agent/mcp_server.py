"""Serves tools over MCP on standard input and output. Law: what goes out is the protocol and nothing else.

By hand, because a server of tools answers four requests, and the official package takes longer to import than most
calls take to answer. The official client is what it is tested with.
"""

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, Protocol

from core.agent.tool import Tool
from core.model.errors import HeartbeatError

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # newest first
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMETERS, OWN_ERROR = -32700, -32600, -32601, -32602, -32603


class Served(Protocol):
    """What is served. Both may be called from any thread."""

    def tools(self) -> Sequence[Tool]: ...

    def answer(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """What the tool says, and whether it was done."""
        ...


class _WrongError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def serve(served: Served, version: str, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Answer until nothing more comes in. A call is answered when it is done; others do not wait for it."""
    door = _Door(served, version, outgoing)
    calls: list[threading.Thread] = []
    for line in incoming:
        if not line.strip():
            continue
        thread = threading.Thread(target=door.answer, args=(line,))
        thread.start()
        calls = [one for one in (*calls, thread) if one.is_alive()]
        if b'"tools/call"' not in line:
            thread.join()  # everything else takes no time, and keeps its order
    for thread in calls:
        thread.join()


class _Door:
    def __init__(self, served: Served, version: str, outgoing: BinaryIO) -> None:
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
                return  # a notice, or an answer to a question that we never ask
            self._send({"id": identifier, "result": self._result(request["method"], request.get("params") or {})})
        except _WrongError as wrong:
            self._send({"id": identifier, "error": {"code": wrong.code, "message": str(wrong)}})
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
                raise _WrongError(NO_METHOD, f"There is no method {method}.")

    def _called(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        name, arguments = parameters.get("name"), parameters.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise _WrongError(INVALID_PARAMETERS, "A call has a name and a table of arguments.")
        words, is_done = self._served.answer(name, arguments)
        return {"content": [{"type": "text", "text": words}], "isError": not is_done}

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        with self._lock:
            self._outgoing.write(data)
            self._outgoing.flush()


def _read(line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise _WrongError(PARSE_ERROR, "This is no JSON.") from None
    if not isinstance(request, dict) or not isinstance(request.get("params") or {}, dict):
        raise _WrongError(INVALID_REQUEST, "This is no request.")
    return request


def _listed(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": dict(tool.parameters),
        "annotations": {"readOnlyHint": not tool.could_do_it, "openWorldHint": False},
    }
