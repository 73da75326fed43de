"""Tool servers that leave processes behind, read nothing, or write without end."""

import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from core.adapters.processes import tool_servers
from core.adapters.processes.posix import ProcessGroup, SystemProcesses
from core.adapters.processes.tool_servers import SystemToolServer, SystemToolServers
from core.adapters.processes.tree import AdoptedProcesses, end_left_by
from core.model.process import LONGEST_LINE, Command, How, NoLine, NotStarted
from tests.e2e.machine import wait_for
from tests.faults.survivors import survivors

SOURCE = Path(__file__).parents[2]


@pytest.fixture
def token(request: pytest.FixtureRequest) -> str:
    return f"token-{os.getpid()}-{abs(hash(request.node.nodeid))}"


def started(servers: SystemToolServers, script: str, folder: Path, token: str) -> SystemToolServer:
    variables = {"PATH": os.environ["PATH"], "TOKEN": token}
    server = servers.start(("/bin/sh", "-c", script), folder, variables)
    assert not isinstance(server, NotStarted), server
    return server


def seconds_of(work: Callable[[], None]) -> float:
    before = time.monotonic()
    work()
    return time.monotonic() - before


def kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


LEAVING = {
    "in the background": "sleep 1000 & echo ready; cat >/dev/null",
    "in a session of its own": "setsid -f sh -c 'echo ready; exec sleep 1000'; cat >/dev/null",
    "deaf to signals": "(trap '' TERM; sleep 1000; sleep 1000) & echo ready; cat >/dev/null",
    "after the server has ended": "setsid -f sleep 1000; echo ready",
    "as a grandchild": "setsid sh -c 'sleep 1000 & setsid -f sleep 1000; echo ready; wait' & cat >/dev/null",
}


@pytest.mark.parametrize("script", LEAVING.values(), ids=LEAVING)
def test_what_a_server_started_ends_with_it(script: str, tmp_path: Path, token: str) -> None:
    server = started(SystemToolServers(time.monotonic), script, tmp_path, token)
    assert server.receive() == b"ready"
    wait_for(lambda: survivors(token), "what the server starts")

    assert seconds_of(server.end) < 7
    assert survivors(token) == []


def test_the_group_alone_would_miss_a_session_of_its_own(
    tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack without the guard."""
    monkeypatch.setattr(tool_servers, "_family", lambda process, *_: ProcessGroup(process))
    script = LEAVING["in a session of its own"]
    server = started(SystemToolServers(time.monotonic), script, tmp_path, token)
    assert server.receive() == b"ready"
    wait_for(lambda: len(survivors(token)) > 1, "what the server starts")

    server.end()
    (left,) = wait_for(lambda: survivors(token), "the one that is left")  # unless it is just begun
    kill([left])


@pytest.mark.parametrize("share", [True, False])
def test_a_command_does_not_end_what_a_server_started(
    share: bool, tmp_path: Path, token: str
) -> None:
    """Only if both know the same marks: `share` is the guard."""
    processes = SystemProcesses(time.monotonic)
    adopted = processes.adopted if share else AdoptedProcesses()
    servers = SystemToolServers(time.monotonic, adopted)
    script = "read line; setsid -f sh -c 'echo ready; exec sleep 1000'; cat >/dev/null"
    server = started(servers, script, tmp_path, token)

    line = f"touch {tmp_path}/runs; until [ -e {tmp_path}/go ]; do sleep 0.01; done"
    endings = []
    command = Command(line, tmp_path, timedelta(seconds=60))
    thread = threading.Thread(target=lambda: endings.append(processes.run(command)))
    thread.start()
    wait_for((tmp_path / "runs").exists, "the command")

    server.send(b"go on")  # what it starts now is new, and its parent is gone
    assert server.receive() == b"ready"
    wait_for(lambda: sleeping(token), "what the server starts")
    (tmp_path / "go").touch()
    thread.join()

    assert endings[0].how is How.EXITED
    is_left = bool(sleeping(token))
    server.end()
    assert is_left == share
    assert survivors(token) == []


def sleeping(token: str) -> list[int]:
    return [pid for pid in survivors(token) if cmdline(pid).startswith(b"sleep")]


def cmdline(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return b""


def test_a_command_ends_what_it_left_although_servers_run(tmp_path: Path, token: str) -> None:
    processes = SystemProcesses(time.monotonic)
    servers = SystemToolServers(time.monotonic, processes.adopted)
    server = started(servers, "cat", tmp_path, "another")

    line = f"TOKEN={token} setsid -f sleep 1000; env -i {token}=1 setsid -f sleep 1000"
    assert processes.run(Command(line, tmp_path, timedelta(seconds=60))).exit_code == 0
    assert survivors(token) == []

    assert server.send(b"still here") is None
    assert server.receive() == b"still here"
    server.end()


def test_a_server_that_reads_nothing_is_ended_with_lines_in_its_pipe(
    tmp_path: Path, token: str
) -> None:
    server = started(SystemToolServers(time.monotonic), "exec sleep 1000", tmp_path, token)
    while server.send(b"x" * 100_000) is None:
        pass

    before = threading.active_count()
    assert seconds_of(server.end) < 7
    assert survivors(token) == []
    assert threading.active_count() < before, "the writer has ended too"


def test_a_long_line_costs_bounded_memory(tmp_path: Path, token: str) -> None:
    script = "head -c 200000000 /dev/zero | tr '\\0' a; echo; echo short; cat >/dev/null"
    server = started(SystemToolServers(time.monotonic), script, tmp_path, token)
    tracemalloc.start()
    try:
        assert server.receive() is NoLine.TOO_LONG
        assert server.receive() == b"short"
        assert tracemalloc.get_traced_memory()[1] < 5 * LONGEST_LINE
    finally:
        tracemalloc.stop()
        server.end()


def test_a_server_that_writes_an_endless_line_can_be_ended(tmp_path: Path, token: str) -> None:
    server = started(SystemToolServers(time.monotonic), "tr '\\0' a </dev/zero", tmp_path, token)
    assert server.receive() is NoLine.TOO_LONG

    got: list[bytes | NoLine] = []
    reader = threading.Thread(target=lambda: got.append(server.receive()))
    reader.start()
    assert seconds_of(server.end) < 7
    reader.join(10)
    assert got == [NoLine.ENDED]


def test_one_out_of_reach_that_keeps_the_pipe_open_does_not_keep_us(
    tmp_path: Path, token: str
) -> None:
    script = f"setsid -f env -i sh -c 'echo ready; while :; do sleep 0.1; done # {token}'"
    server = started(SystemToolServers(time.monotonic), script, tmp_path, "none")
    assert server.receive() == b"ready"
    reader = threading.Thread(target=server.receive, daemon=True)
    reader.start()

    try:
        assert seconds_of(server.end) < 7.5
        assert survivors(token)
    finally:
        kill(survivors(token))
    reader.join(10)


OWNER = """
import os, sys, time
from pathlib import Path
from core.adapters.processes.tool_servers import SystemToolServers

server = SystemToolServers(time.monotonic).start(
    ("/bin/sh", "-c", "trap '' TERM; echo ready; while true; do sleep 0.2; done"),
    Path("/"), {"PATH": os.environ["PATH"], "TOKEN": sys.argv[1]}
)
print(server.receive().decode(), flush=True)
time.sleep(300)
"""


def test_the_servers_of_a_killed_beat_are_found_by_the_next_one(token: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, token], stdout=subprocess.PIPE, cwd=SOURCE
    ) as owner:
        assert owner.stdout
        assert owner.stdout.readline() == b"ready\n"
        owner.kill()
        owner.wait()
        assert survivors(token)

        end_left_by(owner.pid, 0.2, 5, time.monotonic)
        assert survivors(token) == []
