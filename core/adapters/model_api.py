"""Asks the server of a language model over HTTP.

Law: the key goes to the address of the request and nowhere else, whatever the environment or a
redirect says, and a request that is given up closes its connection: a model that nobody listens
to still costs money.
"""

import socket
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from core.adapters.web_body import UNCOMPRESSED, read_body
from core.model.http import ApiRequest, GivenUp, NoAnswer, RawAnswer
from core.ports.processes import Cancellation

if TYPE_CHECKING:
    import httpx

CONNECT_TIMEOUT = 10.0  # seconds; the answer itself has the timeout of the request
LARGEST_ANSWER = 8 * 1024 * 1024  # bytes
POLL_INTERVAL = 0.1  # seconds until a cancellation is noticed
LOCAL = ("127.0.0.1", "::1", "localhost")
IN_ENVIRONMENT = (
    "the proxy or the certificates that the environment names cannot be used (HTTPS_PROXY, "
    "ALL_PROXY, SSL_CERT_FILE)"
)


class HttpxModelApi:
    """The `ModelApi` port. A connection is kept for the next request to the same address."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._connections: dict[str, _Connection] = {}  # by address

    def post(self, request: ApiRequest, cancelled: Cancellation) -> RawAnswer | NoAnswer | GivenUp:
        if cancelled.is_set():
            return GivenUp()

        problem = _not_an_address(request.url)
        if problem:
            return NoAnswer(f"{request.url} is not an address: {problem}", ("no_address",))

        try:
            connection = self._connection(request.url)
        # A proxy that is not one, one that needs another library, certificates that are not there.
        except (ValueError, ImportError, OSError) as error:
            return NoAnswer(f"{IN_ENVIRONMENT}: {error}", ("environment",))

        exchange = _Exchange(connection, request)
        if exchange.wait(self._monotonic, cancelled):
            return exchange.answer

        self._connections.pop(_address(request.url), None)
        connection.close()
        return GivenUp()

    def _connection(self, url: str) -> "_Connection":
        address = _address(url)
        if address not in self._connections:
            self._connections[address] = _Connection(url)

        return self._connections[address]

    def close(self) -> None:
        for connection in self._connections.values():
            connection.close()

        self._connections.clear()


class _Exchange:
    """A request in a thread of its own, because the library can wait for ever. The end of the
    program does not wait for the thread."""

    def __init__(self, connection: "_Connection", request: ApiRequest) -> None:
        self.answer: RawAnswer | NoAnswer = NoAnswer("it was not sent", ("not_sent",))
        self._connection = connection
        self._request = request
        self._is_over = Event()

    def wait(self, monotonic: Callable[[], float], cancelled: Cancellation) -> bool:
        """Whether an answer came before it was cancelled or its time was over."""
        deadline = monotonic() + self._request.timeout.total_seconds()
        Thread(target=self._send, name="model", daemon=True).start()

        while not self._is_over.wait(POLL_INTERVAL):
            if cancelled.is_set() or monotonic() >= deadline:
                return False

        return True

    def _send(self) -> None:
        try:
            self.answer = self._connection.send(self._request)
        finally:
            self._is_over.set()


class _Connection:
    """The library's client for one address. `close` may be called while another thread waits for
    an answer."""

    def __init__(self, url: str) -> None:
        self._web = _web_client(url)
        self._stream: Any = None  # the network connection in use
        self._is_closed = False

    def send(self, request: ApiRequest) -> RawAnswer | NoAnswer:
        import httpx

        try:
            sent = self._web.build_request(
                "POST",
                request.url,
                headers={**request.headers, **UNCOMPRESSED},
                content=request.body,
                extensions={"trace": self._trace},
            )
            with closing(self._web.send(sent, stream=True)) as response:
                return _read(response)
        # RuntimeError: it was closed meanwhile. ValueError: a key that no header can hold.
        except (httpx.HTTPError, httpx.InvalidURL, OSError, RuntimeError, ValueError) as error:
            cause = "no_connection" if _never_arrived(error) else type(error).__name__
            return NoAnswer(str(error) or type(error).__name__, (cause,))

    def close(self) -> None:
        """End the connection at once. One that is still being made sends nothing."""
        self._is_closed = True
        stream = self._stream
        connected = stream.get_extra_info("socket") if stream else None
        if connected is not None:
            with suppress(OSError, ValueError):
                # Closing alone would leave the other thread waiting.
                connected.shutdown(socket.SHUT_RDWR)

        self._web.close()

    def _trace(self, event: str, details: Mapping[str, Any]) -> None:
        """Remember the connection: the library shows it only here."""
        is_connected = event.endswith(("connect_tcp.complete", "start_tls.complete"))
        if is_connected:
            self._stream = details["return_value"]

        if self._is_closed and (is_connected or event.endswith("send_request_headers.started")):
            self._stream.close()
            raise RuntimeError("it was given up")


def _not_an_address(url: str) -> str | None:
    """What is wrong with it; None if nothing is."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        return str(error)

    if parts.scheme not in ("http", "https"):
        return "it begins with neither http:// nor https://"

    return None if parts.hostname else "it names no server"


def _address(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _web_client(url: str) -> "httpx.Client":
    """Does not follow redirects: a request must not end up at another address. Uses the proxy of
    the environment, except for servers on this machine."""
    import httpx  # imported here: a beat without a model does not need it

    parts = urlsplit(url)
    is_local = parts.hostname in LOCAL
    needs_certificates = parts.scheme != "http" or not is_local  # a proxy may have some
    return httpx.Client(
        timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT),
        follow_redirects=False,
        trust_env=not is_local,
        verify=needs_certificates,  # reading them takes 50 ms
    )


def _read(response: "httpx.Response") -> RawAnswer | NoAnswer:
    data = read_body(response, LARGEST_ANSWER + 1)
    if len(data) > LARGEST_ANSWER:
        return NoAnswer("the answer is larger than 8 MiB", ("too_large",))

    return RawAnswer(response.status_code, dict(response.headers), data)


def _never_arrived(error: Exception) -> bool:
    """Whether the request never reached the server, so that nothing was charged."""
    import httpx

    return isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
