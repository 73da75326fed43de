"""What a program may ask the proxy for, and all the ways to mean two things at once."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.adapters.sandbox.egress.exchange import Exchange, NothingAskedError
from core.adapters.sandbox.egress.request import LengthRequiredError, Request, RequestRefusedError


def read_request(head: bytes) -> Request:
    """The request whose head this is; nothing follows it."""
    exchange = Exchange()
    request = exchange.take(head) or exchange.take(b"")
    assert request is not None
    return request


def lines(*rows: str) -> bytes:
    return ("\r\n".join(rows) + "\r\n\r\n").encode("latin-1")


def test_a_tunnel_names_host_and_port() -> None:
    wanted = Request("example.com", 443, b"")
    for rows in (
        ["CONNECT Example.com:443 HTTP/1.1", "Host: Example.com:443"],
        ["CONNECT Example.com:443 HTTP/1.1", "Host: Example.com:443", "Content-Length: 0"],
        ["CONNECT Example.com:443 HTTP/1.0"],
    ):
        assert read_request(lines(*rows)) == wanted


def test_a_plain_request_is_passed_on_without_what_concerns_the_proxy() -> None:
    request = read_request(
        lines(
            "POST http://example.com:8080/a?b=c HTTP/1.1",
            "Host: example.com:8080",
            "Proxy-Authorization: Basic eA==",
            "Proxy-Connection: keep-alive",
            "Connection: upgrade",
            "Upgrade: websocket",
            "X-Mine: 1\t2",
            "Content-Length: 4",
        )
    )
    assert (request.host, request.port, request.body_length) == ("example.com", 8080, 4)
    assert request.head == lines(
        "POST /a?b=c HTTP/1.1",
        "Host: example.com:8080",
        "X-Mine: 1\t2",
        "Content-Length: 4",
        "Connection: close",
    )


@pytest.mark.parametrize(
    ("target", "path"),
    [("http://a.org", "/"), ("http://a.org?x", "/?x"), ("HTTP://a.org/x/", "/x/")],
)
def test_a_path_is_never_empty(target: str, path: str) -> None:
    request = read_request(lines(f"GET {target} HTTP/1.0", "Host: a.org"))
    assert request.head.startswith(f"GET {path} HTTP/1.0\r\n".encode())
    assert (request.host, request.port) == ("a.org", 80)


@pytest.mark.parametrize(
    "head",
    [
        lines("GET http://a.org/ HTTP/1.1"),
        lines("GET http://a.org/ HTTP/1.1", "Host: evil.org"),
        lines("GET http://a.org/ HTTP/1.1", "Host: a.org:8080"),
        lines("GET http://a.org/ HTTP/1.1", "Host: a.org", "Host: evil.org"),
        lines(
            "GET http://a.org/ HTTP/1.1", "Host: a.org", "Content-Length: 1", "Content-Length: 2"
        ),
        lines("GET http://a.org/ HTTP/1.1", "Host: a.org", "Content-Length: +1"),
        lines("GET http://a.org/ HTTP/1.1", "Host: a.org", " folded: line"),
        lines("GET http://a.org/ HTTP/1.1", "Host : a.org"),
        lines("GET http://a.org/ HTTP/1.1", "Host: a.org", "no colon"),
        lines("GET http://a.org/ HTTP/1.1", "Host: a.org", "X: a\nHost: evil.org"),
        lines("GET http://a.org/ HTTP/1.1", "Host: a.org", "X: a\0b"),
        lines("GET http://a.org/#x HTTP/1.1", "Host: a.org"),
        lines("GET /path HTTP/1.1", "Host: a.org"),
        lines("GET https://a.org/ HTTP/1.1", "Host: a.org"),
        lines("GET ftp://a.org/ HTTP/1.1", "Host: a.org"),
        lines("GET http://a.org/ HTTP/2.0", "Host: a.org"),
        lines("GET http://a.org/ x HTTP/1.1", "Host: a.org"),
        lines("GET http://a.org:/ HTTP/1.1", "Host: a.org:"),
        lines("GET http://a.org:70000/ HTTP/1.1", "Host: a.org:70000"),
        lines("GET http://\xe4.org/ HTTP/1.1", "Host: \xe4.org"),
        lines("G(T http://a.org/ HTTP/1.1", "Host: a.org"),
        lines("CONNECT a.org HTTP/1.1", "Host: a.org"),
        lines("CONNECT a.org:0 HTTP/1.1", "Host: a.org:0"),
        lines("CONNECT a.org:443@evil.org HTTP/1.1", "Host: a.org"),
        lines("CONNECT a.org:443"),
        lines("CONNECT a.org:443 HTTP/1.1"),
        lines("CONNECT a.org:443 HTTP/1.1", "Host: a.org:443", "Content-Length: 3"),
        lines("CONNECT a.org\0:443 HTTP/1.1", "Host: a.org"),
        b"\r\n\r\n",
        b"GET http://a.org/ HTTP/1.1\r\nHost: a.org\r\n",
    ],
)
def test_what_two_readers_could_understand_differently_is_refused(head: bytes) -> None:
    with pytest.raises(RequestRefusedError):
        read_request(head)


@pytest.mark.parametrize(
    "target", ["user@a.org", "a.org:80@evil.org", "evil.org\\@a.org", "[::1]", "127.1"]
)
def test_an_odd_host_keeps_its_characters_so_that_it_matches_no_name(target: str) -> None:
    try:
        request = read_request(lines(f"GET http://{target}/ HTTP/1.1", f"Host: {target}"))
    except RequestRefusedError:
        return
    assert request.host == target.lower()


def test_a_body_of_unknown_length_has_an_error_of_its_own() -> None:
    with pytest.raises(LengthRequiredError):
        read_request(
            lines("PUT http://a.org/ HTTP/1.1", "Host: a.org", "Transfer-Encoding: chunked")
        )


@settings(deadline=None)
@given(
    st.binary(max_size=200), st.sampled_from([b"", b"CONNECT ", b"GET http://a.org/ HTTP/1.1\r\n"])
)
def test_any_bytes_are_read_or_refused(data: bytes, start: bytes) -> None:
    with contextlib.suppress(RequestRefusedError, LengthRequiredError):
        read_request(start + data + b"\r\n\r\n")


def test_a_connection_that_says_nothing_has_an_error_of_its_own() -> None:
    with pytest.raises(NothingAskedError):
        read_request(b"")
