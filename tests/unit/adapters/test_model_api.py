"""The client of a model's server with servers that are real, or odd."""

import socket
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

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
