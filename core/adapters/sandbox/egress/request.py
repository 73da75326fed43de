"""What a program asks a web proxy for, read strictly: what two readers could understand in two ways
is refused."""

from dataclasses import dataclass

LONGEST_HEAD = 16 * 1024
END = b"\r\n\r\n"
NAME_CHARACTERS = frozenset(
    "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)
# They concern the next hop only, and this proxy passes on exactly one request and its answer.
NOT_PASSED_ON = frozenset(
    (
        *("host", "connection", "proxy-connection", "proxy-authorization", "keep-alive"),
        *("te", "trailer", "upgrade", "expect"),
    )
)


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


def read_request(head: bytes) -> Request:
    """The request whose head this is, up to and with its blank line."""
    if not head.endswith(END) or not head.isascii():
        raise RequestRefusedError("a request that cannot be read")

    first, *lines = head.removesuffix(END).decode("ascii").split("\r\n")
    if not first.isprintable() or not all(line.replace("\t", " ").isprintable() for line in lines):
        raise RequestRefusedError(first)

    method, _, rest = first.partition(" ")
    target, _, version = rest.partition(" ")
    headers = [_header(line) for line in lines]
    if version not in ("HTTP/1.0", "HTTP/1.1") or not _is_name(method):
        raise RequestRefusedError(first)

    if method == "CONNECT":
        host, port = _split(target, default_port=0)
        return Request(host, port, b"")

    return _plain(method, target, version, headers)


def _plain(method: str, target: str, version: str, headers: list[tuple[str, str]]) -> Request:
    scheme, _, rest = target.partition("://")
    if scheme.lower() != "http" or "#" in rest:
        raise RequestRefusedError(target)

    authority = rest.partition("/")[0].partition("?")[0]
    path = rest[len(authority) :]
    host, port = _split(authority, default_port=80)
    named = [value for name, value in headers if name.lower() == "host"]
    if len(named) != 1 or _split(named[0], default_port=80) != (host, port):
        raise RequestRefusedError(", ".join(named) or authority)

    length = _body_length(headers)
    lines = [
        f"{method} {path if path.startswith('/') else '/' + path} {version}",
        f"Host: {named[0]}",
        *(f"{name}: {value}" for name, value in headers if name.lower() not in NOT_PASSED_ON),
        "Connection: close",
    ]

    return Request(host, port, "\r\n".join(lines).encode("ascii") + END, length)


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not _is_name(name):
        raise RequestRefusedError(line)

    return name, value.strip(" \t")


def _is_name(text: str) -> bool:
    return bool(text) and NAME_CHARACTERS.issuperset(text)


def _body_length(headers: list[tuple[str, str]]) -> int:
    fields = [(name.lower(), value) for name, value in headers]
    if any(name == "transfer-encoding" for name, _ in fields):
        raise LengthRequiredError

    lengths = [value for name, value in fields if name == "content-length"]
    if len(lengths) > 1 or any(not value.isdecimal() for value in lengths):
        raise RequestRefusedError("content-length: " + ", ".join(lengths))

    return int(lengths[0]) if lengths else 0


def _split(authority: str, default_port: int) -> tuple[str, int]:
    """Host and port. Names with a user, and anything else that is not a plain name, keep their
    characters and match no host."""
    host, colon, port = authority.rpartition(":")
    if not colon:
        host, port = authority, str(default_port)
    if not port.isdecimal() or len(port) > 5 or not 0 < int(port) < 65536:
        raise RequestRefusedError(authority)

    return host.lower(), int(port)
