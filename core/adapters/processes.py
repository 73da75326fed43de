"""Runs a person's commands. The law: no command outlives its timeout by 5 s, nothing that it started survives it, and
it costs bounded memory, whatever it does."""

import os
import select
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from core.adapters.captured_output import CapturedOutput
from core.adapters.command_environment import command_environment
from core.adapters.orphans import end_left_by
from core.adapters.pidfd import open_pidfd
from core.adapters.process_group import ProcessGroup
from core.adapters.process_start import as_bytes, why_not_started
from core.adapters.process_tree import MARK, Orphanage, ProcessTree
from core.model.process import Command, Ending, How
from core.ports import Cancellation

GRACE = 2.5  # seconds between the polite signal and the other one
HUNT = 2.0  # seconds to find and kill what is left then; both together stay below the 5 s that are promised
LONGEST_NAP = 0.05  # seconds between two looks while something is being ended
HOUSEKEEPING = 30.0  # seconds; a long command may leave us dead orphans to reap
PIECE = 65536  # the usual capacity of a pipe
MOST_PIECES = 16  # a pipe holds 1 MiB at most


class Family(Protocol):
    """All that one command started."""

    def anyone_left(self) -> bool: ...
    def ask_to_end(self) -> None: ...
    def kill(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Program:
    """What is really started for a command."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]  # all of it
    descriptors: tuple[int, ...] = ()  # of ours, that it gets under the same numbers


class SystemProcesses:
    """The port Processes, on Linux and macOS."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._orphanage = Orphanage()
        self._families: set[Family] = set()  # of the commands that are running

    def run(self, command: Command, cancelled: Cancellation | None = None) -> Ending:
        return self.run_program(shell_program(command), command, cancelled)

    def run_program(self, program: Program, command: Command, cancelled: Cancellation | None = None) -> Ending:
        """The same for a program that stands in for the command's shell."""
        if cancelled and cancelled.is_set():
            return Ending(How.CANCELLED, None, "", False, timedelta())
        mark = self._orphanage.open()
        try:
            return self._run(program, command, cancelled, mark)
        finally:
            self._orphanage.close(mark)

    def kill_all(self) -> None:
        for family in tuple(self._families):
            family.kill()

    def end_left_by(self, pid: int) -> None:
        end_left_by(pid, GRACE, HUNT, self._monotonic)

    def _run(self, program: Program, command: Command, cancelled: Cancellation | None, mark: str) -> Ending:
        started = self._monotonic()
        try:
            shell, reading = start(program, command.folder, mark)
        except (OSError, ValueError) as error:
            return Ending(How.COULD_NOT_START, None, why_not_started(command, error), False, timedelta())
        family = ProcessTree(shell, mark, self._orphanage) if mark else ProcessGroup(shell)
        self._families.add(family)
        running = RunningCommand(shell, reading, family, self._monotonic)
        try:
            how = running.wait(started + command.timeout.total_seconds(), cancelled)
        finally:
            running.end()
            self._families.discard(family)
        exit_code = as_a_shell_says_it(shell.returncode) if how is How.EXITED else None
        return Ending(how, exit_code, *running.output.text(), timedelta(seconds=self._monotonic() - started))


class RunningCommand:
    def __init__(
        self, shell: subprocess.Popen[bytes], reading: int, family: Family, monotonic: Callable[[], float]
    ) -> None:
        self.output = CapturedOutput()
        self._shell = shell
        self._reading = reading
        self._family = family
        self._monotonic = monotonic
        self._poll = select.poll()
        self._poll.register(reading, select.POLLIN)

    def wait(self, deadline: float, cancelled: Cancellation | None) -> How:
        """Until the shell ends, the deadline or the wish to cancel: whichever comes first."""
        ending = open_pidfd(self._shell.pid)
        wakers = [waker for waker in (ending, cancelled.fileno() if cancelled else None) if waker is not None]
        for waker in wakers:
            self._poll.register(waker, select.POLLIN)
        look_again = LONGEST_NAP if ending is None else HOUSEKEEPING
        try:
            while True:
                now = self._monotonic()
                woken = self._collect(min(deadline, now + look_again))
                if self._shell.poll() is not None:
                    return How.EXITED
                if cancelled and cancelled.is_set():
                    return How.CANCELLED
                if self._monotonic() >= deadline:
                    return How.TIMED_OUT
                if not woken and ending is not None:
                    self._family.anyone_left()  # reaps
        finally:
            for waker in wakers:
                self._poll.unregister(waker)
            if ending is not None:
                os.close(ending)

    def end(self) -> None:
        """Ask once, so that a clean-up is not disturbed; wait; kill. Then nobody of it can write any more."""
        asked = self._monotonic()
        nap = 0.001
        if self._family.anyone_left():
            self._family.ask_to_end()
        while self._family.anyone_left():
            now = self._monotonic()
            if now >= asked + GRACE + HUNT:
                break  # not ours to kill, or stuck in the kernel
            if now >= asked + GRACE:
                self._family.kill()
            self._collect(now + nap)
            nap = min(2 * nap, LONGEST_NAP)
        self._collect_the_rest()
        os.close(self._reading)

    def _collect(self, until: float) -> bool:
        """Gather output until then, or until another descriptor wakes us: True."""
        while (left := until - self._monotonic()) > 0:
            ready = [descriptor for descriptor, _ in self._poll.poll(int(left * 1000) + 1)]
            if self._reading in ready and self._read() == b"":
                self._poll.unregister(self._reading)  # closed by all who could write
            if any(descriptor != self._reading for descriptor in ready):
                return True
        return False

    def _collect_the_rest(self) -> None:
        """What the pipe still holds; an outsider who got hold of it and goes on writing is not waited for."""
        for _ in range(MOST_PIECES):
            if not self._read():
                break

    def _read(self) -> bytes | None:
        """The next piece of output: b"" at its end, None where there is none yet."""
        try:
            piece = os.read(self._reading, PIECE)
        except BlockingIOError:
            return None
        self.output.add(piece)
        return piece


def shell_program(command: Command) -> Program:
    return Program(("/bin/sh", "-c", "--", command.line), command_environment(os.environ, command.environment))


def start(program: Program, folder: Path, mark: str) -> tuple[subprocess.Popen[bytes], int]:
    """The program, in a session and group of its own, and the end of the pipe to read what it prints."""
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


def as_a_shell_says_it(exit_code: int) -> int:
    return 128 - exit_code if exit_code < 0 else exit_code
