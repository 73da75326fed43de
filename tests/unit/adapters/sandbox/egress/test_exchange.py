"""Ways to hide a request for another host in one for an allowed host: each goes nowhere, or reaches
the host as exactly one request that every reader finds the same in.

The proxy is the real one, between two real sockets. h11 and the parser of Python's own web server
are the two readers. The twins show what would arrive without a guard of ours: h11 alone would let
it pass.
"""

import io
import re
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import h11
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.adapters.sandbox.egress import exchange as egress_exchange
from core.adapters.sandbox.egress import proxy as egress_proxy
from core.adapters.sandbox.egress import request as egress_request
from core.adapters.sandbox.egress.exchange import LONGEST_HEAD, Exchange
from core.adapters.sandbox.egress.proxy import EgressProxy
from core.adapters.sandbox.egress.request import LengthRequiredError, RequestRefusedError

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
EVIL = "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"
Read = tuple[str, str, str, bytes]  # method, path, host, body


class Host:
    """A host that keeps every byte it hears, and answers after a head and the expected number of
    bytes behind it."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.heard: list[bytes] = []
        self.expected = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        try:
            connection = self._listener.accept()[0]
        except OSError:  # it was shut down: nobody came
            return

        with connection:
            heard = b""
            while not self._is_enough(heard) and (piece := connection.recv(65536)):
                heard += piece

            connection.sendall(ANSWER)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):  # until the proxy hangs up
                heard += piece

            self.heard.append(heard)

    def _is_enough(self, heard: bytes) -> bool:
        _, end, body = heard.partition(b"\r\n\r\n")
        return bool(end) and len(body) >= self.expected

    def wait(self) -> None:
        self._thread.join(10)
        assert not self._thread.is_alive()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self.wait()
        self._listener.close()


class Way:
    """A program, the proxy, and a host that the program may reach under the name allowed.test."""

    def __init__(self) -> None:
        self.host = Host()
        self.authority = f"allowed.test:{self.host.port}"
        self.dialled: list[str] = []
        self.proxy = EgressProxy(["allowed.test"], self._resolve)
        self._listener = socket.create_server(("127.0.0.1", 0))

    def __enter__(self) -> "Way":
        self.proxy.__enter__()
        socket.send_fds(self.proxy.channel, [b"."], [self._listener.fileno()])
        return self

    def __exit__(self, *exception: Any) -> None:
        self.proxy.__exit__(None, None, None)
        self._listener.close()
        self.host.close()

    def _resolve(self, host: str, _port: int) -> list[str]:
        self.dialled.append(host)
        return ["127.0.0.1"]

    def program(self) -> socket.socket:
        return socket.create_connection(self._listener.getsockname(), 10)

    def filled(self, template: str) -> bytes:
        return template.replace("ALLOWED", self.authority).encode("latin-1")

    def say(self, said: bytes) -> bytes:
        """All that comes back."""
        with self.program() as program:
            program.sendall(said)
            answer = b""
            while piece := program.recv(65536):
                answer += piece

        return answer


@pytest.fixture
def way() -> Iterator[Way]:
    with Way() as way:
        yield way


def get(*fields: str, body: str = "", target: str = "http://ALLOWED/") -> str:
    return "\r\n".join([f"POST {target} HTTP/1.1", *fields, "", body])


HOST = "Host: ALLOWED"

REFUSED = {
    # Who is asked?
    "no host": get(),
    "an empty host": get("Host:"),
    "two hosts": get(HOST, "Host: evil.test"),
    "the same host twice": get(HOST, HOST),
    "two hosts in one field": get("Host: ALLOWED, evil.test"),
    "another host than in the target": get("Host: evil.test"),
    "another port than in the target": get("Host: allowed.test:1"),
    "a path as the target": get(HOST, target="/"),
    "a target without a scheme": get(HOST, target="//ALLOWED/"),
    "a user before the host": get("Host: ALLOWED", target="http://evil.test@ALLOWED/"),
    "the allowed host as a user": get("Host: evil.test", target="http://ALLOWED@evil.test/"),
    "a backslash in the host": get(HOST, target="http://evil.test\\@ALLOWED/"),
    "a fragment": get(HOST, target="http://ALLOWED/#@evil.test/"),
    "a target of two words": get(HOST, target="http://ALLOWED/ http://evil.test/"),
    "a tab before the version": get(HOST).replace(" HTTP/1.1", "\tHTTP/1.1"),
    "no version": get(HOST).replace(" HTTP/1.1", ""),
    "a later version": get(HOST).replace("HTTP/1.1", "HTTP/2.0"),
    "a version in lower case": get(HOST).replace("HTTP/1.1", "http/1.1"),
    # Where does a line end?
    "a space before the colon": get(HOST, "Transfer-Encoding : chunked"),
    "a folded line": get(HOST, "X: a", " Host: evil.test"),
    "a folded line with a tab": get(HOST, "X: a", "\tHost: evil.test"),
    "a folded host": get("Host:", " ALLOWED"),
    "a folded first line": get(" Host: evil.test", HOST),
    "a folded coding": get(HOST, "Content-Length: 3", "Transfer-Encoding:", " chunked"),
    "a line that ends in a line feed": get(HOST, "X: a\nHost: evil.test"),
    "all lines end in line feeds": get(HOST).replace("\r\n", "\n"),
    "the head ends in line feeds": get(HOST, "X: a\n\nGET http://evil.test/ HTTP/1.1"),
    "a line that ends in a carriage return": get(HOST, "X: a\rHost: evil.test"),
    "a carriage return too many": get(HOST, "X: a\r"),
    "a vertical tab": get(HOST, "X: a\vHost: evil.test"),
    "a line separator of latin-1": get(HOST, "X: a\x85Host: evil.test"),
    "a NUL": get(HOST, "X: a\0Host: evil.test"),
    "another control character": get(HOST, "X: a\x01b"),
    "a letter outside ASCII": get(HOST, "X: \xe4"),
    "an escape in a name": get(HOST, "X\x1b: a"),
    "a line without a colon": get(HOST, "evil.test"),
    "a field without a name": get(HOST, ": evil.test"),
    "an empty line before the request": "\r\n" + get(HOST),
    "a space before the request": " " + get(HOST),
    # Where does the body end?
    "two lengths": get(HOST, "Content-Length: 3", f"Content-Length: {len(EVIL)}", body=EVIL),
    "two lengths in one field": get(HOST, "Content-Length: 3, 4", body="abcd"),
    "a length with a sign": get(HOST, "Content-Length: +3", body="abc"),
    "a negative length": get(HOST, "Content-Length: -3", body="abc"),
    "a hexadecimal length": get(HOST, "Content-Length: 0x3", body="abc"),
    "a length with an underscore": get(HOST, "Content-Length: 1_0", body="abc"),
    "a length with a fraction": get(HOST, "Content-Length: 3.0", body="abc"),
    "an empty length": get(HOST, "Content-Length:", body="abc"),
    "a length that nobody can count to": get(HOST, "Content-Length: " + "9" * 40, body="abc"),
    "a tunnel with a body": "CONNECT ALLOWED HTTP/1.1\r\nHost: ALLOWED\r\nContent-Length: 3\r\n\r\nabc",
    # Is it a head at all?
    "a head that is too long": get(HOST, "X: " + "a" * LONGEST_HEAD),
    "too many fields": get(HOST, *["X: a"] * (LONGEST_HEAD // 6)),
    "a TLS greeting": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}

UNKNOWN_LENGTH = {
    "chunks": get(HOST, "Transfer-Encoding: chunked", body="0\r\n\r\n" + EVIL),
    "a length and chunks": get(
        HOST, "Content-Length: 3", "Transfer-Encoding: chunked", body="0\r\n\r\n" + EVIL
    ),
    "chunks and a length": get(
        HOST, "Transfer-Encoding: chunked", "Content-Length: 3", body="0\r\n\r\n" + EVIL
    ),
    "chunks in capitals": get(HOST, "tRANSFER-eNCODING: CHUNKED", body="0\r\n\r\n" + EVIL),
    "chunks twice": get(HOST, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
    "chunks after something else": get(HOST, "Transfer-Encoding: gzip, chunked"),
    "something else after chunks": get(HOST, "Transfer-Encoding: chunked, identity"),
    "a coding that nobody knows": get(HOST, "Transfer-Encoding: xchunked"),
    "an empty coding": get(HOST, "Transfer-Encoding:"),
    "a tunnel of chunks": (
        "CONNECT ALLOWED HTTP/1.1\r\nHost: ALLOWED\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
}

FORWARDED = {
    "a second request": (get(HOST, body=EVIL), b""),
    "a second request after a body": (get(HOST, "Content-Length: 3", body="abc" + EVIL), b"abc"),
    "a second request through the proxy": (
        get(HOST, body="GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n"),
        b"",
    ),
    "a request inside of the body": (
        get(HOST, f"Content-Length: {len(EVIL)}", body=EVIL),
        EVIL.encode(),
    ),
    "the same length twice": (
        get(HOST, "Content-Length: 3", "Content-Length: 3", body="abc" + EVIL),
        b"abc",
    ),
    "the same length twice in one field": (
        get(HOST, "Content-Length: 3, 3", body="abc" + EVIL),
        b"abc",
    ),
    "zeros before a length": (get(HOST, "Content-Length: 003", body="abc" + EVIL), b"abc"),
    "the host as a field to drop": (get(HOST, "Connection: Host, Content-Length"), b""),
    "a name like that of the length": (get(HOST, "Content_Length: 50", body=EVIL), b""),
    "a request to switch the protocol": (
        get(HOST, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", body=EVIL),
        b"",
    ),
    "trailers": (get(HOST, "TE: trailers", "Trailer: Host", body=EVIL), b""),
    "a host to forward to": (get(HOST, "X-Forwarded-Host: evil.test"), b""),
    "spaces around a value": (get("Host: \t ALLOWED \t", "Content-Length:3 ", body="abc"), b"abc"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_could_mean_two_things_goes_nowhere(way: Way, name: str) -> None:
    answer = way.say(way.filled(REFUSED[name]) + (b"\r\n\r\n" if "\0" in REFUSED[name] else b""))

    assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert answer.endswith(b"\r\nHeartbeat does not let this command reach that host.\n")
    assert way.dialled == []
    assert len(way.proxy.refused()) == 1
    assert way.proxy.refused()[0].isprintable()


@pytest.mark.parametrize("name", UNKNOWN_LENGTH)
def test_a_body_whose_end_is_not_known_goes_nowhere(way: Way, name: str) -> None:
    answer = way.say(way.filled(UNKNOWN_LENGTH[name]))

    assert answer.startswith(b"HTTP/1.1 411 Length Required\r\n")
    assert (way.dialled, way.proxy.refused()) == ([], ())


@pytest.mark.parametrize("name", FORWARDED)
def test_the_host_hears_exactly_one_request(way: Way, name: str) -> None:
    said, body = FORWARDED[name]
    way.host.expected = len(body)

    assert way.say(way.filled(said)) == ANSWER
    way.host.wait()

    wanted: Read = ("POST", "/", way.authority, body)
    assert all_requests_of_h11(way.host.heard[0]) == [wanted]
    assert one_request_of_python(way.host.heard[0]) == wanted
    assert way.dialled == ["allowed.test"]


@pytest.mark.parametrize("length", [0, 3])
def test_a_head_that_comes_byte_by_byte_is_the_same_head(way: Way, length: int) -> None:
    way.host.expected = length
    with way.program() as program:
        program.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in way.filled(get(HOST, f"Content-Length: {length}", body="abc"[:length])):
            program.sendall(bytes([byte]))
        assert program.recv(65536) == ANSWER

    way.host.wait()
    wanted: Read = ("POST", "/", way.authority, b"abc"[:length])
    assert all_requests_of_h11(way.host.heard[0]) == [wanted]


def test_a_head_that_never_ends_is_not_waited_for(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(egress_proxy, "TIMEOUT", 0.05)

    assert way.say(b"GET http://allowed.test/ HTTP/1.1\r\nHo").startswith(b"HTTP/1.1 502 ")
    assert way.dialled == []


def test_an_error_has_no_body_where_head_is_asked_for(way: Way) -> None:
    answer = way.say(b"HEAD http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert answer.endswith(b"\r\n\r\n")


# What would pass without a guard of ours.


@pytest.mark.parametrize(
    "name",
    [
        "a folded line",
        "all lines end in line feeds",
        "the head ends in line feeds",
        "another control character",
    ],
)
def test_h11_alone_takes_a_head_that_is_not_plain(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """It joins the fold, or ends a line where a strict reader would not."""
    said = REFUSED[name].replace("ALLOWED", "allowed.test").encode("latin-1")
    with pytest.raises(RequestRefusedError, match="cannot be read"):
        Exchange().take(said)

    monkeypatch.setattr(egress_exchange, "is_plain", lambda _head: True)
    assert Exchange().take(said) is not None


def guard_off(length: Callable[[list[tuple[str, str]]], int], patch: pytest.MonkeyPatch) -> None:
    patch.setattr(egress_request, "_body_length", length)


def test_without_the_guard_of_the_length_chunks_carry_a_second_request(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proxy believes the length, the host believes the chunks."""
    chunks = "0\r\n\r\n" + EVIL
    attack = get(HOST, f"Content-Length: {len(chunks)}", "Transfer-Encoding: chunked", body=chunks)
    assert way.say(way.filled(attack)).startswith(b"HTTP/1.1 411 ")

    guard_off(lambda fields: int(dict(fields)["Content-Length"]), monkeypatch)
    way.host.expected = len(chunks)
    assert way.say(way.filled(attack)) == ANSWER
    way.host.wait()
    hosts = [host for _, _, host, _ in all_requests_of_h11(way.host.heard[0])]
    assert hosts == [way.authority, "evil.test"]


def test_without_the_limit_of_the_body_a_second_request_is_passed_on(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard_off(lambda _fields: len(EVIL), monkeypatch)
    way.host.expected = len(EVIL)

    assert way.say(way.filled(FORWARDED["a second request"][0])) == ANSWER
    way.host.wait()
    hosts = [host for _, _, host, _ in all_requests_of_h11(way.host.heard[0])]
    assert hosts == [way.authority, "evil.test"]


# The two readers.


def all_requests_of_h11(data: bytes) -> list[Read]:
    """As many requests as h11 finds in what one connection said."""
    found: list[Read] = []
    while data:
        reader = h11.Connection(h11.SERVER)
        reader.receive_data(data)
        request = reader.next_event()
        assert isinstance(request, h11.Request)
        body = b""
        while isinstance(event := reader.next_event(), h11.Data):
            body += bytes(event.data)

        assert isinstance(event, h11.EndOfMessage)
        data = reader.trailing_data[0]
        host = dict(request.headers)[b"host"].decode()
        found.append((request.method.decode(), request.target.decode(), host, body))

    return found


class Parser(BaseHTTPRequestHandler):
    """Python's own web server, without a socket."""

    def __init__(self, data: bytes) -> None:
        self.rfile = io.BufferedReader(io.BytesIO(data))
        self.raw_requestline = self.rfile.readline()
        assert self.parse_request()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        raise AssertionError(f"{code} {message}")


def one_request_of_python(data: bytes) -> Read:
    parser = Parser(data)
    assert "Transfer-Encoding" not in parser.headers
    assert len(parser.headers.get_all("Host", [])) == 1
    assert len(parser.headers.get_all("Content-Length", [])) <= 1
    body = parser.rfile.read()
    assert len(body) == int(parser.headers.get("Content-Length", 0))
    return parser.command, parser.path, parser.headers["Host"], body


PIECES = st.sampled_from(
    ["\r\n", "\n", "\r", " ", "\t", ":", ": ", ",", "\0", "\x0b", "\x85", "a.org", "evil.org", "3"]
    + ["Host", "Host: a.org", "Content-Length", "Content-Length: 3", "Transfer-Encoding: chunked"]
    + ["http://", "http://a.org", "/", "@", "#", "?", "GET ", "POST ", " HTTP/1.1", " HTTP/1.0"]
    + ["Connection: ", "X: y", "abc", "GET http://a.org/ HTTP/1.1\r\nHost: a.org\r\n", "\r\n\r\n"]
)


@settings(deadline=None, max_examples=1000)
@given(
    st.sampled_from(["", "GET http://a.org", "POST http://a.org/ HTTP/1.1\r\nHost: a.org\r\n"]),
    st.lists(PIECES, max_size=12).map("".join),
)
def test_two_readers_agree_about_whatever_is_passed_on(start: str, more: str) -> None:
    exchange = Exchange()
    try:
        request = exchange.take((start + more + "\r\n\r\n").encode("latin-1"))
    except (RequestRefusedError, LengthRequiredError):
        return

    assert request is not None
    if request.wants_tunnel:
        return

    passed_on = request.head + b"b" * request.body_length
    read = one_request_of_python(passed_on)
    assert all_requests_of_h11(passed_on) == [read]
    assert re.sub(r":80$", "", read[2].lower()) in (request.host, f"{request.host}:{request.port}")
