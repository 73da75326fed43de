"""Lets an agent that is a program (`claude`, `codex`, `gemini`) work through a batch. Law: it ends with the batch.

It brings its own login and its own loop. From us it gets the prompt on standard input and the tools of this batch,
through `heartbeat mcp --batch`; it starts in an empty folder, with none of our keys in its environment.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from core.agent.agent_programs import AGENTS, Answer, CommandLineAgent, Job
from core.agent.batch_door import BatchDoor
from core.agent.tool import Toolbox
from core.model.agent import BatchEnding, BatchResult, Limits, ModelChoice
from core.ports import Cancellation
from core.rules.redacting import without_tokens
from core.rules.writing.harmless import one_line

LARGEST_ANSWER = 4 * 1024 * 1024
LONGEST_TEXT = 4000
GLANCE = 0.1  # seconds between two looks at the wish to end
GRACE = 3.0  # seconds to end by itself
SERVER = "heartbeat"
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
PASSED_ON_WINDOWS = ("APPDATA", "LOCALAPPDATA", "USERPROFILE", "SYSTEMROOT", "TEMP", "TMP", "PATHEXT", "COMSPEC")


def work(choice: ModelChoice, prompt: str, toolbox: Toolbox, limits: Limits, cancelled: Cancellation) -> BatchResult:
    """Let the agent work through the batch; whatever becomes of it is a value."""
    agent = AGENTS[choice.provider]
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder, BatchDoor(toolbox) as door:
        tools = (sys.executable, "-P", "-m", "tray_app.cli", "mcp", "--batch", door.address)
        job = Job(choice.model, tools, Path(folder), limits)
        try:
            run = _Run(agent, job, prompt)
        except OSError as error:
            reason = f"{agent.program} could not be started: {error.strerror or error}."
            return replace(toolbox.recorded(), ending=BatchEnding.UNREACHABLE, problem=reason)
        stopped = run.wait(cancelled)
    return _result(agent, run, stopped, toolbox.recorded())


def _result(agent: CommandLineAgent, run: "_Run", stopped: BatchEnding | None, recorded: BatchResult) -> BatchResult:
    if stopped:
        words = {BatchEnding.OUT_OF_BUDGET: f"{agent.program} used up its time and was ended."}
        return replace(recorded, ending=stopped, problem=words.get(stopped, ""))
    try:
        answer = agent.read(run.output)
    except (ValueError, KeyError, TypeError, AttributeError):
        said = one_line(without_tokens(run.complaint or run.output)) or "nothing"
        answer = Answer(problem=f"it ended with exit code {run.code} and said {said}")
    if not answer.problem:
        return replace(recorded, ending=BatchEnding.FINISHED, text=answer.text[:LONGEST_TEXT], usage=answer.usage)
    ending = BatchEnding.OUT_OF_BUDGET if answer.is_over_budget else BatchEnding.UNREACHABLE
    problem = one_line(without_tokens(f"{agent.program}: {answer.problem}"), 300)
    return replace(recorded, ending=ending, usage=answer.usage, problem=problem)


class _Run:
    """The agent's process, with its group."""

    def __init__(self, agent: CommandLineAgent, job: Job, prompt: str) -> None:
        self._seconds = job.limits.time.total_seconds()
        self._is_late = False
        _write_settings(agent, job)
        self._process = subprocess.Popen(
            [agent.program, *agent.words(job)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=job.folder,
            env=_environment() | dict(agent.environment),
            start_new_session=True,
        )
        self._kept = {"out": bytearray(), "err": bytearray()}
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._threads = [
            threading.Thread(target=_feed, args=(self._process.stdin, prompt.encode()), daemon=True),
            threading.Thread(target=_drain, args=(self._process.stdout, self._kept["out"]), daemon=True),
            threading.Thread(target=_drain, args=(self._process.stderr, self._kept["err"]), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def wait(self, cancelled: Cancellation) -> BatchEnding | None:
        """Until it has ended; why it had to, where it did not end by itself."""
        timer = threading.Timer(self._seconds, self._be_late)
        timer.daemon = True
        timer.start()
        stopped: BatchEnding | None = None
        while stopped is None and self._is_running():
            if cancelled.is_set():
                stopped = BatchEnding.CANCELLED
            elif self._is_late:
                stopped = BatchEnding.OUT_OF_BUDGET
        timer.cancel()
        self._end()
        return stopped

    @property
    def output(self) -> str:
        return self._kept["out"].decode(errors="replace")

    @property
    def complaint(self) -> str:
        return self._kept["err"].decode(errors="replace")[-LONGEST_TEXT:]

    @property
    def code(self) -> int | None:
        return self._process.returncode

    def _is_running(self) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GLANCE)
            return False
        return True

    def _be_late(self) -> None:
        self._is_late = True

    def _end(self) -> None:
        """All of its group: what it started for itself goes with it."""
        for number in ("SIGTERM", "SIGKILL"):
            self._signal(number)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
        for thread in self._threads:
            thread.join(GRACE)

    def _signal(self, name: str) -> None:
        if os.name == "nt":
            self._process.kill()
            return
        import signal

        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.Signals[name])


def _feed(pipe: IO[bytes], data: bytes) -> None:
    with suppress(OSError), pipe:
        pipe.write(data)


def _drain(pipe: IO[bytes], kept: bytearray) -> None:
    with suppress(OSError, ValueError), pipe:
        while piece := pipe.read(65536):
            kept += piece[: LARGEST_ANSWER - len(kept)]


def _environment() -> dict[str, str]:
    """No key of ours reaches it: it has a login of its own."""
    passed = PASSED + (PASSED_ON_WINDOWS if os.name == "nt" else ())
    return {name: value for name, value in os.environ.items() if name in passed or name.startswith("LC_")}


def _write_settings(agent: CommandLineAgent, job: Job) -> None:
    if settings := agent.settings(job):
        name, content = settings
        path = job.folder / name
        path.parent.mkdir()
        path.write_text(json.dumps(content), encoding="utf-8")
