"""Runs a person's commands on Linux and macOS. Law: whatever a command does, it ends at most 5 s
after its timeout, nothing that it started survives it, and it costs limited memory.

What a command started is found by its process group; on Linux tree.py also finds what has left the
group.
"""

import os
import select
import signal
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from core.adapters.processes.children import open_pidfd
from core.adapters.processes.commands import (
    CapturedOutput,
    Telling,
    as_bytes,
    command_environment,
    why_not_started,
)
from core.adapters.processes.family import Family
from core.adapters.processes.tree import MARK, AdoptedProcesses, ProcessTree, end_left_by
from core.model.light_dataclass import light_dataclass
from core.model.process import Command, Ending, How
from core.ports.processes import Cancellation

# Both together stay below the promised 5 s.
GRACE = 2.5  # seconds between the signal that asks and the one that kills
KILL_TIMEOUT = 2.0  # seconds to find and kill what is left then
LONGEST_PAUSE = 0.05  # seconds between two checks while something is being ended
HOUSEKEEPING = 30.0  # seconds between two rounds of reaping dead orphans of a long command
PIECE = 65536  # the usual capacity of a pipe
MOST_PIECES = 16  # a pipe holds 1 MiB at most


@light_dataclass(frozen=True, slots=True)
class Program:
    """What is actually started for a command."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]  # all variables
    descriptors: tuple[int, ...] = ()  # descriptors of ours, which it gets under the same numbers


class SystemProcesses:
    """The `Processes` port, on Linux and macOS."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self.adopted = AdoptedProcesses()
        self._families: set[Family] = set()  # of the commands that are running

    def run(
        self,
        command: Command,
        cancelled: Cancellation | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> Ending:
        return self.run_program(shell_program(command), command, cancelled, on_line)

    def run_program(
        self,
        program: Program,
        command: Command,
        cancelled: Cancellation | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> Ending:
        """Run a program in the place of the command's shell."""
        if cancelled and cancelled.is_set():
            return Ending(How.CANCELLED, None, "", timedelta())

        mark = self.adopted.open()
        try:
            return self._run(program, command, cancelled, mark, on_line)
        finally:
            self.adopted.close(mark)

    def kill_all(self) -> None:
        for family in tuple(self._families):
            family.kill()

    def end_left_by(self, pid: int) -> None:
        end_left_by(pid, GRACE, KILL_TIMEOUT, self._monotonic)

    def _run(
        self,
        program: Program,
        command: Command,
        cancelled: Cancellation | None,
        mark: str,
        on_line: Callable[[str], None] | None,
    ) -> Ending:
        started = self._monotonic()
        try:
            shell, reading = start(program, command.folder, mark)
        except (OSError, ValueError) as error:
            return Ending(How.COULD_NOT_START, None, why_not_started(command, error), timedelta())

        family = ProcessTree(shell, mark, self.adopted) if mark else ProcessGroup(shell)
        self._families.add(family)
        running = RunningCommand(shell, reading, family, self._monotonic, on_line)

        try:
            how = running.wait(started + command.timeout.total_seconds(), cancelled)
        finally:
            running.end()
            self._families.discard(family)

        exit_code = shell_exit_code(shell.returncode) if how is How.EXITED else None
        duration = timedelta(seconds=self._monotonic() - started)
        return Ending(how, exit_code, running.output.text(), duration)


class ProcessGroup:
    """The processes in a command's group; one that leaves the group (setsid) is out of reach. The
    shell must lead a group of its own."""

    def __init__(self, shell: subprocess.Popen[bytes]) -> None:
        self._shell = shell

    def anyone_left(self) -> bool:
        self._shell.poll()  # a dead shell that has not been reaped still counts as a member
        try:
            os.killpg(self._shell.pid, 0)
        except (ProcessLookupError, PermissionError):  # macOS raises the latter for dead ones
            return False

        return True

    def ask_to_end(self) -> None:
        self._signal(signal.SIGTERM)
        self._signal(signal.SIGCONT)  # a stopped process gets TERM only when it goes on

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._shell.pid, number)


class RunningCommand:
    """Waits for a command, collects what it prints, and ends all that is left of it."""

    def __init__(
        self,
        shell: subprocess.Popen[bytes],
        reading: int,
        family: Family,
        monotonic: Callable[[], float],
        on_line: Callable[[str], None] | None = None,
    ) -> None:
        self.output = CapturedOutput()
        self._telling = Telling(self.output, on_line, monotonic)
        self._shell = shell
        self._reading = reading
        self._family = family
        self._monotonic = monotonic
        self._poll = select.poll()
        self._poll.register(reading, select.POLLIN)

    def wait(self, deadline: float, cancelled: Cancellation | None) -> How:
        """Wait until the shell ends, the deadline is reached or the command is cancelled."""
        ending = open_pidfd(self._shell.pid)
        wakers = [] if ending is None else [ending]
        if cancelled:
            wakers.append(cancelled.fileno())

        for waker in wakers:
            self._poll.register(waker, select.POLLIN)

        longest_wait = LONGEST_PAUSE if ending is None else HOUSEKEEPING
        try:
            while (how := self._how(deadline, cancelled)) is None:
                woken = self._collect(min(deadline, self._monotonic() + longest_wait))
                if not woken and ending is not None:
                    self._family.anyone_left()  # reaps dead orphans

            return how
        finally:
            for waker in wakers:
                self._poll.unregister(waker)

            if ending is not None:
                os.close(ending)

    def _how(self, deadline: float, cancelled: Cancellation | None) -> How | None:
        """How the command has ended; None: it is still running."""
        if self._shell.poll() is not None:
            return How.EXITED
        if cancelled and cancelled.is_set():
            return How.CANCELLED
        if self._monotonic() >= deadline:
            return How.TIMED_OUT

        return None

    def end(self) -> None:
        """End all that is left: ask once, so that a clean-up is not disturbed, wait, then kill.
        Afterwards nothing can write to the pipe."""
        asked = self._monotonic()
        killed = False  # after a pause of the whole machine, both times may be over at once
        nap = 0.001
        if self._family.anyone_left():
            self._family.ask_to_end()

        while self._family.anyone_left():
            now = self._monotonic()
            if killed and now >= asked + GRACE + KILL_TIMEOUT:
                break  # another user's process, or stuck in the kernel
            if now >= asked + GRACE:
                self._family.kill()
                killed = True

            self._collect(now + nap)
            nap = min(2 * nap, LONGEST_PAUSE)

        self._collect_the_rest()
        os.close(self._reading)

    def _collect(self, until: float) -> bool:
        """Read output until then; return True as soon as another descriptor wakes us."""
        while (left := until - self._monotonic()) > 0:
            limit = self._telling.wait_limit()
            wait = left if limit is None else min(left, limit)
            ready = [descriptor for descriptor, _ in self._poll.poll(int(wait * 1000) + 1)]
            if self._reading in ready and self._read() == b"":
                self._poll.unregister(self._reading)  # no process can write to it any more

            self._telling.tell()
            if any(descriptor != self._reading for descriptor in ready):
                return True

        return False

    def _collect_the_rest(self) -> None:
        """Read what the pipe still holds, but do not wait for a process that goes on writing to
        it."""
        for _ in range(MOST_PIECES):
            if not self._read():
                break

    def _read(self) -> bytes | None:
        """Return the next piece of output: b"" at its end, None if there is none yet."""
        try:
            piece = os.read(self._reading, PIECE)
        except BlockingIOError:
            return None

        self.output.add(piece)
        self._telling.printed()
        return piece


def shell_program(command: Command) -> Program:
    return Program(
        ("/bin/sh", "-c", "--", command.line), command_environment(os.environ, command.environment)
    )


def start(program: Program, folder: Path, mark: str) -> tuple[subprocess.Popen[bytes], int]:
    """Start the program in a session and group of its own; return it and the pipe with its
    output."""
    reading, writing = os.pipe()
    variables = {**program.environment, MARK: mark} if mark else program.environment
    try:
        shell = subprocess.Popen(
            [as_bytes(word) for word in program.arguments],
            cwd=folder,
            env={as_bytes(name): as_bytes(value) for name, value in variables.items()},
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
            pass_fds=program.descriptors,
        )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)

    os.set_blocking(reading, False)
    return shell, reading


def shell_exit_code(exit_code: int) -> int:
    """The exit code as a shell reports it: 128 and the signal's number for a killed process."""
    return 128 - exit_code if exit_code < 0 else exit_code
