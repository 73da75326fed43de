"""One request of a program and our answer to it, as bytes: h11 reads and writes them, and touches
no socket.

h11 is generous where HTTP's history was: it joins folded lines, takes a bare line feed for the end
of a line, and lets control characters pass in a value. Whoever reads the request after us may see
another request in such bytes, so a head that is not written plainly is refused here.
"""

import h11

from core.adapters.sandbox.egress.request import (
    LengthRequiredError,
    Request,
    RequestRefusedError,
    asked_request,
)

LONGEST_HEAD = 16 * 1024
END_OF_LINE = b"\r\n"
END = END_OF_LINE * 2
UNKNOWN_CODING = 501  # h11's hint for a body that comes in another way than plain or chunked


class NothingAskedError(Exception):
    """The program ended the connection before it said anything."""


class Exchange:
    def __init__(self) -> None:
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_HEAD)
        self._received = bytearray()
        self._method = b""

    @property
    def rest(self) -> bytes:
        """What came after the head."""
        return self._http.trailing_data[0]

    def take(self, piece: bytes) -> Request | None:
        """The request, once its head is complete; an empty piece says that no more will come.

        What cannot be a request that has one meaning raises RequestRefusedError or
        LengthRequiredError, and nothing at all NothingAskedError.
        """
        self._received += piece
        self._http.receive_data(piece)
        try:
            event = self._http.next_event()
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == UNKNOWN_CODING:
                raise LengthRequiredError from None
            raise self._cannot_be_read() from None

        if event is h11.NEED_DATA:
            return None
        if not isinstance(event, h11.Request):
            raise NothingAskedError

        self._method = event.method
        head = bytes(self._received[: len(self._received) - len(self.rest)])
        if len(head) > LONGEST_HEAD or not is_plain(head):
            raise self._cannot_be_read()

        return asked_request(event)

    def tunnel_opened(self) -> bytes:
        """Say that from now on everything is passed on."""
        return self._sent(
            h11.Response(status_code=200, headers=[], reason="Connection established")
        )

    def error(self, status: int, reason: str, words: str) -> bytes:
        """Answer with an error of our own, and end the connection."""
        body = (words + "\n").encode()
        headers = [
            ("Content-Type", "text/plain"),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
        ]
        answer = self._sent(h11.Response(status_code=status, headers=headers, reason=reason))

        # The answer to HEAD says how long its body would be.
        if self._method != b"HEAD":
            answer += self._sent(h11.Data(data=body))

        return answer + self._sent(h11.EndOfMessage())

    def _sent(self, event: h11.Response | h11.Data | h11.EndOfMessage) -> bytes:
        return self._http.send(event) or b""

    def _cannot_be_read(self) -> RequestRefusedError:
        first = self._received.partition(END_OF_LINE)[0].decode("ascii", "replace")
        return RequestRefusedError(f"a request that cannot be read: {first}")


def is_plain(head: bytes) -> bool:
    """Whether every reader finds the same lines in it: printable ASCII with CRLF at their ends, and
    none that continues the one before."""
    if not head.endswith(END) or not head.isascii():
        return False

    lines = head.removesuffix(END).decode("ascii").split("\r\n")
    return all(
        line.replace("\t", " ").isprintable() and not line.startswith((" ", "\t")) for line in lines
    )
