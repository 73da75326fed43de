"""The port Processes on Windows: cmd.exe without a window. Nothing there can be asked to end: it is ended at once.

Its pipes cannot be waited for together with anything else, so one thread a command reads them.
"""

import os
import subprocess
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import IO

from core.adapters.captured_output import CapturedOutput
from core.adapters.command_environment import command_environment
from core.adapters.process_start import why_not_started
from core.adapters.windows_job import Job
from core.model.process import Command, Ending, How
from core.ports import Cancellation

CREATE_NO_WINDOW = 0x08000000
LONGEST_WAIT = 0.1  # seconds until a wish to cancel is noticed
LAST_WORDS = 2.0  # seconds for the reader to come to the end after everybody was ended


class WindowsProcesses:
    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._jobs: set[Job] = set()  # of the commands that are running

    def run(self, command: Command, cancelled: Cancellation | None = None) -> Ending:
        if cancelled and cancelled.is_set():
            return Ending(How.CANCELLED, None, "", False, timedelta())
        started = self._monotonic()
        try:
            shell = start(command)
        except (OSError, ValueError) as error:
            return Ending(How.COULD_NOT_START, None, why_not_started(command, error), False, timedelta())
        job = Job(shell.pid)
        self._jobs.add(job)
        output = CapturedOutput()
        assert shell.stdout is not None
        reader = threading.Thread(target=collect, args=(shell.stdout, output), daemon=True)
        reader.start()
        try:
            how = self._wait(shell, started + command.timeout.total_seconds(), cancelled)
        finally:
            self._jobs.discard(job)
            job.kill()
            job.close()
            shell.wait()
            reader.join(LAST_WORDS)
        exit_code = shell.returncode if how is How.EXITED else None
        return Ending(how, exit_code, *output.text(), timedelta(seconds=self._monotonic() - started))

    def kill_all(self) -> None:
        for job in tuple(self._jobs):
            job.kill()

    def end_left_by(self, pid: int) -> None:
        """Nothing is left: a job ends with the process that made it."""

    def _wait(self, shell: subprocess.Popen[bytes], deadline: float, cancelled: Cancellation | None) -> How:
        while shell.poll() is None:
            left = deadline - self._monotonic()
            if cancelled and cancelled.is_set():
                return How.CANCELLED
            if left <= 0:
                return How.TIMED_OUT
            try:
                shell.wait(min(left, LONGEST_WAIT))
            except subprocess.TimeoutExpired:
                continue
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


def collect(pipe: IO[bytes], output: CapturedOutput) -> None:
    with pipe:
        while piece := pipe.read(65536):
            output.add(piece)
