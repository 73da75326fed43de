"""A failure is told when it happens, not when a long beat ends."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.e2e.machine import Machine, action, wait_for


class Receiver(HTTPServer):
    """Where a webhook sends to."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[str] = []


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.server.bodies.append(self.rfile.read(length).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_failure_in_a_beat_that_goes_on_is_told_at_once_and_only_once(
    machine: Machine, receiver: Receiver
) -> None:
    machine.allow_notifications()
    config = machine.config / "config.toml"
    address = f"http://127.0.0.1:{receiver.server_port}/"
    config.write_text(
        config.read_text()
        + '[notify]\nchannels = ["hook"]\n'
        + f'[channels.hook]\ntype = "webhook"\nurl = "{address}"\n'
    )
    machine.write(
        action("backup", "echo no room; exit 3"),
        action("long", "touch began; until test -e go; do sleep 0.05; done"),
    )
    with machine.start("run", "--json") as beat:
        wait_for((machine.workspace / "began").exists, "the long action")
        wait_for(lambda: receiver.bodies, "the notification")
        assert "backup failed" in receiver.bodies[0]
        assert beat.process.poll() is None
        (machine.workspace / "go").touch()
        assert beat.process.wait(30) == 1
    assert len(receiver.bodies) == 1
    told = json.loads(beat.said())["notifications"]
    assert [one["title"] for one in told] == ["backup failed"]
