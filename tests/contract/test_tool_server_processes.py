"""What every ToolServerProcesses must do: the fake, and this system's with small programs."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.adapters.processes import tool_servers
from core.adapters.processes.tool_servers import SystemToolServers
from core.model.process import LONGEST_LINE, NoLine, NotSent, NotStarted
from core.ports.processes import ToolServerProcess, ToolServerProcesses
from tests.fakes.processes import FakeToolServer, FakeToolServers

Takes = Callable[[FakeToolServer, bytes], None]
Begins = Callable[[FakeToolServer], None]


def nothing(*_: object) -> None:
    pass


def say_all(*lines: bytes) -> Begins:
    def begin(server: FakeToolServer) -> None:
        for line in lines:
            server.say(line)

    return begin


def say_and_exit(server: FakeToolServer) -> None:
    server.say(b"bye")
    server.exit()


def say_words(server: FakeToolServer) -> None:
    for word in server.words[1:]:
        server.say(word.encode())


def say_surroundings(server: FakeToolServer) -> None:
    server.say(os.fsencode(server.folder))
    server.say(server.environment["MODE"].encode())
    server.say(server.environment.get("CANARY", "none").encode())


def turn_deaf(server: FakeToolServer) -> None:
    server.is_deaf = True


# What each program does: for the system, and for the fake at its start and with each line.
PROGRAMS: dict[str, tuple[str, Begins, Takes]] = {
    "repeats": ("cat", nothing, lambda server, line: server.say(line)),
    "words": ('printf "%s\\n" "$@"; cat', say_words, nothing),
    "surroundings": ('pwd; echo "$MODE"; echo "${CANARY-none}"; cat', say_surroundings, nothing),
    "long": (
        (
            f"head -c {LONGEST_LINE} /dev/zero | tr '\\0' a; echo; "
            f"head -c {LONGEST_LINE + 1} /dev/zero | tr '\\0' b; echo; echo short; cat >/dev/null"
        ),
        say_all(b"a" * LONGEST_LINE, b"b" * (LONGEST_LINE + 1), b"short"),
        nothing,
    ),
    "exits": ("echo bye", say_and_exit, nothing),
    "complains": ("echo oops >&2; echo fine; cat", say_all(b"fine"), nothing),
    "deaf": ("exec sleep 50", turn_deaf, nothing),
    "stubborn": (
        "trap '' TERM; echo ready; while true; do sleep 0.1; done",
        say_all(b"ready"),
        nothing,
    ),
}


@pytest.fixture(params=["fake", "system"])
def servers(request: pytest.FixtureRequest, tmp_path: Path) -> ToolServerProcesses:
    if request.param == "fake":
        made = FakeToolServers()
        made.begins = {name: begins for name, (_, begins, _) in PROGRAMS.items()}
        made.takes = {name: takes for name, (_, _, takes) in PROGRAMS.items()}
        return made

    folder = tmp_path / "programs"
    folder.mkdir()
    for name, (script, _, _) in PROGRAMS.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o700)

    return SystemToolServers(time.monotonic)


Start = Callable[..., ToolServerProcess]


@pytest.fixture
def start(servers: ToolServerProcesses, tmp_path: Path) -> Iterator[Start]:
    started: list[ToolServerProcess] = []
    path = f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}"

    def begin(*words: str) -> ToolServerProcess:
        server = servers.start(words, tmp_path, {"PATH": path, "MODE": "quiet"})
        assert not isinstance(server, NotStarted), server
        started.append(server)
        return server

    yield begin
    for one in started:
        one.end()


def test_a_line_reaches_it_and_its_line_comes_back(start: Start) -> None:
    server = start("repeats")
    for line in (b'{"id": 1}', "Grüße".encode(), b"\xff\xfe", b"", b"x" * 1_000_000):
        assert server.send(line) is None
        assert server.receive() == line


def test_no_shell_reads_its_words(start: Start) -> None:
    server = start("words", "$HOME", "a b", "ä")
    assert [server.receive() for _ in range(3)] == [b"$HOME", b"a b", "ä".encode()]


def test_it_gets_its_folder_and_exactly_its_variables(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY", "a key")
    server = start("surroundings")
    assert [server.receive() for _ in range(3)] == [os.fsencode(tmp_path), b"quiet", b"none"]


def test_its_errors_are_not_lines(start: Start) -> None:
    assert start("complains").receive() == b"fine"


def test_a_line_that_is_too_long_is_left_out(start: Start) -> None:
    server = start("long")
    assert server.receive() == b"a" * LONGEST_LINE
    assert server.receive() is NoLine.TOO_LONG
    assert server.receive() == b"short"


def test_of_one_that_has_ended_nothing_more_comes(start: Start) -> None:
    server = start("exits")
    assert server.receive() == b"bye"
    assert [server.receive(), server.receive()] == [NoLine.ENDED, NoLine.ENDED]


def test_one_that_has_been_ended_reads_and_writes_nothing(start: Start) -> None:
    server = start("repeats")
    server.end()
    server.end()
    assert server.send(b"hello") is NotSent.ENDED
    assert server.receive() is NoLine.ENDED


def test_sending_never_waits_for_one_that_does_not_read(start: Start) -> None:
    server = start("deaf")
    before = time.monotonic()
    sent = [server.send(b"x" * 100_000) for _ in range(300)]
    assert (sent[0], sent[-1]) == (None, NotSent.UNREAD)
    assert time.monotonic() - before < 5


@pytest.mark.parametrize("name", ["repeats", "deaf", "stubborn"])
def test_its_end_is_certain_and_wakes_whoever_waits_for_a_line(
    start: Start, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tool_servers.INPUT_GRACE + tool_servers.SIGNAL_GRACE < 7
    monkeypatch.setattr(tool_servers, "INPUT_GRACE", 0.2)
    monkeypatch.setattr(tool_servers, "SIGNAL_GRACE", 0.2)
    server = start(name)
    if name == "stubborn":
        assert server.receive() == b"ready"

    got: list[bytes | NoLine] = []
    reader = threading.Thread(target=lambda: got.append(server.receive()), daemon=True)
    reader.start()

    before = time.monotonic()
    server.end()
    assert time.monotonic() - before < 7

    reader.join(5)
    assert got == [NoLine.ENDED]


def test_several_run_at_the_same_time(start: Start) -> None:
    first, second = start("repeats"), start("repeats")
    assert [first.send(b"one"), second.send(b"two")] == [None, None]
    assert [second.receive(), first.receive()] == [b"two", b"one"]

    first.end()
    assert second.send(b"still here") is None
    assert second.receive() == b"still here"


@pytest.mark.parametrize(
    ("words", "reason"),
    [(("missing",), "no such program"), (("repeats", "a\0b"), "NUL character")],
)
def test_what_cannot_be_started_says_why(
    servers: ToolServerProcesses, tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    ending = servers.start(words, tmp_path, {"PATH": str(tmp_path / "programs")})
    assert isinstance(ending, NotStarted)
    assert reason in ending.reason


def test_a_program_is_found_without_being_started(
    servers: ToolServerProcesses, tmp_path: Path
) -> None:
    variables = {"PATH": str(tmp_path / "programs")}
    assert servers.is_installed("repeats", tmp_path, variables)
    assert not servers.is_installed("missing", tmp_path, variables)


def test_a_program_named_by_its_path_is_looked_for_in_the_folder(tmp_path: Path) -> None:
    program = tmp_path / "programs" / "mine"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ntouch started\n")
    servers = SystemToolServers(time.monotonic)
    assert not servers.is_installed("programs/mine", tmp_path, {})
    program.chmod(0o700)
    assert servers.is_installed("programs/mine", tmp_path, {})
    assert servers.is_installed(str(program), tmp_path, {})
    assert not servers.is_installed("mine\0", tmp_path, {})
    assert not (tmp_path / "started").exists()
