"""Runs a command behind walls, with bubblewrap. The law: what is not in its reach does not exist for it, and where the
walls cannot be built nothing is started."""

import os
import platform
import shutil
import sys
import tempfile
import threading
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from core.adapters import own_network
from core.adapters.egress_proxy import EgressProxy, Resolver, public_addresses
from core.adapters.process_start import as_bytes
from core.adapters.processes import Program, SystemProcesses
from core.adapters.sandbox_arguments import inner_environment, sandbox_arguments
from core.adapters.sandbox_state import no_bubblewrap, no_filter, no_linux, not_working
from core.adapters.sandbox_workspace import TopFolder
from core.adapters.seccomp import seccomp_filter
from core.model.process import Command, Ending, How
from core.model.sandbox import Reach, SandboxEnding, SandboxState
from core.ports import Cancellation
from core.rules.permitting.tags import reach_problem

PROBE_TIME = timedelta(seconds=20)
NUL = "The command's folder or one of its variables contains a character that none can have (NUL)."
PROXY = f"http://127.0.0.1:{own_network.PORT}"


class BubblewrapSandbox:
    """The port Sandbox, on Linux."""

    def __init__(self, processes: SystemProcesses, stages: Path, resolve: Resolver = public_addresses) -> None:
        self._processes = processes
        self._stages = stages  # a folder for this alone, on the workspace's disk if possible
        self._resolve = resolve
        self._state: SandboxState | None = None
        self._probing = threading.Lock()

    def state(self) -> SandboxState:
        with self._probing:
            if self._state is None:
                self._state = self._probe()
            return self._state

    def run(self, command: Command, reach: Reach, cancelled: Cancellation | None = None) -> SandboxEnding:
        state = self.state()
        if not state.works:
            return could_not_start(f"{state.reason} {state.mend}")
        problem = reach_problem(real(reach))
        if problem:
            return could_not_start(problem.message)
        return self._run(command, reach, cancelled)

    def _probe(self) -> SandboxState:
        """By really running one: a system may have the program and forbid what it does."""
        if sys.platform != "linux":
            return no_linux()
        if seccomp_filter(platform.machine()) is None:
            return no_filter(platform.machine())
        if shutil.which("bwrap") is None:
            return no_bubblewrap()
        with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder:
            done = self._run(Command("true", Path(folder), PROBE_TIME), Reach(Path(folder)), None)
        works = done.ending.how is How.EXITED and done.ending.exit_code == 0
        return SandboxState(works=True) if works else not_working(done.ending)

    def _run(self, command: Command, reach: Reach, cancelled: Cancellation | None) -> SandboxEnding:
        with ExitStack() as open_things:
            try:
                top = open_things.enter_context(TopFolder(reach, self._stages)) if reach.workspace_writable else None
            except OSError as error:
                return could_not_start(f"The workspace {reach.workspace} cannot be opened: {error.strerror}.")
            workspace = top.mounts() if top else ["--ro-bind", str(reach.workspace), str(reach.workspace)]
            ending, refused = self._run_inside(command, reach, workspace, cancelled)
        return SandboxEnding(ending, refused, top.kept_out if top else ())

    def _run_inside(
        self, command: Command, reach: Reach, workspace: list[str], cancelled: Cancellation | None
    ) -> tuple[Ending, tuple[str, ...]]:
        environment = inner_environment(os.environ, command.environment, PROXY if reach.domains else "")
        options = sandbox_arguments(reach, workspace, command.folder, environment, own_network=bool(reach.domains))
        if any("\0" in word for word in options):  # it would part one word from the next
            return could_not_start(NUL).ending, ()
        with ExitStack() as open_things:
            proxy = open_things.enter_context(EgressProxy(reach.domains, self._resolve)) if reach.domains else None
            told, telling = pipe(open_things)
            wall = filled(open_things, seccomp_filter(platform.machine()) or b"")
            listed = filled(open_things, b"".join(as_bytes(word) + b"\0" for word in options))
            program = [str(shutil.which("bwrap")), "--seccomp", str(wall), "--json-status-fd", str(telling)]
            program += ["--args", str(listed), "--", "/bin/sh", "-c", "--", command.line]
            descriptors = [wall, telling, listed]
            if proxy:
                channel = proxy.channel.fileno()
                program = [sys.executable, "-I", "-S", own_network.__file__, str(channel), *program]
                descriptors.append(channel)
            # An empty environment for bubblewrap too: the command could read it in /proc.
            started = Program(tuple(program), {}, tuple(descriptors))
            ending = self._processes.run_program(started, command, cancelled)
            judgement = judged(ending, read_at_once(told))
        return judgement, proxy.refused() if proxy else ()


def judged(ending: Ending, told: bytes) -> Ending:
    """The ending of the command; where bubblewrap never told of one, no command has run."""
    if ending.how is not How.EXITED or b'"exit-code"' in told:
        return ending
    words = ending.last_line.removeprefix("bwrap: ") or f"exit code {ending.exit_code}"
    return could_not_start(f"The sandbox could not be made: {words}.").ending


def could_not_start(words: str) -> SandboxEnding:
    return SandboxEnding(Ending(How.COULD_NOT_START, None, words, truncated=False, duration=timedelta()))


def real(reach: Reach) -> Reach:
    """The same without links in its paths."""
    return replace(
        reach,
        workspace=reach.workspace.resolve(),
        writable=tuple(path.resolve() for path in reach.writable),
        readable=tuple(path.resolve() for path in reach.readable),
        protected=tuple(path.resolve() for path in reach.protected),
        hidden=tuple(path.resolve() for path in reach.hidden),
    )


def pipe(open_things: ExitStack) -> tuple[int, int]:
    reading, writing = os.pipe()
    for end in (reading, writing):
        open_things.callback(os.close, end)
    os.set_blocking(reading, False)
    return reading, writing


def read_at_once(reading: int) -> bytes:
    with suppress(BlockingIOError):
        return os.read(reading, 65536)
    return b""


def filled(open_things: ExitStack, data: bytes) -> int:
    """A descriptor to read these bytes from."""
    descriptor = os.memfd_create("heartbeat")
    open_things.callback(os.close, descriptor)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
