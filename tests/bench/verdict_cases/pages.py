"""A real web server on loopback whose pages are the files of the workspaces."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self


class Pages:
    """A context manager. `address` has no slash at its end."""

    def __init__(self, root: Path) -> None:
        self._server = _Server(root)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, root: Path) -> None:
        self.root = root
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, *_words: object) -> None:
        """Nobody reads it."""

    def do_GET(self) -> None:
        file = self.server.root / self.path.lstrip("/")
        is_there = file.is_file()
        data = file.read_bytes() if is_there else b"There is no such page."
        self.send_response(200 if is_there else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
