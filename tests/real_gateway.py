"""A second real server on loopback: the gateway of llm-rosetta in a separate process, in front of
llama.cpp's server.

It is somebody else's code for both protocols. It reads our requests, asks the model in its own
words, and answers in the protocol that we spoke; and it wants a key, which llama.cpp does not.
"""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

KEY = "rsk-of-the-tests"


@contextmanager
def real_gateway(model_address: str) -> Iterator[str]:
    """Start it, and return its address."""
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, "-m", "tests.real_gateway", model_address, folder],
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), "the gateway did not start"
        yield address
        process.communicate("", timeout=60)  # it ends when its input ends


class Announcing(logging.Handler):
    """Says the address as soon as the server's log does."""

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message.startswith("Serving on "):
            print(f"http://{message.removeprefix('Serving on ')}", flush=True)


def _serve(model_address: str, folder: str) -> None:
    from llm_rosetta._vendor import httpserver
    from llm_rosetta.gateway.app import create_app, run_gateway
    from llm_rosetta.gateway.config import GatewayConfig
    from llm_rosetta.gateway.keystore import KeyStore

    keys = str(Path(folder, "keys.db"))
    KeyStore(keys).create(label="tests", manual_key=KEY)
    config = GatewayConfig(
        {
            "providers": {
                "llama.cpp": {
                    "type": "openai_chat",
                    "api_key": "none",
                    "base_url": f"{model_address}/v1",
                }
            },
            "models": {"smollm2": "llama.cpp"},
            "server": {"data_dir": folder, "api_keys_db": keys},
        }
    )

    httpserver.logger.addHandler(Announcing())
    httpserver.logger.setLevel(logging.INFO)
    threading.Thread(target=_end_with_the_input, daemon=True).start()
    asyncio.run(run_gateway(create_app(config), "127.0.0.1", 0))


def _end_with_the_input() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    _serve(*sys.argv[1:])
