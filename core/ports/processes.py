"""Commands, child processes, and the locks that keep them apart."""

from __future__ import annotations  # types only: a port imports nothing

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from core.model.holder import Holder, Purpose
    from core.model.occurrence import Occurrence
    from core.model.process import (
        Command,
        Ending,
        NoLine,
        NotFound,
        NotSent,
        NotStarted,
        ProgramCall,
        ProgramEnding,
    )
    from core.model.sandbox import Reach, SandboxEnding, SandboxState


class HeldLock(Protocol):
    """A lock that we hold, until released or until the process ends, however it ends."""

    def release(self) -> None:
        """Give it up; a second time does nothing."""
        ...

    def __enter__(self) -> HeldLock: ...

    def __exit__(self, *exception: object) -> None: ...


class Lock(Protocol):
    """At most one process has it. A child process never inherits it."""

    def acquire(self, purpose: Purpose, now: datetime) -> HeldLock | Holder:
        """Take it, or say at once who has it."""
        ...

    def wait(self, purpose: Purpose, now: datetime) -> HeldLock:
        """Take it as soon as no other process has it."""
        ...

    def holder(self) -> Holder | None:
        """Who has it, without taking it."""
        ...


class Cancellation(Protocol):
    """A request that what is running should stop. Once set it stays set."""

    def is_set(self) -> bool:
        """Whether it is set; costs nothing, so ask often."""
        ...

    def fileno(self) -> int:
        """A descriptor that is readable once it is set, so that a wait can include it."""
        ...


class Processes(Protocol):
    """Runs commands, one per call; calls from several threads may overlap.

    - The command gets no input, a short list of harmless variables, and those it brings. No key,
      token, session bus or descriptor of this program reaches it.
    - It is over when its shell ends. What it left running, also in the background or in a session
      of its own, is asked to end, given 2.5 s, and then killed.
    - At its timeout, or when it is cancelled, the same happens to all of it. The call returns at
      the latest 5 s after.
    - Cancelled before the call: nothing is started.
    - The first and the last half MiB of what it printed are kept. Memory stays bounded whatever it
      prints.
    - While it runs, `on_line` gets the last whole line that it has printed: about a second after it
      first printed something, then at most about once per second, never the same one twice in a
      row, and never a blank one. A line that is longer than
      64 KiB is left out.
    - This process starts no other children while a command runs: such a child would be taken for
      something that the command left.
    - Every way to end is an Ending, also a command that cannot be started; nothing is raised.
    """

    def run(
        self,
        command: Command,
        cancelled: Cancellation | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> Ending: ...

    def kill_all(self) -> None:
        """Kill every command that is running now, without asking it to end: for a signal
        handler, before the program itself ends at once."""
        ...

    def end_left_by(self, pid: int) -> None:
        """End what the commands of one of our processes left running when it was killed: ask, wait
        3 s, kill. Does nothing if that process is still alive."""
        ...


class Sandbox(Protocol):
    """Runs commands as Processes does, but each in a sandbox: what is not in its reach does not
    exist for it.

    - It sees the system's programs, the workspace and the folders of its reach, and nothing of this
      program: no variable, descriptor, process, home, session bus or key ring.
    - It talks to the hosts of its reach, by http and https and by name, and to no others; hosts
      that it was refused are in the ending.
    - Files that control Heartbeat (CONTROL_NAMES, `protected`) are unchanged after it has ended; a
      file with such a name that it made is gone. Nothing of the sandbox itself is left in
      the workspace.
    - It gets no time to clean up: at its timeout, or when cancelled, all of it is killed at once.
    - Where no sandbox works, or the reach cannot be given, nothing is started and the ending says
      why.
    """

    def state(self) -> SandboxState:
        """Whether one works here, by running one; asked once per process, then remembered."""
        ...

    def run(
        self,
        command: Command,
        reach: Reach,
        cancelled: Cancellation | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> SandboxEnding: ...


class AgentPrograms(Protocol):
    """Runs agents of others that are programs, one per call; each has its own login.

    - It gets its text as standard input, the variables it needs to find its login, and those of
      the call. No key, token, session bus or descriptor of this program reaches it.
    - It starts in a folder of its own, with the files of the call and nothing else. The folder is
      removed after the call, unless something that left the process group still writes there.
    - A character of its text that UTF-8 does not have reaches it as `?`.
    - It is over when it ends. What it left running in its process group is killed.
    - At its timeout, or when it is cancelled, it is asked to end with its process group, given
      3 s, and then killed. The call returns at the latest 16 s after; usually at once.
    - Cancelled before the call: nothing is started.
    - The first 4 MiB of its output and of its errors are kept. Memory stays bounded whatever it
      prints.
    - Every way to end is a ProgramEnding, also a program that cannot be started; nothing is
      raised.
    """

    def run(self, call: ProgramCall, cancelled: Cancellation) -> ProgramEnding: ...


class ToolServerProcess(Protocol):
    """A tool server that was started. We talk with it line by line; each method may be called from
    another thread."""

    def send(self, line: bytes) -> NotSent | None:
        """Hand it a line, which needs no line break, without waiting until it reads it. UNREAD: it
        has left 256 lines unread. ENDED: it was ended, or its input is closed; shortly after it
        has closed it, a line may still be accepted and lost."""
        ...

    def receive(self) -> bytes | NoLine:
        """Its next line without the line break; waits for it, in one thread at a time. After
        ENDED there is nothing else. Of a line that is too long nothing is kept."""
        ...

    def end(self) -> None:
        """Close its input, wait 2 s, ask all of it to end, wait 2 s, kill. "All of it" is what it
        started, also in the background, and on Linux also in a session of its own. Returns at the
        latest after 7 s; usually at once. May be repeated.

        Only a process that left group, parent and environment behind is out of reach."""
        ...


class ToolServerProcesses(Protocol):
    """Starts tool servers: programs of others that we talk with through their standard input and
    output.

    - A server gets exactly the variables of the call, besides one that names the process it belongs
      to. No key, token, session bus or descriptor of this program reaches it.
    - What it writes to its standard error is dropped.
    - Several run at the same time, and beside commands: neither ends the other.
    - A program that cannot be started is a NotStarted; nothing is raised.
    """

    def start(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> ToolServerProcess | NotStarted:
        """Start it in the folder. `words` are its name, as the PATH of the call knows it, and its
        arguments."""
        ...

    def is_installed(self, program: str, folder: Path, environment: Mapping[str, str]) -> bool:
        """Whether `start` would find a program of this name there. Nothing is started."""
        ...


class Child(Protocol):
    """A process that we started and that runs at the same time."""

    @property
    def pid(self) -> int: ...

    def fileno(self) -> int:
        """A descriptor that is readable once the child has ended, for a wait over several
        things: to watch, not to read. poll() then says how; where it says None still (a system
        without pidfd), ask it again. Valid until close()."""
        ...

    def poll(self) -> int | None:
        """None while it runs; from then on its exit code, or -n if signal n ended it. Calling
        this frees its entry in the process table."""
        ...

    def ask_to_end(self) -> None:
        """Ask it to clean up and end (TERM; CTRL_BREAK on Windows). Harmless once it has ended."""
        ...

    def kill(self) -> None:
        """End it at once, with its process group. Harmless once it has ended."""
        ...

    def close(self) -> None:
        """Give the descriptor back; the child itself goes on. May be repeated."""
        ...


class Children(Protocol):
    """Starts processes of our own, for the resident: cheap, without a thread or an
    event loop."""

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None
    ) -> Child:
        """Start a program (its absolute path comes first) in a process group of its own, with
        exactly this environment, no input and none of our descriptors.

        What it prints is added to the log, made for the owner alone where it is missing; without
        a log it is dropped. How large a log may grow is the caller's business. A program that
        cannot be started is a HeartbeatError.
        """
        ...


class OwnCommands(Protocol):
    """Runs commands of this program in processes of their own: what one loads or breaks is gone
    with it, and what it leaves running on purpose goes on."""

    def output(self, arguments: Sequence[str]) -> str:
        """Run it (its absolute path comes first) with our environment and no input, and return
        what it printed, whatever its exit code; its errors are dropped. Waits for as long as it
        takes. A program that cannot be started is a HeartbeatError."""
        ...


class OtherProcess(Protocol):
    """A process of ours that this one did not start. Nothing here reaches any other process, also
    where this one has ended and its number is in use again."""

    def ask_to_end(self) -> None:
        """Ask it to clean up and end; one that is stopped goes on for that. On Windows it ends at
        once. Harmless once it has ended."""
        ...

    def kill(self) -> None:
        """End it at once, without what it started. Harmless once it has ended."""
        ...

    def has_ended_within(self, seconds: float) -> bool:
        """Wait for its end, for that long at most."""
        ...

    def close(self) -> None:
        """Give its descriptor back. May be repeated."""
        ...


class OtherProcesses(Protocol):
    """Finds processes of ours that this one did not start: a beat of another terminal."""

    def find(self, pid: int, is_still_it: Callable[[], bool]) -> OtherProcess | NotFound:
        """The process with this number. `is_still_it` says whether the number still belongs to the
        process that is meant; it is asked after the process is held fast."""
        ...


class LastLines(Protocol):
    """What each running item printed last, for other processes to show. The caller has taken
    secrets and control characters out.

    - It is a view and nothing depends on it: a line that cannot be written is lost without an
      error, and one that cannot be read is empty.
    - Nothing is flushed to the disk, so that a line costs next to nothing.
    """

    def tell(self, item: str, line: str) -> None:
        """The item has printed this line; it replaces the one before."""
        ...

    def of(self, item: str) -> str:
        """Its last line; empty if there is none."""
        ...

    def forget(self, item: str) -> None:
        """It has ended. Harmless where there is no line."""
        ...


class Background(Protocol):
    """Actions that run in processes of their own, which outlive the beat and the resident."""

    def start(self, occurrence: Occurrence) -> None:
        """Run the started occurrence's action; the process that runs it records its end in the
        ledger."""
        ...

    def is_running(self, item: str) -> bool:
        """Whether such a process of this item is alive."""
        ...
