"""The clock, and what wakes the resident."""

from __future__ import annotations  # types only: a port imports nothing

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, tzinfo
    from pathlib import Path

    from core.model.holder import Owner


class Clock(Protocol):
    """The time and the system's time zone. Nothing is cached: a clock that was set and a person
    who travelled are seen at the next call."""

    def now(self) -> datetime:
        """The current time, in UTC."""
        ...

    def zone(self) -> tzinfo:
        """The system's time zone."""
        ...

    def monotonic(self) -> float:
        """Seconds that go on evenly, also where the clock is set."""
        ...


class Source(Protocol):
    """Something that a loop waits for."""

    def fileno(self) -> int:
        """A descriptor that becomes readable when there is something to handle; -1: none at the
        moment."""
        ...

    def wait_limit(self) -> float | None:
        """Seconds after which to call handle_ready in any case; None: no limit."""
        ...

    def handle_ready(self) -> None:
        """Handle what is ready. Returns at once."""
        ...


class Waiting(Protocol):
    """Sleeps for the resident, without waking in between."""

    def wait(self, sources: Sequence[Source], until: datetime | None) -> bool:
        """Sleep until a source is ready (it is then handled) or the wall clock has reached the
        moment, also where the machine slept meanwhile. True: the clock was set. It may return
        early."""
        ...


class Waker(Source, Protocol):
    """A request to wake that comes from another thread or a signal; it stays until taken."""

    def take(self) -> bool:
        """Whether there was one since the last time."""
        ...


class Watcher(Protocol):
    """Reports changes that a person made to HEARTBEAT.md, the prompts, the memory file and the
    settings.

    One call of `deliver` (in the watcher's thread, with the paths) per change, however an editor
    saves: 300 ms after its last step, at most 2 s after its first; for a file that vanished or
    shrank to half, 1 s later. Never for what the program itself wrote, nor for a save that
    changed nothing."""

    def start(self) -> None:
        """Start watching; the present content counts as known. HeartbeatError: changes are found
        only by `check`."""

    def check(self) -> None:
        """Read the files again, even if the system reported nothing: at every tick, and after a
        sleep. Returns at once."""

    def follow(self, file: Path) -> None:
        """Watch this file of the workspace too: the settings may name a file other than
        HEARTBEAT.md, and a command may name a script. A file that was not known is delivered.
        Returns at once."""

    def stop(self) -> None:
        """End, and wait for the end; nothing is delivered after it."""


class OwnerFile(Protocol):
    """Which machine runs a workspace that several share."""

    def read(self) -> Owner | None:
        """The owner; None if the file is missing or names no machine. HeartbeatError if it
        cannot be read."""

    def claim(self, now: datetime) -> Owner:
        """The owner, who is this machine where there was none. Never takes a workspace from
        another machine."""

    def take_over(self, now: datetime) -> Owner:
        """Make this machine the owner, also where another one was."""
