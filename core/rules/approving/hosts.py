"""Names of hosts and their addresses: each name has one spelling, and an address is never taken
for a name."""

import ipaddress
from collections.abc import Iterable

LONGEST_NAME = 253
LONGEST_LABEL = 63
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
CHARACTERS = LETTERS | frozenset("0123456789-_")
# IPv6 addresses that carry an IPv4 address in their last 32 bits: the old compatible form, and the
# two of NAT64.
CARRIERS = tuple(ipaddress.IPv6Network(net) for net in ("::/96", "64:ff9b::/96", "64:ff9b:1::/48"))


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


def asked_host(text: str, allowed: Iterable[str]) -> str | None:
    """The host that a request names if it is one of the allowed ones, otherwise None. Names are
    compared as a whole, never by their ends. A request must spell the name plainly: nothing is
    trimmed or encoded for it."""
    if text != text.strip() or not text.isascii():
        return None

    name = host_name(text)
    return name if name is not None and name in {host_name(domain) for domain in allowed} else None


def is_public_address(text: str) -> bool:
    """Whether the address is on the public internet, not on this machine or in a private
    network."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return all(
        one.is_global and not one.is_multicast and not one.is_reserved
        for one in (address, *_carried(address))
    )


def _carried(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> Iterable[ipaddress.IPv4Address]:
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
