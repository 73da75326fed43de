"""The first message of a TLS connection, as real clients send it and as liars might."""

import contextlib
import ssl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.adapters.sandbox.egress.tls_hello import NotHelloError, complete_hello, server_name


def real_hello(host: str | None) -> bytes:
    """What this system's own TLS sends first."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    incoming = ssl.MemoryBIO()
    outgoing = ssl.MemoryBIO()
    connection = context.wrap_bio(incoming, outgoing, server_hostname=host)
    with pytest.raises(ssl.SSLWantReadError):
        connection.do_handshake()
    return outgoing.read()


def extension(kind: int, content: bytes) -> bytes:
    return kind.to_bytes(2, "big") + len(content).to_bytes(2, "big") + content


def names(*hosts: bytes) -> bytes:
    entries = b"".join(b"\0" + len(host).to_bytes(2, "big") + host for host in hosts)
    return extension(0, len(entries).to_bytes(2, "big") + entries)


def hello(*extensions: bytes) -> bytes:
    """A message with these extensions, without its record."""
    joined = b"".join(extensions)
    return (
        b"\3\3"
        + bytes(32)
        + b"\0"
        + b"\0\2\x13\1"
        + b"\1\0"
        + len(joined).to_bytes(2, "big")
        + joined
    )


def records(message: bytes, size: int = 16384) -> bytes:
    whole = b"\1" + len(message).to_bytes(3, "big") + message
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    return b"".join(b"\x16\3\1" + len(piece).to_bytes(2, "big") + piece for piece in pieces)


def test_the_host_that_a_real_client_names_is_read() -> None:
    message = complete_hello(real_hello("Api.Example.com"))
    assert message is not None
    assert server_name(message) == "api.example.com"


def test_a_message_in_many_small_records_is_one_message() -> None:
    message = hello(names(b"example.com"))
    assert complete_hello(records(message, 3)) == message


def test_more_bytes_are_asked_for_until_the_message_is_whole() -> None:
    data = records(hello(names(b"example.com")), 20)
    for cut in range(len(data)):
        assert complete_hello(data[:cut]) is None
    assert complete_hello(data + b"\x17\3\3\0\1x") is not None


@pytest.mark.parametrize(
    "message",
    [
        hello(names()),
        hello(names(b"example.com", b"evil.org")),
        hello(names(b"example.com"), names(b"evil.org")),
        hello(names(b"example.com"), extension(0xFE0D, b"hidden")),
        hello(names("exämple.com".encode())),
        hello(names(b"example.com"))[:-3],
        b"",
    ],
)
def test_a_message_that_does_not_show_exactly_one_host_is_refused(message: bytes) -> None:
    with pytest.raises(NotHelloError):
        server_name(message)


@pytest.mark.parametrize("message", [hello(), complete_hello(real_hello(None))])
def test_a_client_may_name_no_host(message: bytes | None) -> None:
    assert message is not None
    assert server_name(message) is None


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\n", b"SSH-2.0-x\r\n", b"\x16\2\0\0\5xxxxx", b"\x16\3\1\0\4\2\0\0\0"]
)
def test_other_protocols_are_refused(data: bytes) -> None:
    with pytest.raises(NotHelloError):
        complete_hello(data)


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for read in (complete_hello, server_name):
        with contextlib.suppress(NotHelloError):
            read(data)
