"""Where a host leads: to addresses that the person allowed, or nowhere."""

import socket
from collections.abc import Callable, Collection, Sequence

from core.rules.approving.hosts import AllowedHost, is_public_address, may_reach

# From the name of a host of the internet and a port to the addresses that we may connect to, or
# PrivateHostError.
Resolver = Callable[[str, int], Sequence[str]]
Lookup = Callable[..., list[tuple[object, ...]]]


class PrivateHostError(Exception):
    """The name leads to this machine or to its own network."""

    def __init__(self, addresses: Sequence[str] = ()) -> None:
        super().__init__()
        self.addresses = addresses


def allowed_addresses(
    host: AllowedHost, port: int, allowed: Collection[str], resolve: Resolver
) -> Sequence[str]:
    """The addresses that we may connect to for a host that the person allowed."""
    if host.address:
        return [str(host.address)]
    if host.is_local_name:
        return local_addresses(host, port, allowed)

    try:
        return resolve(host.name, port)
    except PrivateHostError as error:
        named = [one for one in error.addresses if may_reach(host, one, port, allowed)]
        if named and len(named) == len(error.addresses):
            return named  # the person named these addresses as well

        raise


def public_addresses(host: str, port: int, lookup: Lookup | None = None) -> list[str]:
    """The addresses of a name. PrivateHostError if even one of them is private: it could be the one
    that we connect to."""
    addresses = _looked_up(host, port, lookup)
    if not all(map(is_public_address, addresses)):
        raise PrivateHostError(addresses)

    return addresses


def local_addresses(
    host: AllowedHost, port: int, allowed: Collection[str], lookup: Lookup | None = None
) -> list[str]:
    """The addresses of a name of the local network, of those that it may lead to. It may have
    others too, such as a link-local one."""
    addresses = _looked_up(host.name, port, lookup)
    may = [one for one in addresses if may_reach(host, one, port, allowed)]
    if addresses and not may:
        raise PrivateHostError(addresses)

    return may


def _looked_up(host: str, port: int, lookup: Lookup | None) -> list[str]:
    found = (lookup or socket.getaddrinfo)(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found if isinstance(entry[4], tuple)))
