"""Every way the engine touches the world. A docstring here is a contract: one test suite holds each adapter to it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from core.model.process import Command, Ending


class Cancellation(Protocol):
    """Somebody's wish that what is running should stop. Once set it stays set."""

    def is_set(self) -> bool: ...

    def fileno(self) -> int:
        """A descriptor that is readable from the moment it is set, so that a wait can include it."""
        ...


class Processes(Protocol):
    """Runs commands, one a call; calls from several threads may overlap.

    - The command gets no input, a short list of harmless variables, and those it brings. No key, token, session bus
      or descriptor of this program reaches it.
    - It is over when its shell ends. Whatever it left running, also in the background or in a session of its own, is
      asked to end, given 2.5 s, and then killed.
    - At its timeout, or when it is cancelled, the same happens to all of it. The call returns at the latest 5 s after.
    - Cancelled before the call: nothing is started.
    - The first and the last half MiB of what it printed are kept. Memory stays bounded whatever it prints.
    - Where this process starts children of its own by other means, it does so while no command runs: one that appears
      meanwhile is taken for something the command left.
    - Every way to end is an Ending, also a command that cannot be started; nothing is raised.
    """

    def run(self, command: Command, cancelled: Cancellation | None = None) -> Ending: ...


class Child(Protocol):
    """A process of our own that goes on beside us."""

    @property
    def pid(self) -> int: ...

    def fileno(self) -> int:
        """A descriptor that is readable once the child has ended, for a wait over several things: to watch, not to
        read. poll() then says how; where it says None still (a system without pidfd), ask it again. Valid until
        close()."""
        ...

    def poll(self) -> int | None:
        """None while it runs; then, and ever after, its exit code, or -n where signal n ended it. Asking is what
        frees its entry in the process table."""
        ...

    def ask_to_end(self) -> None:
        """Let it clean up and end (TERM; CTRL_BREAK on Windows). Harmless once it has ended."""
        ...

    def kill(self) -> None:
        """End it at once, with its process group. Harmless once it has ended."""
        ...

    def close(self) -> None:
        """Give the descriptor back; the child itself goes on. May be repeated."""
        ...


class Children(Protocol):
    """Starts processes of our own, for the always-on process: cheap, without a thread or an event loop."""

    def start(self, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None) -> Child:
        """Start a program (its absolute path comes first) in a process group of its own, with exactly this
        environment, no input and none of our descriptors.

        What it prints is added to the log, made for the owner alone where it is missing; without a log it is dropped.
        How large a log may grow is the caller's business. A program that cannot be started is a HeartbeatError.
        """
        ...
