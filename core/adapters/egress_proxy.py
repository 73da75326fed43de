"""The sandbox's only way out: a web proxy that passes on what goes to an allowed host, and refuses all else by name.

It looks every name up itself, refuses one that leads into this machine or its network, and dials exactly the address
that it has looked at: the program inside has no say in any of it. A redirect is a new request like any other.
"""

import select
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from types import TracebackType

from core.adapters.client_hello import NotHelloError, complete_hello, server_name
from core.adapters.egress_request import (
    END,
    LONGEST_HEAD,
    LengthRequiredError,
    RefusedError,
    Request,
    read_request,
)
from core.rules.permitting.hosts import asked_host, is_public_address
from core.rules.writing.harmless import one_line

PATIENCE = 20.0  # seconds, for one side to say something while the other cannot go on without it
MOST_CONNECTIONS = 64
MOST_REFUSALS = 100  # that are remembered
PIECE = 65536
LAST_WORDS = 1.0  # seconds for the threads to end

Resolver = Callable[[str, int], Sequence[str]]  # host and port to the addresses that may be dialled; PrivateHostError


class PrivateHostError(Exception):
    """The name leads to this machine or to its own network."""


def public_addresses(host: str, port: int, lookup: Callable[..., list[tuple[object, ...]]] | None = None) -> list[str]:
    """Where a name leads. One private address among them is one too many: it could be the one that is dialled."""
    found = (lookup or socket.getaddrinfo)(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found if isinstance(entry[4], tuple)))
    if not all(map(is_public_address, addresses)):
        raise PrivateHostError
    return addresses


class EgressProxy:
    """`with` it: serves whoever connects to the listener that is sent to `channel`, until it is left."""

    def __init__(self, domains: Iterable[str], resolve: Resolver = public_addresses) -> None:
        self._domains = tuple(domains)
        self._resolve = resolve
        self._receiver, self.channel = socket.socketpair()
        self._stopped, self._stop = socket.socketpair()  # readable at one end once the other is closed
        self._lock = threading.Lock()
        self._refused: dict[str, None] = {}
        self._connections: set[socket.socket] = set()
        self._threads = [threading.Thread(target=self._serve, name="egress proxy", daemon=True)]

    def __enter__(self) -> "EgressProxy":
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop.close()
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(LAST_WORDS)  # one that waits for a name server is left behind; it has nowhere to answer to
        for end in (self._receiver, self.channel, self._stopped):
            end.close()

    def refused(self) -> tuple[str, ...]:
        """What was asked for in vain, each once, as one printable line."""
        with self._lock:
            return tuple(self._refused)

    def _serve(self) -> None:
        listener = self._receive_listener()
        if listener is None:
            return
        with listener:
            listener.setblocking(False)  # whoever knocked may be gone when the door is opened
            while self._wait_for(listener):
                with suppress(OSError):
                    self._take(listener.accept()[0])

    def _receive_listener(self) -> socket.socket | None:
        if not self._wait_for(self._receiver):
            return None
        _, descriptors, _, _ = socket.recv_fds(self._receiver, 1, 1)
        return socket.socket(fileno=descriptors[0]) if descriptors else None

    def _wait_for(self, source: socket.socket) -> bool:
        """True: it has something for us. False: it is time to stop."""
        ready, _, _ = select.select([source, self._stopped], [], [])
        return self._stopped not in ready

    def _take(self, client: socket.socket) -> None:
        with self._lock:
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            if len(self._threads) > MOST_CONNECTIONS:
                return client.close()
            thread = threading.Thread(target=self._answer, args=(client,), name="egress connection", daemon=True)
            self._threads.append(thread)
        return thread.start()

    def _answer(self, client: socket.socket) -> None:
        with ExitStack() as open_sockets, suppress(OSError):
            self._keep(client, open_sockets)
            try:
                request, rest = self._read(client)
                upstream = self._dial(request)
            except RefusedError as error:
                self._note(str(error))
                return say(client, "403 Forbidden", "Heartbeat does not let this command reach that host.")
            except LengthRequiredError:
                return say(client, "411 Length Required", "Heartbeat passes on requests of a known length only.")
            except OSError as error:
                return say(client, "502 Bad Gateway", f"The host cannot be reached: {error.strerror or error}.")
            self._keep(upstream, open_sockets)
            # From here on an answer of ours would seem to be the host's: what is refused now just ends.
            if request.wants_tunnel:
                return self._tunnel(client, upstream, rest, request.host)
            upstream.sendall(request.head + rest[: request.body_length])
            return relay(client, upstream, max(0, request.body_length - len(rest)))

    def _read(self, client: socket.socket) -> tuple[Request, bytes]:
        """A request to an allowed host, and what came after its head."""
        head, rest = read_head(client)
        request = read_request(head)
        host = asked_host(request.host, self._domains)
        if host is None:
            raise RefusedError(request.host)
        return replace(request, host=host), rest

    def _tunnel(self, client: socket.socket, upstream: socket.socket, rest: bytes, host: str) -> None:
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        try:
            hello = read_hello(client, rest, host)
        except RefusedError as error:
            return self._note(str(error))
        upstream.sendall(hello)
        return relay(client, upstream, None)

    def _dial(self, request: Request) -> socket.socket:
        try:
            addresses = self._resolve(request.host, request.port)
        except PrivateHostError:
            raise RefusedError(request.host) from None
        problem = OSError("it has no address")
        for address in addresses:
            try:
                return socket.create_connection((address, request.port), PATIENCE)
            except OSError as error:
                problem = error
        raise problem

    def _keep(self, connection: socket.socket, open_sockets: ExitStack) -> None:
        """Close it when its thread ends; until then it can be ended from outside."""
        connection.settimeout(PATIENCE)
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


def read_head(client: socket.socket) -> tuple[bytes, bytes]:
    """The head of a request, and what came after it in the same breath."""
    data = b""
    while END not in data:
        piece = client.recv(PIECE)
        if not piece or len(data) > LONGEST_HEAD:
            raise RefusedError("a request that cannot be read") if data else OSError("nothing was asked")
        data += piece
    head, end, rest = data.partition(END)
    return head + end, rest


def read_hello(client: socket.socket, data: bytes, host: str) -> bytes:
    """What the program sends first through its tunnel, once that is known to be for the host and no other."""
    try:
        while (hello := complete_hello(data)) is None:
            piece = client.recv(PIECE)
            if not piece:
                raise NotHelloError
            data += piece
        name = server_name(hello)
    except NotHelloError:
        raise RefusedError(f"{host}, without TLS") from None
    if name != host:
        raise RefusedError(name)
    return data


def relay(client: socket.socket, upstream: socket.socket, limit: int | None) -> None:
    """Carry bytes both ways until the host has ended; of the client's at most `limit`: what comes after one request
    would be another one, to the same address, that nobody has looked at."""
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


def say(client: socket.socket, status: str, words: str) -> None:
    body = (words + "\n").encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    client.sendall(head.encode() + body)
