"""Commands and children on Windows.

A job object holds all that a process starts, even if a process in between has ended. A command
cannot be asked to end, so it is ended at once. The loop can only wait for sockets, so one thread
per command reads its pipe, and one thread per child closes a socket when the child has ended.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

from core.adapters.processes.commands import (
    CapturedOutput,
    Telling,
    command_environment,
    why_not_started,
)
from core.model.errors import HeartbeatError
from core.model.process import Command, Ending, How
from core.ports.processes import Cancellation

CREATE_NEW_PROCESS_GROUP = 0x00000200
CREATE_NO_WINDOW = 0x08000000
PROCESS_TERMINATE = 0x0001
PROCESS_SET_QUOTA = 0x0100
EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
KILL_ON_JOB_CLOSE = 0x2000
if sys.platform == "win32":
    PLEASE_END = signal.CTRL_BREAK_EVENT
else:
    PLEASE_END = signal.SIGTERM

LONGEST_WAIT = 0.1  # seconds until a cancellation is noticed
LAST_WORDS = 2.0  # seconds for the reader to finish after everything was ended
PIECE = 65536


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION"""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("largest_working_set", ctypes.c_size_t),
        ("most_processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION"""

    _fields_ = (
        ("basic", BasicLimits),
        ("io_counters", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    )


class Job:
    """A process and all that it starts.

    `kill_on_close`: all of it ends when the job's last handle is closed, so at the latest when our
    own process ends. Otherwise it goes on."""

    def __init__(self, pid: int, *, kill_on_close: bool = False) -> None:
        self._kernel = kernel = load_kernel()
        self._job = kernel.CreateJobObjectW(None, None)
        if kill_on_close:
            limits = ExtendedLimits(basic=BasicLimits(flags=KILL_ON_JOB_CLOSE))
            size = ctypes.sizeof(limits)
            kernel.SetInformationJobObject(self._job, EXTENDED_LIMITS, ctypes.byref(limits), size)

        process = kernel.OpenProcess(PROCESS_SET_QUOTA | PROCESS_TERMINATE, False, pid)
        if process:  # otherwise it has ended already
            kernel.AssignProcessToJobObject(self._job, process)
            kernel.CloseHandle(process)

    def kill(self) -> None:
        if self._job:
            self._kernel.TerminateJobObject(self._job, 1)

    def close(self) -> None:
        if self._job:
            self._kernel.CloseHandle(self._job)
            self._job = None


def load_kernel() -> Any:
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        handle = ctypes.c_void_p
        number = ctypes.c_uint
        kernel.CreateJobObjectW.restype = handle
        kernel.CreateJobObjectW.argtypes = [handle, handle]
        kernel.SetInformationJobObject.argtypes = [handle, ctypes.c_int, handle, number]
        kernel.OpenProcess.restype = handle
        kernel.OpenProcess.argtypes = [number, number, number]
        kernel.AssignProcessToJobObject.argtypes = [handle, handle]
        kernel.TerminateJobObject.argtypes = [handle, number]
        kernel.CloseHandle.argtypes = [handle]

        return kernel

    raise OSError("only Windows has job objects")  # elsewhere process groups are used instead


class WindowsProcesses:
    """The `Processes` port: cmd.exe without a window."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._jobs: set[Job] = set()  # of the commands that are running

    def run(
        self,
        command: Command,
        cancelled: Cancellation | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> Ending:
        if cancelled and cancelled.is_set():
            return Ending(How.CANCELLED, None, "", timedelta())

        started = self._monotonic()
        try:
            shell = start(command)
        except (OSError, ValueError) as error:
            return Ending(How.COULD_NOT_START, None, why_not_started(command, error), timedelta())

        job = Job(shell.pid, kill_on_close=True)
        self._jobs.add(job)
        output = CapturedOutput()
        telling = Telling(output, on_line, self._monotonic)
        assert shell.stdout is not None
        reader = threading.Thread(target=collect, args=(shell.stdout, output, telling), daemon=True)
        reader.start()

        try:
            how = self._wait(shell, started + command.timeout.total_seconds(), cancelled, telling)
        finally:
            self._jobs.discard(job)
            job.kill()
            job.close()
            shell.wait()
            reader.join(LAST_WORDS)

        exit_code = shell.returncode if how is How.EXITED else None
        duration = timedelta(seconds=self._monotonic() - started)
        return Ending(how, exit_code, output.text(), duration)

    def kill_all(self) -> None:
        for job in tuple(self._jobs):
            job.kill()

    def end_left_by(self, pid: int) -> None:
        """Nothing is left: a command's job ends with the process that made it."""

    def _wait(
        self,
        shell: subprocess.Popen[bytes],
        deadline: float,
        cancelled: Cancellation | None,
        telling: Telling,
    ) -> How:
        while shell.poll() is None:
            telling.tell()
            left = deadline - self._monotonic()
            if cancelled and cancelled.is_set():
                return How.CANCELLED
            if left <= 0:
                return How.TIMED_OUT

            with suppress(subprocess.TimeoutExpired):
                shell.wait(min(left, LONGEST_WAIT))

        return How.EXITED


def start(command: Command) -> subprocess.Popen[bytes]:
    shell = os.environ.get("COMSPEC", "cmd.exe")
    return subprocess.Popen(
        f'"{shell}" /d /s /c "{command.line}"',
        cwd=command.folder,
        env=command_environment(os.environ, command.environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        creationflags=CREATE_NO_WINDOW,
        bufsize=0,
    )


def collect(pipe: IO[bytes], output: CapturedOutput, telling: Telling) -> None:
    with pipe:
        while piece := pipe.read(PIECE):
            output.add(piece)
            telling.printed()


class WindowsChildren:
    """The `Children` port."""

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None
    ) -> "WindowsChild":
        try:
            with open(log or os.devnull, "ab") as output:
                process = subprocess.Popen(
                    arguments,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    creationflags=flags(),
                )
        except (OSError, ValueError) as error:
            raise HeartbeatError(
                f"{arguments[0]} could not be started: {error}.",
                f"Is it still installed there{f', and can {log} be written' if log else ''}?",
            ) from error

        return WindowsChild(process)


class WindowsChild:
    """A child goes on when our process ends; only a command ends with it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.pid = process.pid
        self._process = process
        self._job = Job(process.pid)
        self._ending, other_end = socket.socketpair()
        threading.Thread(target=close_at_end, args=(process, other_end), daemon=True).start()

    def fileno(self) -> int:
        return self._ending.fileno()

    def poll(self) -> int | None:
        exit_code = self._process.poll()
        if exit_code is not None:
            self._job.close()

        return exit_code

    def ask_to_end(self) -> None:
        try:
            self._process.send_signal(PLEASE_END)
        except OSError:  # without a shared console there is no other way to ask
            self.kill()

    def kill(self) -> None:
        self._job.kill()

    def close(self) -> None:
        with suppress(OSError):
            self._ending.close()


def flags() -> int:
    """If we have a console, the child shares it and can be asked to end through it; otherwise it
    must not open a window."""
    return CREATE_NEW_PROCESS_GROUP | (0 if sys.stderr else CREATE_NO_WINDOW)


def close_at_end(process: subprocess.Popen[bytes], other_end: socket.socket) -> None:
    with other_end:
        process.wait()
