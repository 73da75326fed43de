"""What a program asks a web proxy for, read strictly: what two readers could understand in two ways
is refused, also where HTTP has a rule for who wins."""

from dataclasses import dataclass

import h11

END_OF_LINE = "\r\n"
VERSIONS = (b"1.0", b"1.1")
# They concern the next hop only, and this proxy passes on exactly one request and its answer.
NOT_PASSED_ON = frozenset(
    (
        *("host", "connection", "proxy-connection", "proxy-authorization", "keep-alive"),
        *("te", "trailer", "upgrade", "expect"),
    )
)

Fields = list[tuple[str, str]]  # the names of headers as they were spelt, and their values


class RequestRefusedError(Exception):
    """The request goes nowhere; its text is what was asked for, as far as that can be said."""


class LengthRequiredError(Exception):
    """The host may be fine, but where the request ends cannot be told beforehand."""


@dataclass(frozen=True, slots=True)
class Request:
    host: str  # as it was spelt; not yet checked
    port: int
    head: bytes  # what to say to the host; empty: the program wants a tunnel
    body_length: int = 0

    @property
    def wants_tunnel(self) -> bool:
        return not self.head


def asked_request(event: h11.Request) -> Request:
    """What the request means, if it can mean only one thing."""
    target = event.target.decode("ascii")
    if event.http_version not in VERSIONS:
        raise RequestRefusedError(target)

    fields = [
        (name.decode("ascii"), value.decode("ascii")) for name, value in event.headers.raw_items()
    ]
    length = _body_length(fields)
    if event.method != b"CONNECT":
        return _plain(event, target, fields, length)

    # A tunnel has no body. One that announces it could hide bytes before the TLS greeting.
    if length:
        raise RequestRefusedError(target)

    host, port = _split(target, default_port=0)
    return Request(host, port, b"")


def _plain(event: h11.Request, target: str, fields: Fields, length: int) -> Request:
    scheme, _, rest = target.partition("://")
    if scheme.lower() != "http" or "#" in rest:
        raise RequestRefusedError(target)

    authority = rest.partition("/")[0].partition("?")[0]
    path = rest[len(authority) :]
    host, port = _split(authority, default_port=80)
    named = _values(fields, "host")
    if len(named) != 1 or _split(named[0], default_port=80) != (host, port):
        raise RequestRefusedError(", ".join(named) or authority)

    method = event.method.decode("ascii")
    version = event.http_version.decode("ascii")
    lines = [
        f"{method} {path if path.startswith('/') else '/' + path} HTTP/{version}",
        f"Host: {named[0]}",
        *(f"{name}: {value}" for name, value in fields if name.lower() not in NOT_PASSED_ON),
        "Connection: close",
    ]
    head = END_OF_LINE.join([*lines, "", ""]).encode("ascii")

    return Request(host, port, head, length)


def _body_length(fields: Fields) -> int:
    # With both a length and a coding h11 lets the coding win; a server might let the length.
    if _values(fields, "transfer-encoding"):
        raise LengthRequiredError

    lengths = _values(fields, "content-length")
    return int(lengths[0]) if lengths else 0


def _values(fields: Fields, wanted: str) -> list[str]:
    return [value for name, value in fields if name.lower() == wanted]


def _split(authority: str, default_port: int) -> tuple[str, int]:
    """Host and port. Names with a user, and anything else that is not a plain name, keep their
    characters and match no host."""
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):  # the colons of an IPv6 address
        host, port = authority, str(default_port)
    if not port.isdecimal() or len(port) > 5 or not 0 < int(port) < 65536:
        raise RequestRefusedError(authority)

    return host.lower(), int(port)
