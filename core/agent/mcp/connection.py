"""A conversation with one MCP server: which answer belongs to which request. Law: every request
comes to an end, whatever the server writes.

One thread reads all that the server writes, also between two requests: a server that waits for an
answer of ours must not wait until the model calls its next tool.
"""

import itertools
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from core.agent.mcp import messages
from core.agent.mcp.protocol import NO_METHOD
from core.model.process import LONGEST_LINE, NoLine, NotSent
from core.ports.processes import Cancellation, ToolServerProcess

LONGEST_ID = 200  # characters of a request's number and method: we repeat them
POLL_INTERVAL = 0.2  # seconds between two checks for a cancellation
END_TIMEOUT = 1.0  # seconds for the reader, after the server has ended

CLOSED = "Connection closed"
LATE = "it did not answer in time"
NOT_SENT = {NotSent.ENDED: CLOSED, NotSent.UNREAD: "it does not read what it is sent"}


class Why(Enum):
    REFUSED = auto()  # by the server
    LATE = auto()
    CANCELLED = auto()
    BROKEN = auto()  # the server ended, or what it wrote cannot be read


@dataclass(frozen=True, slots=True)
class NoAnswer:
    why: Why
    reason: str  # completes "The server gave no answer: …"


Answer = Mapping[str, Any] | NoAnswer


class Connection:
    def __init__(
        self,
        process: ToolServerProcess,
        monotonic: Callable[[], float],
        cancelled: Cancellation | None = None,
    ) -> None:
        self._process = process
        self._monotonic = monotonic
        self._cancelled = cancelled
        self._numbers = itertools.count(1)
        self._changed = threading.Condition()
        # The requests without an answer, and the answers that nobody has taken yet.
        self._open: set[str] = set()
        self._answers: dict[str, Answer] = {}
        self._is_closed = False
        self._reader = threading.Thread(target=self._read_all, name="mcp server", daemon=True)
        self._reader.start()

    def ask(
        self,
        method: str,
        parameters: Mapping[str, Any],
        deadline: float,
        *,
        may_cancel: bool = True,
    ) -> Answer:
        """What the server answers; waits until the deadline. `may_cancel`: the server is told if we
        give up. Raises ValueError if JSON cannot say it."""
        number = next(self._numbers)
        key = str(number)
        line = messages.request(number, method, parameters)
        with self._changed:
            if self._is_closed:
                return NoAnswer(Why.BROKEN, CLOSED)
            self._open.add(key)

        not_sent = self._process.send(line)
        if not_sent is None:
            answer = self._wait(key, deadline)
        else:
            answer = NoAnswer(Why.BROKEN, NOT_SENT[not_sent])

        with self._changed:
            self._open.discard(key)
            answer = self._answers.pop(key, answer)

        if may_cancel and isinstance(answer, NoAnswer) and answer.why in (Why.LATE, Why.CANCELLED):
            self.tell("notifications/cancelled", {"requestId": number, "reason": answer.reason})

        return answer

    def tell(self, method: str, parameters: Mapping[str, Any]) -> None:
        """Send a notification, if the server reads it."""
        self._process.send(messages.notification(method, parameters))

    def end(self) -> None:
        self._process.end()
        self._reader.join(END_TIMEOUT)

    def _wait(self, key: str, deadline: float) -> Answer:
        with self._changed:
            while key not in self._answers:
                if self._cancelled is not None and self._cancelled.is_set():
                    return NoAnswer(Why.CANCELLED, "the beat is being stopped")
                left = deadline - self._monotonic()
                if left <= 0:
                    return NoAnswer(Why.LATE, LATE)
                if self._is_closed:
                    return NoAnswer(Why.BROKEN, CLOSED)

                self._changed.wait(min(left, POLL_INTERVAL))

            return self._answers.pop(key)

    # -- in the thread that reads ------------------------------------------------------------------

    def _read_all(self) -> None:
        try:
            while (line := self._process.receive()) is not NoLine.ENDED:
                if isinstance(line, NoLine):
                    self._refuse_all(f"it wrote a line of more than {LONGEST_LINE >> 20} MiB")
                    continue

                for value in messages.read_line(line):
                    self._take(value)
        finally:
            with self._changed:
                self._is_closed = True
                self._changed.notify_all()

    def _take(self, value: Any) -> None:
        try:
            message = messages.read_message(value)
        except messages.UnreadableError as error:
            # A request of the server has a number of its own, which may be the same as one of ours.
            if isinstance(value, dict) and "method" not in value:
                broken = NoAnswer(Why.BROKEN, f"its answer cannot be read: {error}")
                self._settle(value.get("id"), broken)

            return

        if message.method is not None:
            if message.id is not None and len(str(message.id)) <= LONGEST_ID:
                self._process.send(_reply(message.id, message.method))
        elif message.result is not None:
            self._settle(message.id, message.result)
        elif message.error is not None:
            self._settle(message.id, NoAnswer(Why.REFUSED, message.error.message))
        else:
            self._settle(message.id, NoAnswer(Why.BROKEN, "its answer has no result"))

    def _settle(self, identifier: object, answer: Answer) -> None:
        """Hand over an answer. One that nobody waits for, or waits for no more, is dropped; some
        servers send our number back as text."""
        key = str(identifier)
        with self._changed:
            if key in self._open:
                self._open.discard(key)
                self._answers[key] = answer
                self._changed.notify_all()

    def _refuse_all(self, reason: str) -> None:
        with self._changed:
            for key in tuple(self._open):
                self._settle(key, NoAnswer(Why.BROKEN, reason))


def _reply(identifier: int | str, method: str) -> bytes:
    """Our answer to a request of the server. We offer it nothing."""
    if method == "ping":
        return messages.result(identifier, {})

    return messages.refusal(identifier, NO_METHOD, f"There is no method {method[:LONGEST_ID]}.")
