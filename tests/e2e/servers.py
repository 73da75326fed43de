"""Real servers on loopback for the actions of a test: a web site that answers as told, and a
mail server."""

import base64
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Reply:
    status: int = 200
    body: bytes = b"fine\n"
    headers: dict[str, str] = field(default_factory=dict)
    drips: bool = False  # the body comes a byte at a time, and never to its end


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]  # names in small letters
    body: str


class Site(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__((LOOPBACK, 0), _Handler)
        self.replies: dict[str, Reply] = {}  # by path; any other path is fine
        self.asked: list[Asked] = []
        self.closing = threading.Event()

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is nothing to print about."""


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append(Asked(self.command, self.path, headers, body))
        reply = self.server.replies.get(self.path, Reply())
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        while reply.drips and not self.server.closing.wait(0.05):
            self.wfile.write(b".")
        self.wfile.write(reply.body)

    do_POST = do_PUT = do_DELETE = do_PATCH = do_GET  # noqa: N815 - the names that the base class calls

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Quiet."""


@contextmanager
def site(certificate: Path | None = None) -> Iterator[Site]:
    with Site() as server:
        if certificate:
            server.socket = server_context(certificate).wrap_socket(server.socket, server_side=True)
        with _serving(server):
            yield server
        server.closing.set()


class Mailbox(socketserver.ThreadingTCPServer):
    """A mail server: STARTTLS where it has a certificate, a login where it knows one."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(
        self, certificate: Path | None = None, login: tuple[str, str] | None = None
    ) -> None:
        super().__init__((LOOPBACK, 0), _MailHandler)
        self.certificate = certificate
        self.login = login
        self.refuses = False
        self.mails: list[bytes] = []
        self.logins: list[tuple[str, str]] = []
        self.in_the_clear: list[str] = []  # what was said before the line was encrypted

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that does not trust the certificate hangs up."""


class _MailHandler(socketserver.StreamRequestHandler):
    server: Mailbox
    encrypted = False

    def handle(self) -> None:
        self._say("220 ready")
        while line := self.rfile.readline().decode().rstrip("\r\n"):
            if not self.encrypted:
                self.server.in_the_clear.append(line)
            word = line.split()[0].upper()
            if word == "QUIT":
                self._say("221 bye")
                return
            getattr(self, f"_{word.lower()}", self._fine)(line)

    def finish(self) -> None:
        super().finish()
        self.connection.close()  # the encrypted one is another than the server's

    def _fine(self, _line: str) -> None:
        self._say("250 fine")

    def _ehlo(self, _line: str) -> None:
        offers = ["AUTH PLAIN"] if self.server.login else []
        offers += ["STARTTLS"] if self.server.certificate and not self.encrypted else []
        lines = ["hello", *offers]
        for number, text in enumerate(lines):
            self._say(f"250{' ' if number == len(lines) - 1 else '-'}{text}")

    def _starttls(self, _line: str) -> None:
        assert self.server.certificate
        self._say("220 go on")
        self.connection = server_context(self.server.certificate).wrap_socket(
            self.connection, server_side=True
        )
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.encrypted = True

    def _auth(self, line: str) -> None:
        _, user, password = base64.b64decode(line.split()[2]).decode().split("\0")
        self.server.logins.append((user, password))
        self._say("235 welcome" if (user, password) == self.server.login else "535 wrong password")

    def _rcpt(self, _line: str) -> None:
        self._say("550 no such mailbox" if self.server.refuses else "250 fine")

    def _data(self, _line: str) -> None:
        self._say("354 go on")
        lines = []
        while (line := self.rfile.readline().rstrip(b"\r\n")) != b".":
            lines.append(line)
        self.server.mails.append(b"\n".join(lines))
        self._say("250 kept")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mailbox(
    certificate: Path | None = None, login: tuple[str, str] | None = None
) -> Iterator[Mailbox]:
    with Mailbox(certificate, login) as server, _serving(server):
        yield server


@contextmanager
def _serving(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


def server_context(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def self_signed(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 and localhost that no authority has signed, in one
    file."""
    key, certificate, both = folder / "key.pem", folder / "certificate.pem", folder / "both.pem"
    words = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    words += [
        "-addext",
        "subjectAltName=IP:127.0.0.1,DNS:localhost",
        "-keyout",
        str(key),
        "-out",
        str(certificate),
    ]
    subprocess.run(words, check=True, capture_output=True)
    both.write_text(key.read_text() + certificate.read_text())
    return both
