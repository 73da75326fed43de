"""The client of a model's server with servers that are real, or odd."""

import gzip
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.adapters.model_api import HttpxModelApi
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.http import ApiRequest, GivenUp, NoAnswer, RawAnswer
from tests.e2e.servers import Reply, self_signed, site

LONG = timedelta(seconds=60)


@pytest.fixture
def api() -> Iterator[HttpxModelApi]:
    made = HttpxModelApi(time.monotonic)
    yield made
    made.close()


@pytest.fixture
def switch() -> Iterator[CancelSwitch]:
    made = CancelSwitch()
    yield made
    made.close()


def request(url: str, timeout: timedelta = LONG, **headers: str) -> ApiRequest:
    return ApiRequest(url, headers, b"{}", timeout)


def read_request(connection: socket.socket) -> None:
    data = b""
    while not data.endswith(b"\r\n\r\n{}"):
        data += connection.recv(65536)


def test_given_up_before_the_first_byte_the_connection_is_closed(
    api: HttpxModelApi, switch: CancelSwitch
) -> None:
    """A model thinks before it answers. If nobody listens any more, it has to hear of it."""
    ends: list[bytes] = []

    def listen(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            read_request(connection)
            switch.set()
            connection.settimeout(30)
            ends.append(connection.recv(65536))

    with socket.create_server(("127.0.0.1", 0)) as server:
        listener = threading.Thread(target=listen, args=(server,))
        listener.start()
        answer = api.post(request(f"http://127.0.0.1:{server.getsockname()[1]}/"), switch)
        listener.join(30)

    assert answer == GivenUp()
    assert ends == [b""]


def test_given_up_while_it_connects_nothing_is_sent(
    api: HttpxModelApi, switch: CancelSwitch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking up a name can take long. A request that is sent after that still costs money."""
    go_on = threading.Event()
    looked_up = threading.Event()
    look_up = socket.getaddrinfo

    def slowly(*words: Any, **more: Any) -> Any:
        looked_up.set()
        go_on.wait(30)
        return look_up(*words, **more)

    def cancel() -> None:
        looked_up.wait(30)
        switch.set()

    monkeypatch.setattr(socket, "getaddrinfo", slowly)

    with socket.create_server(("127.0.0.1", 0)) as server:
        canceller = threading.Thread(target=cancel)
        canceller.start()
        answer = api.post(request(f"http://localhost:{server.getsockname()[1]}/"), switch)
        canceller.join()
        go_on.set()

        server.settimeout(30)
        connection, _ = server.accept()
        with connection:
            connection.settimeout(30)
            assert connection.recv(65536) == b""

    assert answer == GivenUp()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:9"),
        ("HTTPS_PROXY", "nonsense://127.0.0.1:9"),
        ("SSL_CERT_FILE", "/nonexistent/certificates.pem"),
    ],
)
def test_what_the_environment_names_and_cannot_be_used_is_named(
    api: HttpxModelApi, switch: CancelSwitch, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    answer = api.post(request("https://models.invalid/v1"), switch)
    assert isinstance(answer, NoAnswer)
    assert name in answer.reason


@pytest.mark.parametrize(
    "url", ["models.invalid/v1", "http://", "http://a:b/", "file:///etc/passwd"]
)
def test_what_is_not_an_address_is_said(api: HttpxModelApi, switch: CancelSwitch, url: str) -> None:
    answer = api.post(request(url), switch)
    assert isinstance(answer, NoAnswer)
    assert "is not an address" in answer.reason


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_compressed_answer_is_understood(
    api: HttpxModelApi, switch: CancelSwitch, coding: str
) -> None:
    data = gzip.compress(b"{}") if coding == "gzip" else zlib.compress(b"{}")
    with site() as server:
        server.replies["/"] = Reply(200, data, {"Content-Encoding": coding})
        answer = api.post(request(f"http://{server.address}/"), switch)
        assert server.asked[0].headers["accept-encoding"] == "identity"

    assert isinstance(answer, RawAnswer)
    assert answer.body == b"{}"


def test_a_bomb_costs_no_more_than_the_limit(api: HttpxModelApi, switch: CancelSwitch) -> None:
    """600 kB that become 600 MB."""
    pack = zlib.compressobj(wbits=31)
    bomb = b"".join(pack.compress(bytes(1 << 20)) for _ in range(600)) + pack.flush()
    tracemalloc.start()
    try:
        with site() as server:
            server.replies["/"] = Reply(200, bomb, {"Content-Encoding": "gzip"})
            answer = api.post(request(f"http://{server.address}/"), switch)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert answer == NoAnswer("the answer is larger than 8 MiB", ("too_large",))
    assert most < 60 << 20


def test_a_bomb_in_a_bomb_is_refused(api: HttpxModelApi, switch: CancelSwitch) -> None:
    bomb = gzip.compress(gzip.compress(bytes(1000)))
    with site() as server:
        server.replies["/"] = Reply(200, bomb, {"Content-Encoding": "gzip, gzip"})
        answer = api.post(request(f"http://{server.address}/"), switch)

    assert isinstance(answer, NoAnswer)
    assert "compressed with gzip, gzip" in answer.reason


def test_neither_a_proxy_nor_a_login_of_the_environment_is_used_on_this_machine(
    api: HttpxModelApi,
    switch: CancelSwitch,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password canary\n")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9/")
    with site() as server:
        assert isinstance(api.post(request(f"http://{server.address}/"), switch), RawAnswer)
        assert "authorization" not in server.asked[0].headers


@pytest.mark.parametrize(
    "asked",
    [
        request("http://[::1/"),
        request("nonsense"),
        request("http://127.0.0.1:9/", key="\udcff"),
        request("http://127.0.0.1:9/", key="a\nb"),
        request("http://127.0.0.1:99999/"),
    ],
    ids=str,
)
def test_what_cannot_be_sent_is_a_reason_and_not_an_exception(
    api: HttpxModelApi, switch: CancelSwitch, asked: ApiRequest
) -> None:
    answer = api.post(asked, switch)
    assert isinstance(answer, NoAnswer)
    assert answer.reason


def test_a_connection_is_used_again(api: HttpxModelApi, switch: CancelSwitch) -> None:
    accepted: list[object] = []

    def serve(server: socket.socket) -> None:
        connection, address = server.accept()
        accepted.append(address)
        with connection:
            for _ in range(2):
                read_request(connection)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, args=(server,))
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        answers = [api.post(request(url), switch) for _ in range(2)]
        thread.join(30)

    assert [isinstance(answer, RawAnswer) for answer in answers] == [True, True]
    assert len(accepted) == 1


def test_a_certificate_that_nobody_vouches_for_is_refused(
    api: HttpxModelApi, switch: CancelSwitch, tmp_path: Path
) -> None:
    with site(self_signed(tmp_path)) as server:
        server.replies["/"] = Reply()
        answer = api.post(request(f"https://{server.address}/"), switch)
        assert isinstance(answer, NoAnswer)
        assert "certificate" in answer.reason.lower()
        assert server.asked == []
