"""Lets another process use the tools of a running batch: a server in the beat, and its client in
`heartbeat mcp`.

A client calls the batch's own toolbox, with its grants, its record and its limits. The socket (a
named pipe on Windows) is in a folder that only the person can open. Requests and answers are JSON,
one message each.
"""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from multiprocessing.connection import Client, Connection, Listener
from types import TracebackType
from typing import Any

from core.agent.tool import OfferedTool, Toolbox
from core.model.errors import HeartbeatError

BACKLOG = 8  # clients that may connect at the same time


class ToolServer:
    """A context manager: inside of it the toolbox answers at `address`."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._listener = Listener(backlog=BACKLOG)
        self._is_running = True
        self._thread = threading.Thread(target=self._accept, name="tool server", daemon=True)

    @property
    def address(self) -> str:
        return str(self._listener.address)

    def __enter__(self) -> "ToolServer":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._is_running = False
        with suppress(OSError):
            Client(self._listener.address).close()  # this connection ends the wait in _accept

        self._thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while self._is_running:
            with suppress(OSError, EOFError):
                client = self._listener.accept()
                threading.Thread(
                    target=self._serve, args=(client,), name="tool client", daemon=True
                ).start()

    def _serve(self, client: "Connection[Any, Any]") -> None:
        with client, suppress(OSError, EOFError, ValueError):
            while self._is_running:
                request = json.loads(client.recv_bytes())
                client.send_bytes(json.dumps(self._answer(request)).encode())

    def _answer(self, request: Mapping[str, Any]) -> object:
        if "call" in request:
            return self._toolbox.call(request["call"], request["arguments"])
        return [asdict(tool) for tool in self._toolbox.tools()]


class BatchTools:
    """The client: the `ServedTools` of server.py."""

    def __init__(self, address: str) -> None:
        self._address = address

    def tools(self) -> tuple[OfferedTool, ...]:
        return tuple(OfferedTool(**one) for one in self._ask({}))

    def answer(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        return str(self._ask({"call": name, "arguments": dict(arguments)})), True

    def _ask(self, request: Mapping[str, Any]) -> Any:
        try:
            with Client(self._address) as server:
                server.send_bytes(json.dumps(request).encode())
                return json.loads(server.recv_bytes())
        except (OSError, EOFError):
            raise HeartbeatError("The beat that offers these tools is over.", "") from None
