"""Names of hosts and their addresses: each name has one spelling, and an address is never taken
for a name.

Law: what the person names is allowed, and nothing else. A name of the internet that leads to this
machine or its network does not get there, unless the person named that address too.
"""

import ipaddress
from collections.abc import Iterable
from typing import NamedTuple

from core.model.diagnostic import Problem
from core.rules.printable import shown

LONGEST_NAME = 253
LONGEST_LABEL = 63
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
CHARACTERS = LETTERS | frozenset("0123456789-_")
# IPv6 addresses that carry an IPv4 address in their last 32 bits: the old compatible form, and the
# two of NAT64.
CARRIERS = tuple(ipaddress.IPv6Network(net) for net in ("::/96", "64:ff9b::/96", "64:ff9b:1::/48"))


THIS_MACHINE = "localhost"
# Names that no name server of the internet answers for, besides those of a single word.
LOCAL_ENDS = (".local", ".lan", ".home", ".internal", ".intranet", ".home.arpa", ".localdomain")
LAST_PORT = 65535
EXAMPLES = "`api.example.com`, `localhost:8080` or `192.168.1.5`"

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class AllowedHost(NamedTuple):
    """A host as the person named it."""

    name: str  # in its one spelling; an address has no brackets
    port: int | None  # None: every port
    address: Address | None  # None: it is a name

    @property
    def is_this_machine(self) -> bool:
        return self.name == THIS_MACHINE or self.name.endswith(f".{THIS_MACHINE}")

    @property
    def is_local_name(self) -> bool:
        """Whether the name itself says that it belongs to the local network."""
        return self.address is None and (
            "." not in self.name or self.name.endswith(LOCAL_ENDS) or self.is_this_machine
        )


def allowed_host(text: str) -> AllowedHost | Problem:
    """The host that the person wrote, with a port if there is one, or why it cannot work."""
    written = text.strip()
    host, port = _split_port(written)
    address = _address(host)
    name = str(address) if address else host_name(host)
    number = int(port) if port and port.isascii() and port.isdecimal() and len(port) <= 5 else 0

    if name is None or (port is not None and not 0 < number <= LAST_PORT):
        return Problem(f"`{shown(written)}` is not a host that can be allowed.", _advice(written))
    if address and (address.is_unspecified or address.is_multicast):
        return Problem(f"`{shown(written)}` is not the address of one host.", _advice(written))

    return AllowedHost(name, number or None, address)


def _split_port(text: str) -> tuple[str, str | None]:
    """Host and port; the colons of an IPv6 address are no sign of a port."""
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")) or ":" not in host:
            return "", None
        return host, rest[1:] if rest else None

    if text.count(":") == 1:
        host, _, port = text.partition(":")
        return host, port

    return text, None


def _address(text: str) -> Address | None:
    """The address in its usual spelling; None for any other text, also for 127.1 and 0x7f.1."""
    try:
        return ipaddress.ip_address(text) if text.isascii() and "%" not in text else None
    except ValueError:
        return None


def _advice(written: str) -> str:
    if not written:
        return f"Write the name of a host, such as {EXAMPLES}, or remove the line."
    if "://" in written or "/" in written:
        return f"Write the host alone, without `https://` and without a path: {EXAMPLES}."
    if "*" in written:
        return f"A `*` stands for nothing here: name each host, such as {EXAMPLES}."

    return f"Write one host, with a port if only that one is meant: {EXAMPLES}."


def host_name(text: str) -> str | None:
    """The one spelling of the name: lower case, letters of other scripts encoded, no dot at the
    end. None if it is not the name of a host: an address in any spelling (127.1, 2130706433,
    0x7f.1, [::1]), a port, a path, a wildcard."""
    name = text.strip().removesuffix(".")
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            return None

    name = name.lower()
    labels = name.split(".")
    if not 0 < len(name) <= LONGEST_NAME or not all(map(_is_label, labels)):
        return None

    # Some program will read a name that ends in a number as an address.
    return name if labels[-1][0] in LETTERS else None


def _is_label(label: str) -> bool:
    return (
        0 < len(label) <= LONGEST_LABEL
        and CHARACTERS.issuperset(label)
        and label[0] != "-" != label[-1]
    )


def asked_host(text: str, port: int, allowed: Iterable[str]) -> AllowedHost | None:
    """The host that a request names if it is one of the allowed ones, with this port if that one
    has any; otherwise None. Names are compared as a whole, never by their ends. A request must
    spell the host plainly: nothing is trimmed or encoded for it. An IPv6 address is in brackets."""
    if text != text.strip() or not text.isascii():
        return None

    bare = text[1:-1] if text.startswith("[") and text.endswith("]") and ":" in text else text
    address = _address(bare)
    if address and (bare == text) != (address.version == 4):
        return None

    name = str(address) if address else host_name(text)
    known = (allowed_host(domain) for domain in allowed)
    return next(
        (
            one
            for one in known
            if isinstance(one, AllowedHost) and one.name == name and one.port in (None, port)
        ),
        None,
    )


def may_reach(host: AllowedHost, address: str, port: int, allowed: Iterable[str]) -> bool:
    """Whether a host that the person allowed may lead to this address.

    To the public internet always. To the local network if the name says that it belongs there, and
    to this machine if it is `localhost`: another name would let whoever answers for it choose. Or
    if the person named the address as well.
    """
    if is_public_address(address):
        return True

    where = ipaddress.ip_address(address.partition("%")[0])
    if host.is_this_machine:
        return where.is_loopback
    if host.is_local_name and where.is_private and not (where.is_loopback or _is_special(where)):
        return True

    return any(
        isinstance(one, AllowedHost) and one.address == where and one.port in (None, port)
        for one in map(allowed_host, allowed)
    )


def _is_special(address: Address) -> bool:
    """Whether it is no usual address of a host: a link-local one may be a cloud's metadata
    server, and one that carries another may lead anywhere."""
    return (
        address.is_unspecified
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or any(_carried(address))
    )


def is_public_address(text: str) -> bool:
    """Whether the address is on the public internet, not on this machine or in a private
    network."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return all(
        one.is_global and not one.is_multicast and not one.is_reserved
        for one in (address, *_carried(address))
    )


def _carried(address: Address) -> Iterable[ipaddress.IPv4Address]:
    if isinstance(address, ipaddress.IPv4Address):
        return
    if address.ipv4_mapped:
        yield address.ipv4_mapped
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo
    if any(address in net for net in CARRIERS):
        yield ipaddress.IPv4Address(address.packed[-4:])
