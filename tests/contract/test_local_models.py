"""What LocalModels promises, asked of this machine and of the fake."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from core.adapters import local_models
from core.adapters.local_models import TIMEOUT, ModelsOfMachine
from core.ports.model import LocalModels
from tests.fakes.model import FakeLocalModels
from tests.model_server import ModelServer

NOWHERE = "http://127.0.0.1:9"


class Machine(Protocol):
    """A machine on which a test starts servers and installs programs."""

    @property
    def local_models(self) -> LocalModels: ...

    def serve(self, *models: str) -> str:
        """Start an Ollama with these models; its address."""
        ...

    def serve_raw(self, answer: bytes) -> str:
        """Start a server that answers this."""
        ...

    def serve_nothing(self) -> str:
        """Start a server that accepts connections and is silent."""
        ...

    def install(self, name: str) -> str:
        """The program's path."""
        ...


class FakeOne:
    def __init__(self) -> None:
        self.local_models = FakeLocalModels()

    def serve(self, *models: str) -> str:
        address = f"http://127.0.0.1:{1000 + len(self.local_models.servers)}"
        self.local_models.servers[address] = models
        return address

    def serve_raw(self, answer: bytes) -> str:
        return NOWHERE

    def serve_nothing(self) -> str:
        return NOWHERE

    def install(self, name: str) -> str:
        self.local_models.programs[name] = f"/usr/bin/{name}"
        return self.local_models.programs[name]


class ThisOne:
    def __init__(self, programs: Path, open_things: ExitStack) -> None:
        self.local_models = ModelsOfMachine()
        self._programs = programs
        self._open = open_things

    def serve(self, *models: str) -> str:
        server = self._server()
        server.models = list(models)
        return server.base_url("anthropic")

    def serve_raw(self, answer: bytes) -> str:
        server = self._server()
        server.raw = answer
        return server.base_url("anthropic")

    def serve_nothing(self) -> str:
        listening = self._open.enter_context(socket.create_server(("127.0.0.1", 0)))
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    def install(self, name: str) -> str:
        program = self._programs / name
        program.touch(mode=0o700)
        return str(program)

    def _server(self) -> ModelServer:
        return self._open.enter_context(ModelServer())


@pytest.fixture(params=["fake", "this machine"])
def machine(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Machine]:
    if request.param == "fake":
        yield FakeOne()
        return

    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(local_models, "TIMEOUT", 30.0)  # a busy machine may need a while to answer
    with ExitStack() as open_things:
        yield ThisOne(tmp_path, open_things)


def test_a_server_lists_its_models_in_its_order(machine: Machine) -> None:
    address = machine.serve("qwen3:latest", "llama3", "a")
    assert machine.local_models.models_at(address) == ("qwen3:latest", "llama3", "a")


def test_each_address_has_its_own_models(machine: Machine) -> None:
    first = machine.serve("qwen3")
    second = machine.serve("llama3")
    assert machine.local_models.models_at(second) == ("llama3",)
    assert machine.local_models.models_at(first) == ("qwen3",)


def test_a_server_without_models_is_not_a_missing_one(machine: Machine) -> None:
    assert machine.local_models.models_at(machine.serve()) == ()


@pytest.mark.parametrize(
    "address",
    [NOWHERE, "", "http://", "http://127.0.0.1:notaport", "http://[::1", "http://a b", "nonsense"],
)
def test_where_nothing_answers_there_is_no_server(machine: Machine, address: str) -> None:
    assert machine.local_models.models_at(address) is None


@pytest.mark.parametrize(
    "answer",
    [b"", b"{", b"[]", b'{"models": 3}', b'{"models": [{}]}', b"\xff", b"[" * 100_000],
    ids=lambda answer: repr(answer[:20]),
)
def test_an_answer_of_another_server_does_not_count(machine: Machine, answer: bytes) -> None:
    assert machine.local_models.models_at(machine.serve_raw(answer)) is None


def test_a_server_that_is_silent_is_given_up_after_a_second(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_models, "TIMEOUT", TIMEOUT)
    address = machine.serve_nothing()
    before = time.monotonic()

    assert machine.local_models.models_at(address) is None
    assert time.monotonic() - before < TIMEOUT + 4, "a busy machine may need a while to notice"


def test_an_installed_program_is_found_by_its_name(machine: Machine) -> None:
    path = machine.install("heartbeat-test-agent")
    assert machine.local_models.program("heartbeat-test-agent") == path


@pytest.mark.parametrize("name", ["heartbeat-test-agent", "", "a\0b"])
def test_a_program_that_is_not_installed_has_no_path(machine: Machine, name: str) -> None:
    assert machine.local_models.program(name) is None


def test_what_is_installed_meanwhile_counts(machine: Machine) -> None:
    assert machine.local_models.program("heartbeat-test-agent") is None
    assert machine.install("heartbeat-test-agent")
    assert machine.local_models.program("heartbeat-test-agent")
