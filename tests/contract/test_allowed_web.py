"""What core.ports.AllowedWeb promises. There is no fake: only the tools of a model ask for it, and
their tests use the real one, with servers on this machine."""

import socket
import subprocess
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import certifi
import pytest

from core.adapters.sandbox.egress.addresses import public_addresses
from core.adapters.sandbox.egress.allowed_web import LARGEST_PAGE, SECONDS, EgressWeb
from core.model.http import Answer, NoAnswer
from core.ports.outside import AllowedWeb
from tests.sandbox.servers import Handler, web_server


def to_this_machine(_host: str, _port: int) -> Sequence[str]:
    return ["127.0.0.1"]


@pytest.fixture
def web() -> AllowedWeb:
    """Every name leads to this machine, so that a request that gets out is seen."""
    return EgressWeb(time.monotonic, to_this_machine)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificate")
    key = folder / "key.pem"
    public = folder / "certificate.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=allowed.test"
    name = ["-addext", "subjectAltName=DNS:allowed.test"]
    files = ["-keyout", str(key), "-out", str(public)]
    subprocess.run([*command.split(), *name, *files], check=True, capture_output=True)

    both = folder / "both.pem"
    both.write_text(key.read_text() + public.read_text())
    return both


def test_a_page_of_a_host_of_the_list_is_fetched(web: AllowedWeb) -> None:
    with web_server() as server:
        answer = web.get(f"http://allowed.test:{server.port}/", ["allowed.test"])
        assert answer == Answer(200, f"hello from allowed.test:{server.port}\n")


def test_no_other_host_is_asked(web: AllowedWeb) -> None:
    with web_server() as server:
        for host in ("other.test", "allowed.test.other.test", "127.0.0.1", "localhost"):
            refused = web.get(f"http://{host}:{server.port}/", ["allowed.test"])
            assert isinstance(refused, NoAnswer)
            assert refused.reason
        assert isinstance(web.get(f"http://allowed.test:{server.port}/", []), NoAnswer)
        assert server.asked == []


def test_a_redirect_leads_to_hosts_of_the_list_only(web: AllowedWeb) -> None:
    with (
        web_server() as target,
        web_server(redirect_to=f"http://other.test:{target.port}/") as server,
    ):
        url = f"http://allowed.test:{server.port}/redirect"
        assert isinstance(web.get(url, ["allowed.test"]), NoAnswer)
        assert target.asked == []

        answer = web.get(url, ["allowed.test", "other.test"])
        assert answer == Answer(200, f"hello from other.test:{target.port}\n")


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254"])
def test_a_name_that_leads_into_this_machine_or_its_network_is_not_asked(address: str) -> None:
    found: list[tuple[object, ...]] = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80))]
    web: AllowedWeb = EgressWeb(
        time.monotonic, partial(public_addresses, lookup=lambda *_, **__: found)
    )
    with web_server() as server:
        answer = web.get(f"http://allowed.test:{server.port}/", ["allowed.test"])
        assert isinstance(answer, NoAnswer)
        assert "not on the public internet" in answer.reason
        assert server.asked == []


@pytest.mark.parametrize(
    "url",
    ["", "allowed.test", "http://", "file:///etc/passwd", "http://allowed.test:99999/", "http://["],
)
def test_what_is_not_a_web_address_ends_in_a_value(web: AllowedWeb, url: str) -> None:
    answer = web.get(url, ["allowed.test"])
    assert isinstance(answer, NoAnswer)
    assert answer.reason


def test_an_encrypted_page_is_fetched_and_its_certificate_checked(
    web: AllowedWeb, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = ("allowed.test", "other.test")
    with web_server(certificate=certificate) as server:
        unknown = web.get(f"https://allowed.test:{server.port}/", hosts)
        assert isinstance(unknown, NoAnswer)
        assert "certificate" in unknown.reason.lower()

        monkeypatch.setattr(certifi, "where", lambda: str(certificate))
        answer = web.get(f"https://allowed.test:{server.port}/", hosts)

        assert answer == Answer(200, f"hello from allowed.test:{server.port}\n")
        assert isinstance(web.get(f"https://other.test:{server.port}/", hosts), NoAnswer), (
            "the certificate is for another host"
        )
        assert len(server.asked) == 1


def test_an_encrypted_page_does_not_redirect_to_an_unencrypted_one(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certifi, "where", lambda: str(certificate))
    with (
        web_server() as plain,
        web_server(
            redirect_to=f"http://allowed.test:{plain.port}/", certificate=certificate
        ) as server,
    ):
        answer = EgressWeb(time.monotonic, to_this_machine).get(
            f"https://allowed.test:{server.port}/redirect", ["allowed.test"]
        )
        assert answer == NoAnswer("it redirects to an unencrypted page", ("unencrypted",))
        assert plain.asked == []


def test_only_the_beginning_of_an_endless_page_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(self: Handler) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"x" * 65536)
        except OSError:
            self.close_connection = True

    monkeypatch.setattr(Handler, "do_GET", endless)
    with web_server() as server:
        answer = EgressWeb(time.monotonic, to_this_machine).get(
            f"http://allowed.test:{server.port}/", ["allowed.test"]
        )
        assert isinstance(answer, Answer)
        assert len(answer.body) == LARGEST_PAGE


def test_a_page_that_never_ends_is_cut_off_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    drops = 0

    def drip(self: Handler) -> None:
        nonlocal drops
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"x")
                drops += 1
                time.sleep(0.005)
        except OSError:
            self.close_connection = True

    monkeypatch.setattr(Handler, "do_GET", drip)
    with web_server() as server:
        # Ten bytes take all the time that a page has.
        web = EgressWeb(lambda: drops * SECONDS / 10, to_this_machine)
        answer = web.get(f"http://allowed.test:{server.port}/", ["allowed.test"])

        assert isinstance(answer, Answer)
        assert 0 < len(answer.body) < 10_000


def test_a_host_that_does_not_answer_is_reported() -> None:
    answer = EgressWeb(time.monotonic, to_this_machine).get(
        "http://allowed.test:1/", ["allowed.test"]
    )
    assert isinstance(answer, Answer)
    assert answer.status == 502, "the gatekeeper says so"
