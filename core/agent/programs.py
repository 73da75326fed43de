"""Works through a batch with an agent that is a program, such as `claude`. Law: its process ends
with the batch.

The program has its own login and its own loop. It gets the prompt on standard input and the tools
of this batch through `heartbeat mcp --batch`. It starts in an empty folder, with none of our keys
in its environment.
"""

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from core.agent.choose import ProgramAccess
from core.agent.mcp.tool_socket import ToolServer
from core.agent.tool import Toolbox
from core.model.agent import BatchEnding, BatchResult, Limits
from core.model.light_dataclass import replace
from core.ports.processes import Cancellation
from core.rules.environment import passed_on
from core.rules.own_command import own_command
from core.rules.printable import one_line
from core.rules.providers.record import Job, Program, ProgramAnswer
from core.rules.redacting import without_tokens

LARGEST_ANSWER = 4 * 1024 * 1024  # bytes
LONGEST_TEXT = 4000  # characters
POLL_INTERVAL = 0.1  # seconds between two checks for a cancellation
END_TIMEOUT = 3.0  # seconds that it has to end after a signal
# Variables that it gets from our environment.
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


def work_by_program(
    access: ProgramAccess,
    prompt: str,
    toolbox: Toolbox,
    limits: Limits,
    cancelled: Cancellation,
) -> BatchResult:
    """Let the program work through the batch. Nothing is raised: each way to end is a value."""
    agent = access.program
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder, ToolServer(toolbox) as server:
        tools = own_command("tray_app.cli", "mcp", "--batch", server.address)
        job = Job(access.choice.model, tuple(tools), Path(folder), limits)
        try:
            run = _Run(agent, job, prompt)
        except OSError as error:
            reason = f"{agent.program} could not be started: {error.strerror or error}."
            return replace(toolbox.recorded(), ending=BatchEnding.UNREACHABLE, problem=reason)

        stopped = run.wait(cancelled)

    return _result(agent, run, stopped, toolbox.recorded())


def _result(
    agent: Program, run: "_Run", stopped: BatchEnding | None, recorded: BatchResult
) -> BatchResult:
    if stopped:
        is_over_time = stopped is BatchEnding.OUT_OF_BUDGET
        problem = f"{agent.program} used up its time and was stopped." if is_over_time else ""
        return replace(recorded, ending=stopped, problem=problem)

    answer = _answer(agent, run)
    if not answer.problem:
        return replace(
            recorded,
            ending=BatchEnding.FINISHED,
            text=answer.text[:LONGEST_TEXT],
            usage=answer.usage,
        )

    ending = BatchEnding.OUT_OF_BUDGET if answer.is_over_budget else BatchEnding.UNREACHABLE
    problem = one_line(without_tokens(f"{agent.program}: {answer.problem}"), 300)
    return replace(recorded, ending=ending, usage=answer.usage, problem=problem)


def _answer(agent: Program, run: "_Run") -> ProgramAnswer:
    try:
        return agent.read(run.output)
    except (ValueError, KeyError, TypeError, AttributeError):
        said = one_line(without_tokens(run.error_output or run.output)) or "nothing"
        return ProgramAnswer(problem=f"it ended with exit code {run.exit_code} and said {said}")


class _Run:
    """The program's process, with its process group."""

    def __init__(self, agent: Program, job: Job, prompt: str) -> None:
        self._seconds = job.limits.time.total_seconds()
        self._is_out_of_time = False
        _write_settings(agent, job)
        self._process = subprocess.Popen(
            [agent.program, *agent.arguments(job)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=job.folder,
            env=_environment() | dict(agent.environment),
            start_new_session=True,
        )

        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._output = bytearray()
        self._errors = bytearray()
        self._threads = [
            _started(_feed, self._process.stdin, prompt.encode()),
            _started(_drain, self._process.stdout, self._output),
            _started(_drain, self._process.stderr, self._errors),
        ]

    def wait(self, cancelled: Cancellation) -> BatchEnding | None:
        """Wait for its end. Return why it was stopped, or None if it ended by itself."""
        timer = threading.Timer(self._seconds, self._run_out_of_time)
        timer.daemon = True
        timer.start()
        stopped: BatchEnding | None = None

        while stopped is None and self._is_running():
            if cancelled.is_set():
                stopped = BatchEnding.CANCELLED
            elif self._is_out_of_time:
                stopped = BatchEnding.OUT_OF_BUDGET

        timer.cancel()
        self._end()
        return stopped

    @property
    def output(self) -> str:
        return self._output.decode(errors="replace")

    @property
    def error_output(self) -> str:
        return self._errors.decode(errors="replace")[-LONGEST_TEXT:]

    @property
    def exit_code(self) -> int | None:
        return self._process.returncode

    def _is_running(self) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(POLL_INTERVAL)
            return False

        return True

    def _run_out_of_time(self) -> None:
        self._is_out_of_time = True

    def _end(self) -> None:
        """End its whole process group, so that what it started ends too."""
        for name in ("SIGTERM", "SIGKILL"):
            self._signal(name)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(END_TIMEOUT)

        for thread in self._threads:
            thread.join(END_TIMEOUT)

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
        while piece := pipe.read(65536):
            kept += piece[: LARGEST_ANSWER - len(kept)]


def _environment() -> dict[str, str]:
    """Our environment without our keys: the program has its own login."""
    return passed_on(os.environ, PASSED + (PASSED_ON_WINDOWS if os.name == "nt" else ()))


def _write_settings(agent: Program, job: Job) -> None:
    if settings := agent.settings(job):
        name, content = settings
        path = job.folder / name
        path.parent.mkdir()
        path.write_text(json.dumps(content), encoding="utf-8")
