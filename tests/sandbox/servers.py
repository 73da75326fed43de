"""Web servers of a test's own, on loopback only; each remembers what it was asked."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: str, redirect_to: str) -> None:
        super().__init__((address, 0), Handler)
        self.redirect_to = redirect_to
        self.asked: list[str] = []  # "METHOD Host path body"
        self.page = ""  # said after the greeting

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing about a client that hangs up."""


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.server.asked.append(
            f"{self.command} {self.headers['Host']} {self.path} {body}".strip()
        )
        if self.path.startswith("/redirect"):
            self.send_response(302)
            self.send_header("Location", self.server.redirect_to)
            answer = b""
        else:
            self.send_response(200)
            answer = (
                b"hello from "
                + str(self.headers["Host"]).encode()
                + b"\n"
                + self.server.page.encode()
            )
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_GET  # noqa: N815 - the name that the base class calls

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Quiet."""


@contextmanager
def web_server(
    address: str = "127.0.0.1", redirect_to: str = "", certificate: Path | None = None
) -> Iterator[Server]:
    with Server(address, redirect_to) as server:
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
