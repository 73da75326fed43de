"""A person's computer for a test: its own home, settings, state and workspace, and the installed
command."""

import ast
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar
from zoneinfo import ZoneInfo

from core.adapters.ledger import SqliteLedger
from core.adapters.lock import FileLock
from tests.answers import check_answer
from tests.approving import approve_everything

COMMAND = str(Path(sys.executable).with_name("heartbeat"))  # as installed
Found = TypeVar("Found")
ONE_PERSON = threading.Lock()  # to approve here changes this process's own environment for a moment


def wait_for(look: Callable[[], Found | None], what: str, seconds: float = 30) -> Found:
    """What `look` finds, as soon as it finds something."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.02)
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


def action(identifier: str, command: str, *lines: str, priority: str = "MEDIUM") -> str:
    """A shell action as a person writes it; each further line is `key: value`."""
    return block(identifier, f"command: {command}", *lines, priority=priority)


def block(identifier: str, *lines: str, priority: str = "MEDIUM") -> str:
    """An action of any type; each line is `key: value`, with the lines below it if it has some."""
    rows = [f"id: {identifier}", *lines, "status: PENDING"]
    return (
        f"### [{priority}] {identifier}\n"
        + "".join(f"- **{row.replace(':', '**:', 1)}\n" for row in rows)
        + "\n"
    )


def workspace_text(*actions: str, header: str = "---\nversion: 1\nstatus: idle\n---\n") -> str:
    return f"{header}# Mine\n\n## Pending Actions\n\n{''.join(actions)}## Notes\n\nKeep this.\n"


# Python runs a module of this name at every start of an interpreter: it sees all of the program's
# processes.
WITNESS = """
import os, signal, sys, time

def dump(*_):
    with open({modules!r}, "w") as file:
        print(*sys.modules, "end", sep="\\n", file=file)

with open({starts!r}, "a") as file:
    print(repr((time.time(), os.getpid(), sys.orig_argv)), file=file)
if "tray_app.resident" in sys.orig_argv:
    signal.signal(signal.SIGUSR2, dump)
"""


class Start(NamedTuple):
    at: float
    pid: int
    words: list[str]


class Machine:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = folder / "workspace"
        self.config = folder / "config"
        self.states = folder / "states"
        self.file = self.workspace / "HEARTBEAT.md"
        for place in (folder / "home", self.workspace, self.config):
            place.mkdir(parents=True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "home"),
            "LANG": "C.UTF-8",
            "TZ": "Europe/Berlin",
            "HEARTBEAT_CONFIG_DIR": str(self.config),
            "HEARTBEAT_STATE_DIR": str(self.states),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        }
        self.says_yes = True  # the person approves whatever the file holds before each beat

    # -- the workspace -----------------------------------------------------------------------------

    def write(self, *actions: str) -> str:
        text = workspace_text(*actions)
        self.file.write_text(text, encoding="utf-8")
        return text

    def text(self) -> str:
        return self.file.read_text(encoding="utf-8")

    def lines(self, name: str) -> list[str]:
        """Those of a file in the workspace; none where there is no such file."""
        path = self.workspace / name
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def allow_notifications(self) -> None:
        """Let the quiet hours be far from now, whenever the test runs."""
        hour = (datetime.now(ZoneInfo(self.environment["TZ"])).hour + 12) % 24
        (self.config / "config.toml").write_text(f'quiet = "{hour:02}:00-{hour:02}:01"\n')

    def register_editor(self) -> None:
        """Make the desktop open text files with a program that notes in ~/opened what it was
        given."""
        home = self.folder / "home"
        editor = home / "editor"
        editor.write_text('#!/bin/sh\necho "$@" > ~/opened\n')
        editor.chmod(0o700)
        applications = home / ".local" / "share" / "applications"
        applications.mkdir(parents=True)
        (applications / "editor.desktop").write_text(
            f"[Desktop Entry]\nType=Application\nName=Editor\nExec={editor} "
            "%f\nMimeType=text/markdown;text/plain;\n"
        )
        (home / ".config").mkdir()
        (home / ".config" / "mimeapps.list").write_text(
            "[Default Applications]\ntext/markdown=editor.desktop\ntext/plain=editor.desktop\n"
        )
        self.environment["DISPLAY"] = (
            ":nowhere"  # xdg-open asks whether there is one before it looks for programs
        )
        self.environment["XDG_CONFIG_DIRS"] = str(home)

    def opened_file(self) -> Path:
        """What the registered editor was given, as soon as it was."""
        opened = self.folder / "home" / "opened"
        return Path(
            wait_for(lambda: opened.read_text() if opened.exists() else "", "the editor").strip()
        )

    # -- the state ---------------------------------------------------------------------------------

    @property
    def state(self) -> Path:
        """The workspace's own folder."""
        (folder,) = (path for path in self.states.iterdir() if path.is_dir())
        return folder

    def ledger(self) -> SqliteLedger:
        return SqliteLedger(self.state / "ledger.db")

    def resident_pid(self) -> int:
        """Of the always-on process; 0 where there is none."""
        holder = FileLock(self.state / "resident.lock").holder()
        return holder.pid if holder else 0

    # -- processes ---------------------------------------------------------------------------------

    def witness_starts(self) -> None:
        """From now on every process of the program is noted when it starts."""
        folder = self.folder / "witness"
        folder.mkdir()
        names = {"modules": str(folder / "modules"), "starts": str(folder / "starts")}
        (folder / "sitecustomize.py").write_text(WITNESS.format(**names))
        self.environment["PYTHONPATH"] = str(folder)

    def starts(self, kind: str) -> list[Start]:
        """The children of this kind (plan, beat) that have been started."""
        path = self.folder / "witness" / "starts"
        lines = path.read_text().splitlines() if path.exists() else []
        return [
            start for start in map(read_start, lines) if start.words[3:5] == ["core.child", kind]
        ]

    def loaded_modules(self, resident: "Running") -> set[str]:
        """What the running always-on process holds at this moment."""
        dump = self.folder / "witness" / "modules"
        dump.unlink(missing_ok=True)
        resident.process.send_signal(signal.SIGUSR2)
        wait_for(
            lambda: dump.exists() and dump.read_text().endswith("\nend\n"), "the list of modules"
        )
        return set(dump.read_text().splitlines())

    # -- commands ----------------------------------------------------------------------------------

    def heartbeat(self, *words: str, before: Sequence[str] = (), timeout: float = 60) -> Done:
        """`heartbeat WORDS` in the workspace, to its end."""
        if "run" in words and "--dry-run" not in words:
            self.approve()
        done = subprocess.run(
            [*before, COMMAND, *words],
            cwd=self.workspace,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def json(self, *words: str, code: int = 0) -> Any:
        done = self.heartbeat(*words, "--json")
        assert done.code == code, done
        found = self.read_json(done)
        check_answer(words, found)
        return found

    def read_json(self, done: Done) -> Any:
        """What a command said with --json, however it ended."""
        assert done.out, done
        return json.loads(done.out)

    def start(self, *words: str, log: str = "started.log", before: Sequence[str] = ()) -> "Running":
        """A command that goes on: in a process group of its own, what it says in a log."""
        self.approve()
        return Running(self, [*before, COMMAND, *words], self.folder / log)

    def approve(self) -> None:
        """Say yes to all that the file holds now."""
        if self.says_yes and self.workspace.is_dir():
            with ONE_PERSON:
                approve_everything(self.workspace, self.environment)


def read_start(line: str) -> Start:
    at, pid, words = ast.literal_eval(line)
    return Start(at, pid, words)


class Running:
    def __init__(self, machine: Machine, command: Sequence[str], log: Path) -> None:
        self._log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                command,
                cwd=machine.workspace,
                env=machine.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def said(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def wait_until_said(self, words: str, seconds: float = 15) -> None:
        wait_for(lambda: words in self.said(), f"'{words}' in: {self.said()}", seconds)

    def end(self, number: signal.Signals = signal.SIGTERM, seconds: float = 15) -> int:
        """Send a signal; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End it; where it does not end, kill it with all that is in its group, and fail."""
        if self.process.poll() is not None:
            return

        try:
            self.end()
        except subprocess.TimeoutExpired:
            os.killpg(self.pid, signal.SIGKILL)
            self.process.wait()
            raise
