"""What core.ports.AllowedWeb promises, asked of the real one."""

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import certifi
import pytest

from core.adapters.allowed_web import LARGEST_PAGE, SECONDS, EgressWeb
from core.model.http import Answer, NoAnswer
from tests.sandbox.servers import Handler, web_server


def to_this_machine(_host: str, _port: int) -> Sequence[str]:
    return ["127.0.0.1"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificate")
    key, public = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=allowed.test"]
        + ["-addext", "subjectAltName=DNS:allowed.test", "-keyout", key, "-out", public],
        check=True,
        capture_output=True,
    )
    both = folder / "both.pem"
    both.write_text(key.read_text() + public.read_text())
    return both


def test_an_encrypted_page_is_read_and_its_certificate_checked(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = EgressWeb(time.monotonic, to_this_machine)
    hosts = ("allowed.test", "other.test")
    with web_server(certificate=certificate) as server:
        unknown = web.get(f"https://allowed.test:{server.port}/", hosts)
        assert isinstance(unknown, NoAnswer)
        assert "certificate" in unknown.reason.lower()
        monkeypatch.setattr(certifi, "where", lambda: str(certificate))
        answer = web.get(f"https://allowed.test:{server.port}/", hosts)
        assert answer == Answer(200, f"hello from allowed.test:{server.port}\n")
        assert isinstance(web.get(f"https://other.test:{server.port}/", hosts), NoAnswer), "it is another's certificate"
        assert len(server.asked) == 1


def test_an_encrypted_page_does_not_lead_on_to_a_plain_one(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certifi, "where", lambda: str(certificate))
    with (
        web_server() as plain,
        web_server(redirect_to=f"http://allowed.test:{plain.port}/", certificate=certificate) as server,
    ):
        answer = EgressWeb(time.monotonic, to_this_machine).get(
            f"https://allowed.test:{server.port}/redirect", ["allowed.test"]
        )
        assert answer == NoAnswer("it leads on to a page without encryption")
        assert plain.asked == []


def test_of_an_endless_page_the_beginning_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
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
        answer = EgressWeb(time.monotonic, to_this_machine).get(f"http://allowed.test:{server.port}/", ["allowed.test"])
        assert isinstance(answer, Answer)
        assert len(answer.body) == LARGEST_PAGE


def test_a_page_that_drips_for_ever_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
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
        clock = EgressWeb(lambda: drops * SECONDS / 10, to_this_machine)  # ten drops take all the time there is
        answer = clock.get(f"http://allowed.test:{server.port}/", ["allowed.test"])
        assert isinstance(answer, Answer)
        assert 0 < len(answer.body) < 10_000


def test_a_host_that_does_not_answer_is_a_sentence() -> None:
    answer = EgressWeb(time.monotonic, to_this_machine).get("http://allowed.test:1/", ["allowed.test"])
    assert isinstance(answer, Answer)
    assert answer.status == 502, "the gatekeeper says so"
