"""The sandbox's only way out: a web proxy that passes on requests to allowed hosts, refuses all
others, and notes their names.

It resolves every name itself, refuses a name that leads to this machine or its network without
being named as such, and connects to exactly the address that it has checked: the program inside
cannot influence any of it.
A redirect is a new request like any other.
"""

import select
import socket
import threading
from collections.abc import Iterable
from contextlib import ExitStack, closing, suppress
from types import TracebackType

from core.adapters.sandbox.egress.addresses import (
    PrivateHostError,
    Resolver,
    allowed_addresses,
    public_addresses,
)
from core.adapters.sandbox.egress.exchange import Exchange, NothingAskedError
from core.adapters.sandbox.egress.request import (
    LengthRequiredError,
    Request,
    RequestRefusedError,
)
from core.adapters.sandbox.egress.tls_hello import NotHelloError, complete_hello, server_name
from core.rules.approving.hosts import AllowedHost, asked_host
from core.rules.printable import one_line

TIMEOUT = 20.0  # seconds in which a side has to send what the other one is waiting for
MOST_CONNECTIONS = 64
MOST_REFUSALS = 100  # that are remembered
PIECE = 65536
LAST_WORDS = 1.0  # seconds for the threads to end


class EgressProxy:
    """A context manager: serves programs that connect to the listener that is sent to `channel`,
    until the block ends."""

    def __init__(self, domains: Iterable[str], resolve: Resolver = public_addresses) -> None:
        self._domains = tuple(domains)
        self._resolve = resolve
        self._receiver, self.channel = socket.socketpair()
        # `_stopped` is readable once `_stop` is closed.
        self._stopped, self._stop = socket.socketpair()
        self._lock = threading.Lock()
        self._refused: dict[str, None] = {}
        self._connections: set[socket.socket] = set()
        self._threads = [threading.Thread(target=self._serve, name="egress proxy", daemon=True)]

    def __enter__(self) -> "EgressProxy":
        self._threads[0].start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.close()
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

        for thread in self._threads:
            # A thread that still waits for a name server is left behind; its client is gone.
            thread.join(LAST_WORDS)

        for end in (self._receiver, self.channel, self._stopped):
            end.close()

    def refused(self) -> tuple[str, ...]:
        """The refused hosts or requests, each once, as one printable line."""
        with self._lock:
            return tuple(self._refused)

    def _serve(self) -> None:
        listener = self._receive_listener()
        if listener is None:
            return

        with listener:
            listener.setblocking(False)  # a client may be gone before it is accepted
            while self._wait_for(listener):
                with suppress(OSError):
                    self._take(listener.accept()[0])

    def _receive_listener(self) -> socket.socket | None:
        if not self._wait_for(self._receiver):
            return None

        _, descriptors, _, _ = socket.recv_fds(self._receiver, 1, 1)
        return socket.socket(fileno=descriptors[0]) if descriptors else None

    def _wait_for(self, source: socket.socket) -> bool:
        """Return True when it is readable, False when it is time to stop."""
        ready, _, _ = select.select([source, self._stopped], [], [])
        return self._stopped not in ready

    def _take(self, client: socket.socket) -> None:
        with self._lock:
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            if len(self._threads) > MOST_CONNECTIONS:
                return client.close()

            thread = threading.Thread(
                target=self._answer, args=(client,), name="egress connection", daemon=True
            )
            self._threads.append(thread)

        return thread.start()

    def _answer(self, client: socket.socket) -> None:
        with ExitStack() as open_sockets, suppress(OSError):
            self._keep(client, open_sockets)
            exchange = Exchange()
            try:
                request, host = self._read(client, exchange)
                upstream = self._dial(host, request.port)
            except NothingAskedError:
                return None
            except RequestRefusedError as error:
                self._note(str(error))
                words = "Heartbeat does not let this command reach that host."
                return client.sendall(exchange.error(403, "Forbidden", words))
            except LengthRequiredError:
                words = "Heartbeat passes on requests of a known length only."
                return client.sendall(exchange.error(411, "Length Required", words))
            except OSError as error:
                words = f"The host cannot be reached: {error.strerror or error}."
                return client.sendall(exchange.error(502, "Bad Gateway", words))

            self._keep(upstream, open_sockets)
            # From here on an answer of ours would seem to come from the host: a refusal just ends
            # the connection.
            if request.wants_tunnel:
                return self._tunnel(client, upstream, exchange, host)

            rest = exchange.rest
            upstream.sendall(request.head + rest[: request.body_length])
            return relay(client, upstream, max(0, request.body_length - len(rest)))

    def _read(self, client: socket.socket, exchange: Exchange) -> tuple[Request, AllowedHost]:
        """Read a request to an allowed host."""
        while (request := exchange.take(client.recv(PIECE))) is None:
            pass

        host = asked_host(request.host, request.port, self._domains)
        if host is None:
            raise RequestRefusedError(request.host)

        return request, host

    def _tunnel(
        self, client: socket.socket, upstream: socket.socket, exchange: Exchange, host: AllowedHost
    ) -> None:
        client.sendall(exchange.tunnel_opened())
        try:
            hello = read_hello(client, exchange.rest, host)
        except RequestRefusedError as error:
            return self._note(str(error))

        upstream.sendall(hello)
        return relay(client, upstream, None)

    def _dial(self, host: AllowedHost, port: int) -> socket.socket:
        try:
            addresses = allowed_addresses(host, port, self._domains, self._resolve)
        except PrivateHostError:
            raise RequestRefusedError(host.name) from None

        problem = OSError("it has no address")
        for address in addresses:
            try:
                return socket.create_connection((address, port), TIMEOUT)
            except OSError as error:
                problem = error

        raise problem

    def _keep(self, connection: socket.socket, open_sockets: ExitStack) -> None:
        """Close the connection when its thread ends; until then other threads can shut it down."""
        connection.settimeout(TIMEOUT)
        open_sockets.enter_context(closing(connection))
        with self._lock:
            self._connections.add(connection)

        open_sockets.callback(self._forget, connection)

    def _forget(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.discard(connection)

    def _note(self, asked: str) -> None:
        with self._lock:
            if len(self._refused) < MOST_REFUSALS:
                self._refused[one_line(asked)] = None


def read_hello(client: socket.socket, data: bytes, host: AllowedHost) -> bytes:
    """Read what the program sends first through its tunnel; refuse it unless it is a TLS connection
    to this host. One to an address names no host."""
    try:
        while (hello := complete_hello(data)) is None:
            piece = client.recv(PIECE)
            if not piece:
                raise NotHelloError

            data += piece

        name = server_name(hello)
    except NotHelloError:
        raise RequestRefusedError(f"{host.name}, without TLS") from None

    if name is None and host.address is None:
        raise RequestRefusedError(f"{host.name}, without TLS")
    if name is not None and name != host.name:
        raise RequestRefusedError(name)

    return data


def relay(client: socket.socket, upstream: socket.socket, limit: int | None) -> None:
    """Pass bytes on in both directions until the host ends, at most `limit` of the client's: after
    its request there could be another one, which was not checked."""
    for side in (client, upstream):
        side.settimeout(None)

    while True:
        sources = [upstream] if limit == 0 else [client, upstream]
        for side in select.select(sources, [], [])[0]:
            piece = side.recv(PIECE if side is upstream or limit is None else min(limit, PIECE))
            if side is upstream:
                if not piece:
                    return
                client.sendall(piece)
            elif piece:
                upstream.sendall(piece)
                limit = limit if limit is None else limit - len(piece)
            else:
                upstream.shutdown(socket.SHUT_WR)
                limit = 0
