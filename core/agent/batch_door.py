"""Lends the tools of a running batch to a process beside it: the door in the beat, the other end in `heartbeat mcp`.

Whoever opens the door calls the batch's own toolbox: its grants, its record, its limits. The door is a socket (a named
pipe on Windows) in a folder that is the person's alone; JSON goes through it, one message a question.
"""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Client, Connection, Listener
from types import TracebackType
from typing import Any

from core.agent.tool import Tool, Toolbox
from core.model.errors import HeartbeatError

WAITING = 8  # who may knock at the same time
KEYS = ("name", "description", "parameters", "tag", "could_do_it")


class BatchDoor:
    """`with` it: the toolbox answers at `address`."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._listener = Listener(backlog=WAITING)
        self._is_open = True
        self._thread = threading.Thread(target=self._stand, name="batch door", daemon=True)

    @property
    def address(self) -> str:
        return str(self._listener.address)

    def __enter__(self) -> "BatchDoor":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._is_open = False
        with suppress(OSError):
            Client(self._listener.address).close()  # to accept is to wait: a last knock ends that
        self._thread.join()
        self._listener.close()

    def _stand(self) -> None:
        while self._is_open:
            with suppress(OSError, EOFError):
                guest = self._listener.accept()
                threading.Thread(target=self._attend, args=(guest,), name="batch guest", daemon=True).start()

    def _attend(self, guest: "Connection[Any, Any]") -> None:
        with guest, suppress(OSError, EOFError, ValueError):
            while self._is_open:
                guest.send_bytes(json.dumps(self._answer(json.loads(guest.recv_bytes()))).encode())

    def _answer(self, asked: Mapping[str, Any]) -> object:
        if "call" in asked:
            return self._toolbox.call(asked["call"], asked["arguments"])
        return [{key: getattr(tool, key) for key in KEYS} for tool in self._toolbox.tools()]


class BatchTools:
    """The other end; the `Served` of mcp_server.py."""

    def __init__(self, address: str) -> None:
        self._address = address

    def tools(self) -> tuple[Tool, ...]:
        return tuple(Tool(**one, call=partial(self._call, one["name"])) for one in self._ask({}))

    def answer(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        return self._call(name, arguments), True

    def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        return str(self._ask({"call": name, "arguments": arguments}))

    def _ask(self, question: Mapping[str, Any]) -> Any:
        try:
            with Client(self._address) as door:
                door.send_bytes(json.dumps(question).encode())
                return json.loads(door.recv_bytes())
        except (OSError, EOFError):
            raise HeartbeatError("The beat that offers these tools is over.", "") from None
