"""What core.ports.Http promises, asked of the real one, which talks to a server on this machine,
and of the fake."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from core.adapters.http import Web
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.http import Answer, NoAnswer, Request
from core.ports.outside import Http
from tests.fakes.outside import FakeHttp

SHORT = timedelta(seconds=20)


class Echo(BaseHTTPRequestHandler):
    """Answers with the method and what was sent; the path is the status."""

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.send_response(int(self.path[1:]))
        self.end_headers()
        self.wfile.write(b"POST " + sent)

    def log_message(self, *_: object) -> None:
        pass


class Line:
    """A way to a server, real or not."""

    def __init__(self, http: Http, address: str) -> None:
        self.http = http
        self.address = address

    def post(
        self, body: str, status: int = 200, cancelled: CancelSwitch | None = None
    ) -> Answer | NoAnswer:
        if isinstance(self.http, FakeHttp):
            self.http.answer = Answer(status, f"POST {body}")
        request = Request("POST", f"{self.address}/{status}", body=body, timeout=SHORT)
        return self.http.send(request, cancelled)


@pytest.fixture(params=["web", "fake"])
def line(request: pytest.FixtureRequest) -> Iterator[Line]:
    if request.param == "fake":
        yield Line(FakeHttp(), "http://server.example")
        return

    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Line(Web(), f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
        thread.join()


def test_status_and_body_come_back(line: Line) -> None:
    assert line.post("grün") == Answer(200, "POST grün")


def test_a_refusal_of_the_server_is_an_answer(line: Line) -> None:
    assert line.post("x", status=503) == Answer(503, "POST x")


def test_a_server_that_is_not_there_is_no_answer_with_its_reason(line: Line) -> None:
    if isinstance(line.http, FakeHttp):
        line.http.answer = NoAnswer("no answer: nobody is there", ("refused",))
    found = line.http.send(Request("GET", "http://127.0.0.1:1/", timeout=SHORT))
    assert isinstance(found, NoAnswer)
    assert found.reason.startswith("no answer")
    assert not found.reason.endswith(".")
    assert found.cause


def test_cancelled_there_is_no_answer(line: Line) -> None:
    switch = CancelSwitch()
    switch.set()
    assert isinstance(line.post("x", cancelled=switch), NoAnswer)
