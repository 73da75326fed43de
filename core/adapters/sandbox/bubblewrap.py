"""Runs a command in a sandbox, with bubblewrap. Law: what is not in its reach does not exist for
the command, and nothing is started if the sandbox cannot be made."""

import os
import platform
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path

from core.adapters.processes.commands import as_bytes
from core.adapters.processes.posix import Program, SystemProcesses
from core.adapters.sandbox import own_network
from core.adapters.sandbox.egress.addresses import Resolver, public_addresses
from core.adapters.sandbox.seccomp import seccomp_filter
from core.adapters.sandbox.walls import inner_environment, sandbox_arguments
from core.adapters.sandbox.workspace_view import TopFolder
from core.model.light_dataclass import replace
from core.model.process import Command, Ending, How
from core.model.sandbox import Reach, SandboxEnding, SandboxState
from core.ports.processes import Cancellation
from core.rules.approving.tags import reach_problem

PROBE_TIME = timedelta(seconds=20)
NUL = "The command's folder or one of its variables contains a NUL character, which is not allowed."
PROXY = f"http://127.0.0.1:{own_network.PORT}"

# A kernel setting, the value that forbids sandboxes, and the command that allows them.
SWITCHES = (
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    ("kernel/unprivileged_userns_clone", "0", "sudo sysctl kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sudo sysctl user.max_user_namespaces=10000"),
)


class BubblewrapSandbox:
    """The `Sandbox` port, on Linux."""

    def __init__(
        self, processes: SystemProcesses, stages: Path, resolve: Resolver = public_addresses
    ) -> None:
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

    def run(
        self,
        command: Command,
        reach: Reach,
        cancelled: Cancellation | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> SandboxEnding:
        state = self.state()
        if not state.works:
            return could_not_start(f"{state.reason} {state.fix}")

        problem = reach_problem(real(reach))
        if problem:
            return could_not_start(problem.message)

        return self._run(command, reach, cancelled, on_line)

    def _probe(self) -> SandboxState:
        """Find out by running a sandbox: a system may have the program and forbid what it does."""
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

    def _run(
        self,
        command: Command,
        reach: Reach,
        cancelled: Cancellation | None,
        on_line: Callable[[str], None] | None = None,
    ) -> SandboxEnding:
        if not reach.workspace_writable:
            read_only = ["--ro-bind", str(reach.workspace), str(reach.workspace)]
            return SandboxEnding(*self._run_inside(command, reach, read_only, cancelled, on_line))

        with ExitStack() as open_things:
            try:
                top = open_things.enter_context(TopFolder(reach, self._stages))
            except OSError as error:
                return could_not_start(
                    f"The workspace {reach.workspace} cannot be opened: {error.strerror}."
                )

            ending, refused = self._run_inside(command, reach, top.mounts(), cancelled, on_line)

        return SandboxEnding(ending, refused, top.kept_out)

    def _run_inside(
        self,
        command: Command,
        reach: Reach,
        workspace: list[str],
        cancelled: Cancellation | None,
        on_line: Callable[[str], None] | None,
    ) -> tuple[Ending, tuple[str, ...]]:
        environment = inner_environment(
            os.environ, command.environment, PROXY if reach.domains else ""
        )
        options = sandbox_arguments(
            reach, workspace, command.folder, environment, own_network=bool(reach.domains)
        )
        if any("\0" in word for word in options):  # NUL separates the words for bubblewrap
            return could_not_start(NUL).ending, ()

        with ExitStack() as open_things:
            status, status_writer = pipe(open_things)
            call_filter = filled(open_things, seccomp_filter(platform.machine()) or b"")
            listed = filled(open_things, b"".join(as_bytes(word) + b"\0" for word in options))

            program = [str(shutil.which("bwrap")), "--seccomp", str(call_filter)]
            program += ["--json-status-fd", str(status_writer), "--args", str(listed)]
            program += ["--", "/bin/sh", "-c", "--", command.line]
            descriptors = [call_filter, status_writer, listed]

            proxy = None
            if reach.domains:
                # imported here: most commands reach no network
                from core.adapters.sandbox.egress.proxy import EgressProxy

                proxy = open_things.enter_context(EgressProxy(reach.domains, self._resolve))
                channel = proxy.channel.fileno()
                program = [sys.executable, "-I", "-S", own_network.__file__, str(channel), *program]
                descriptors.append(channel)

            # The environment of bubblewrap is empty too: the command could read it in /proc.
            started = Program(tuple(program), {}, tuple(descriptors))
            ending = self._processes.run_program(started, command, cancelled, on_line)
            ending = ending_of_command(ending, read_without_waiting(status))

        return ending, proxy.refused() if proxy else ()


def ending_of_command(ending: Ending, status: bytes) -> Ending:
    """The ending of the command; if bubblewrap reported no exit code, the command did not run."""
    if ending.how is not How.EXITED or b'"exit-code"' in status:
        return ending

    words = ending.last_line.removeprefix("bwrap: ") or f"exit code {ending.exit_code}"
    return could_not_start(f"The sandbox could not be made: {words}.").ending


def could_not_start(words: str) -> SandboxEnding:
    return SandboxEnding(Ending(How.COULD_NOT_START, None, words, duration=timedelta()))


def real(reach: Reach) -> Reach:
    """The same reach without links in its paths."""
    return replace(
        reach,
        workspace=reach.workspace.resolve(),
        writable=tuple(path.resolve() for path in reach.writable),
        readable=tuple(path.resolve() for path in reach.readable),
        protected=tuple(path.resolve() for path in reach.protected),
        hidden=tuple(path.resolve() for path in reach.hidden),
    )


def pipe(open_things: ExitStack) -> tuple[int, int]:
    """A pipe that is closed with the rest, and whose reading end does not block."""
    reading, writing = os.pipe()
    for end in (reading, writing):
        open_things.callback(os.close, end)

    os.set_blocking(reading, False)
    return reading, writing


def read_without_waiting(reading: int) -> bytes:
    with suppress(BlockingIOError):
        return os.read(reading, 65536)

    return b""


def filled(open_things: ExitStack, data: bytes) -> int:
    """Return a descriptor from which these bytes can be read."""
    descriptor = os.memfd_create("heartbeat")
    open_things.callback(os.close, descriptor)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(data)

    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


# -- why there is no sandbox here, and what the person can do about it ----------------------------


def no_linux() -> SandboxState:
    return SandboxState(
        False, "Heartbeat has no sandbox on this system.", "Use it on Linux, with bubblewrap."
    )


def no_filter(machine: str) -> SandboxState:
    reason = f"Heartbeat has no system-call filter for this kind of machine ({machine})."
    return SandboxState(False, reason, "Use it on x86_64 or aarch64.")


def no_bubblewrap() -> SandboxState:
    return SandboxState(
        False,
        "bubblewrap is not installed.",
        "Install it, on Debian: sudo apt-get install bubblewrap",
    )


def not_working(ending: Ending) -> SandboxState:
    """Why bubblewrap is installed but does not work."""
    words = ending.last_line or str(ending.how)
    if "Unknown option" in words:
        return SandboxState(
            False, f"bubblewrap is too old ({words.rstrip('.')}).", "Install version 0.8 or newer."
        )

    for switch, forbidding, command in SWITCHES:
        with suppress(OSError):
            if Path("/proc/sys", switch).read_text().strip() == forbidding:
                return SandboxState(
                    False,
                    "This system does not let users create sandboxes.",
                    f"Allow them: {command}",
                )

    return SandboxState(
        False,
        f"bubblewrap does not work here: {words.rstrip('.')}.",
        "Try: bwrap --ro-bind / / true",
    )
