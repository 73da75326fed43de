"""Runs an agent of others that is a program, such as `claude`. Law: its process ends with the call,
and so does what it started in its group; none of our keys is in its environment."""

import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path
from typing import IO

from core.model.process import How, ProgramCall, ProgramEnding
from core.ports.processes import Cancellation
from core.rules.environment import passed_on

LARGEST_OUTPUT = 4 * 1024 * 1024  # bytes
POLL_INTERVAL = 0.1  # seconds between two checks for a cancellation
END_TIMEOUT = 3.0  # seconds that it has to end after a signal
# Variables that it gets from our environment: its login is in its folders.
PASSED = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TZ",
    "TMPDIR",
    "TERM",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
)
PASSED_ON_WINDOWS = (
    "APPDATA",
    "LOCALAPPDATA",
    "USERPROFILE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "PATHEXT",
    "COMSPEC",
)


class SystemAgentPrograms:
    """The `AgentPrograms` port, on all systems."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic

    def run(self, call: ProgramCall, cancelled: Cancellation) -> ProgramEnding:
        if cancelled.is_set():
            return ProgramEnding(How.CANCELLED)

        # A folder that cannot be removed must not cost the answer.
        with ExitStack() as stack:
            try:
                folder = stack.enter_context(
                    tempfile.TemporaryDirectory(prefix="heartbeat-", ignore_cleanup_errors=True)
                )
                write_files(Path(folder), call.files)
                process = _start(call, folder)
            except (OSError, ValueError) as error:
                return _not_started(call, error)

            run = _Run(process, self._monotonic)
            try:
                return run.ending(encoded(call.text), call.timeout, cancelled)
            except RuntimeError as error:  # the machine is out of threads
                return _not_started(call, error)


def _not_started(call: ProgramCall, error: Exception) -> ProgramEnding:
    reason = (error.strerror if isinstance(error, OSError) else None) or error
    words = f"{call.words[0]} could not be started: {reason}."
    return ProgramEnding(How.COULD_NOT_START, output=words)


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def encoded(text: str) -> bytes:
    """The text as a program reads it. The name of a file may have bytes that are not UTF-8: they
    must not keep the rest from being read."""
    return text.encode(errors="replace")


def _start(call: ProgramCall, folder: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        call.words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=_environment() | dict(call.environment),
        start_new_session=True,
    )


class _Run:
    """The program's process, with its process group."""

    def __init__(self, process: "subprocess.Popen[bytes]", monotonic: Callable[[], float]) -> None:
        self._process = process
        self._monotonic = monotonic
        self._output = bytearray()
        self._errors = bytearray()
        self._threads: list[threading.Thread] = []

    def ending(self, text: bytes, timeout: timedelta, cancelled: Cancellation) -> ProgramEnding:
        """Wait for its end, or end it. Afterwards nothing of its process group is left, whatever
        goes wrong meanwhile."""
        try:
            self._connect(text)
            how = self._wait(self._monotonic() + timeout.total_seconds(), cancelled)
        finally:
            self._end()

        if how is not How.EXITED:
            return ProgramEnding(how)

        return ProgramEnding(
            how,
            self._process.returncode,
            self._output.decode(errors="replace"),
            self._errors.decode(errors="replace"),
        )

    def _connect(self, text: bytes) -> None:
        """Start a thread for each pipe, in this order; the machine may be out of threads."""
        stdin, stdout, stderr = self._pipes()
        self._threads.append(_started(_feed, stdin, text))
        self._threads.append(_started(_drain, stdout, self._output))
        self._threads.append(_started(_drain, stderr, self._errors))

    def _pipes(self) -> list[IO[bytes]]:
        process = self._process
        assert process.stdin
        assert process.stdout
        assert process.stderr
        return [process.stdin, process.stdout, process.stderr]

    def _wait(self, deadline: float, cancelled: Cancellation) -> How:
        while self._is_running():
            if cancelled.is_set():
                return How.CANCELLED
            if self._monotonic() >= deadline:
                return How.TIMED_OUT

        return How.EXITED

    def _is_running(self) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(POLL_INTERVAL)
            return False

        return True

    def _end(self) -> None:
        """End its whole process group, so that what it started ends too."""
        for name in ("SIGTERM", "SIGKILL"):
            self._signal(name)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(END_TIMEOUT)

        for thread in self._threads:
            thread.join(END_TIMEOUT)

        for pipe in self._pipes()[len(self._threads) :]:  # the threads close the others
            pipe.close()

    def _signal(self, name: str) -> None:
        if os.name == "nt":
            self._process.kill()
            return

        import signal

        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.Signals[name])


def _started(
    target: Callable[..., None], pipe: IO[bytes], data: bytes | bytearray
) -> threading.Thread:
    thread = threading.Thread(target=target, args=(pipe, data), daemon=True)
    thread.start()
    return thread


def _feed(pipe: IO[bytes], data: bytes) -> None:
    with suppress(OSError), pipe:
        pipe.write(data)


def _drain(pipe: IO[bytes], kept: bytearray) -> None:
    with suppress(OSError, ValueError), pipe:
        # What is there already: a process that left the group may keep the pipe open.
        while piece := os.read(pipe.fileno(), 65536):
            kept += piece[: LARGEST_OUTPUT - len(kept)]


def _environment() -> dict[str, str]:
    """Our environment without our keys."""
    return passed_on(os.environ, PASSED + (PASSED_ON_WINDOWS if os.name == "nt" else ()))
