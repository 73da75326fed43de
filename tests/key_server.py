"""A provider on loopback that accepts one key, and records the requests that it gets."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

GOOD_KEY = "sk-good-0123456789abcd"


class KeyServer:
    def __init__(self, status: int = 200) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.asked.append((self.path, headers))

                is_good = GOOD_KEY in (
                    headers.get("x-api-key"),
                    headers.get("authorization", "").removeprefix("Bearer "),
                )

                body = json.dumps({"data": []}).encode()
                self.send_response(status if is_good else 401)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Tests read `asked` instead."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
