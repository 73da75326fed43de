"""How the proxy carries bytes, between two pairs of connected sockets."""

import socket
import threading
from collections.abc import Iterator

import pytest

from core.adapters.sandbox.egress.proxy import relay


class Carrying:
    """A relay at work, with the program at one end and the host at the other."""

    def __init__(self, limit: int | None) -> None:
        self.program, ours = socket.socketpair()
        theirs, self.host = socket.socketpair()
        for end in (self.program, self.host):
            end.settimeout(10)
        self._ours = (ours, theirs)
        self.thread = threading.Thread(target=relay, args=(ours, theirs, limit))
        self.thread.start()

    def end(self) -> bytes:
        """The host ends; all that it still had to read."""
        self.host.shutdown(socket.SHUT_WR)
        self.thread.join(10)
        assert not self.thread.is_alive()
        for end in self._ours:
            end.close()
        read = b""
        while piece := self.host.recv(1000):
            read += piece
        return read


@pytest.fixture(params=[None, 5, 0])
def carrying(request: pytest.FixtureRequest) -> Iterator[Carrying]:
    carrying = Carrying(request.param)
    carrying.program.sendall(b"bytes of the program")
    yield carrying
    carrying.program.close()
    carrying.host.close()


def test_no_more_of_the_programs_bytes_than_the_limit_are_passed_on(
    carrying: Carrying, request: pytest.FixtureRequest
) -> None:
    limit = request.node.callspec.params["carrying"]
    wanted = b"bytes of the program" if limit is None else b"bytes of the program"[:limit]
    read = carrying.host.recv(1000) if wanted else b""
    carrying.program.sendall(b" and more")
    carrying.host.sendall(b"an answer")
    assert carrying.program.recv(1000) == b"an answer"  # the host's always are
    read += carrying.end()
    assert read == (wanted if limit is not None else wanted + b" and more")
