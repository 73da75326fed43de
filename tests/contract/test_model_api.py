"""What every ModelApi must do: the fake, and the real one with servers on loopback."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from core.adapters.model_api import LARGEST_ANSWER, HttpxModelApi
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.http import ApiRequest, GivenUp, NoAnswer, RawAnswer
from core.ports.model import ModelApi
from tests.e2e.machine import wait_for
from tests.e2e.servers import Reply, Site, site
from tests.fakes.model import FakeModelApi

LONG = timedelta(seconds=60)
SHORT = timedelta(seconds=0.5)
NOWHERE = "http://127.0.0.1:9/v1/chat"

# What the server sends, and what is to be made of it.
REPLIES: dict[str, tuple[Reply, RawAnswer | NoAnswer | None]] = {
    "fine": (
        Reply(200, "Grüße".encode(), {"X-Number": "7"}),
        RawAnswer(200, {"x-number": "7"}, "Grüße".encode()),
    ),
    "refused": (
        Reply(429, b"{}", {"Retry-After": "3"}),
        RawAnswer(429, {"retry-after": "3"}, b"{}"),
    ),
    "moved": (
        Reply(307, b"", {"Location": NOWHERE}),
        RawAnswer(307, {"location": NOWHERE}, b""),
    ),
    "cut": (
        Reply(200, b"half", {"Content-Length": "8"}),
        NoAnswer("it ended early", ("RemoteProtocolError",)),
    ),
    "flood": (
        Reply(200, b"a" * (LARGEST_ANSWER + 1)),
        RawAnswer(200, {}, b"a" * (LARGEST_ANSWER + 1)),
    ),
    "endless": (Reply(200, drips=True), None),
}


class Subject:
    """An API, and what it is asked."""

    def __init__(self, api: ModelApi, server: Site) -> None:
        self.api = api
        self._server = server

    def request(self, path: str = "fine", timeout: timedelta = LONG) -> ApiRequest:
        url = f"http://{self._server.address}/{path}"
        return ApiRequest(url, {"x-api-key": "secret"}, b'{"a": 1}', timeout)

    def post(
        self, path: str, cancelled: CancelSwitch, timeout: timedelta = LONG
    ) -> RawAnswer | NoAnswer | GivenUp:
        if isinstance(self.api, FakeModelApi):
            self.api.answers.append(REPLIES[path][1])

        return self.api.post(self.request(path, timeout), cancelled)

    def bodies(self) -> list[bytes]:
        """What has arrived."""
        if isinstance(self.api, FakeModelApi):
            return [request.body for request in self.api.sent]

        return [asked.body.encode() for asked in self._server.asked]


@pytest.fixture(params=["fake", "httpx"])
def subject(request: pytest.FixtureRequest) -> Iterator[Subject]:
    with site() as server:
        server.replies = {f"/{path}": reply for path, (reply, _) in REPLIES.items()}
        api = FakeModelApi() if request.param == "fake" else HttpxModelApi(time.monotonic)
        yield Subject(api, server)
        api.close()


@pytest.fixture
def switch() -> Iterator[CancelSwitch]:
    made = CancelSwitch()
    yield made
    made.close()


@pytest.mark.parametrize("path", ["fine", "refused", "moved"])
def test_an_answer_comes_back_whole_whatever_its_status(
    subject: Subject, switch: CancelSwitch, path: str
) -> None:
    """Also a redirect: it is not followed."""
    expected = REPLIES[path][1]
    assert isinstance(expected, RawAnswer)

    answer = subject.post(path, switch)

    assert isinstance(answer, RawAnswer)
    assert (answer.status, answer.body) == (expected.status, expected.body)
    assert set(expected.headers.items()) <= set(answer.headers.items())
    assert subject.bodies() == [b'{"a": 1}']


def test_one_answer_after_the_other(subject: Subject, switch: CancelSwitch) -> None:
    for _ in range(3):
        assert isinstance(subject.post("fine", switch), RawAnswer)

    assert len(subject.bodies()) == 3


def test_after_closing_it_can_be_asked_again(subject: Subject, switch: CancelSwitch) -> None:
    subject.post("fine", switch)
    subject.api.close()
    assert isinstance(subject.post("fine", switch), RawAnswer)


@pytest.mark.parametrize("path", ["cut", "flood"])
def test_a_cut_or_endless_answer_is_none(subject: Subject, switch: CancelSwitch, path: str) -> None:
    answer = subject.post(path, switch)
    assert isinstance(answer, NoAnswer)
    assert answer.reason
    assert answer.cause != ("no_connection",), "it may be charged for"


def test_where_there_is_no_server_it_says_so(subject: Subject, switch: CancelSwitch) -> None:
    answer = subject.api.post(ApiRequest(NOWHERE, {}, b"{}", LONG), switch)
    assert isinstance(answer, NoAnswer)
    assert answer.cause == ("no_connection",)


def test_cancelled_before_nothing_is_sent(subject: Subject, switch: CancelSwitch) -> None:
    switch.set()
    assert subject.post("fine", switch) == GivenUp()
    assert subject.bodies() == []


def test_its_timeout_holds_although_the_server_sends_something_now_and_then(
    subject: Subject, switch: CancelSwitch
) -> None:
    assert subject.post("endless", switch, SHORT) == GivenUp()


def test_cancelled_while_it_waits_it_gives_up(subject: Subject, switch: CancelSwitch) -> None:
    canceller = threading.Thread(target=when, args=(subject.bodies, switch.set), daemon=True)
    if isinstance(subject.api, FakeModelApi):
        subject.api.meanwhile = lambda _: switch.set()
    else:
        canceller.start()

    before = time.monotonic()
    assert subject.post("endless", switch) == GivenUp()
    assert time.monotonic() - before < LONG.total_seconds() / 2
    if canceller.ident:
        canceller.join()


def when(condition: Callable[[], object], act: Callable[[], None]) -> None:
    wait_for(condition, "the request")
    act()


def test_after_giving_up_it_can_be_asked_again(subject: Subject, switch: CancelSwitch) -> None:
    subject.post("endless", switch, SHORT)
    assert isinstance(subject.post("fine", switch), RawAnswer)
