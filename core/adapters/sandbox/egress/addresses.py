"""Where a name leads: to addresses on the public internet, or nowhere."""

import socket
from collections.abc import Callable, Sequence

from core.rules.approving.hosts import is_public_address

# From host and port to the addresses that we may connect to, or PrivateHostError.
Resolver = Callable[[str, int], Sequence[str]]


class PrivateHostError(Exception):
    """The name leads to this machine or to its own network."""


def public_addresses(
    host: str, port: int, lookup: Callable[..., list[tuple[object, ...]]] | None = None
) -> list[str]:
    """The addresses of a name. PrivateHostError if even one of them is private: it could be the one
    that we connect to."""
    found = (lookup or socket.getaddrinfo)(host, port, type=socket.SOCK_STREAM)
    addresses = list(
        dict.fromkeys(str(entry[4][0]) for entry in found if isinstance(entry[4], tuple))
    )
    if not all(map(is_public_address, addresses)):
        raise PrivateHostError

    return addresses
