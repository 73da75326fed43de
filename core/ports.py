"""Every way the engine touches the world: one page of contracts. A method's docstring is what callers rely on."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from core.model.owner import Owner
from core.model.workspace_file import Reading, Snapshot, Writing


class WorkspaceFile(Protocol):
    """One file that a person edits while the program reads and writes it."""

    def read(self, last_size: int | None, now: datetime) -> Reading:
        """The file as a whole, not in the middle of a save: a file touched in the last 300 ms is looked at again
        until it rests, and one that was `last_size` bytes long and is now missing, empty or at most half as long is
        believed after a second look 1 s later. Never raises for what the file is: a refusal is a value."""

    def write(self, base: Snapshot, change: Callable[[bytes], bytes | None], now: datetime) -> Writing:
        """Write `change(base.data)` (None: nothing to change). `base` is what was read, or what the last `Written`
        holds. What the person saved since stays, line by line, also where `change` touched the same lines.
        The file is exchanged whole; its mode, owner, links and every unchanged byte stay. Nothing is written where
        that changes nothing, and `Postponed` or `Failed` leave the file to the person as it is. Each version of the
        person that is displaced is kept. Only the holder of the workspace's lock may call it."""


class Watcher(Protocol):
    """Tells of changes that a person made to HEARTBEAT.md, the prompts, the memory file and the settings.

    One call of `deliver` (in the watcher's thread, with the paths) a change, however an editor saves: 300 ms after
    its last step, at most 2 s after its first; for a file that vanished or shrank to half, 1 s later. Never for what
    the program itself wrote, nor for a save that changed nothing."""

    def start(self) -> None:
        """Watch from now on; what the files hold now is known. HeartbeatError: they can be watched only by `look`."""

    def look(self) -> None:
        """Look at the files even if the system told nothing: at every tick, and after a sleep. Returns at once."""

    def stop(self) -> None:
        """End, and wait for the end; nothing is delivered after it."""


class OwnerFile(Protocol):
    """Which machine runs a workspace that several share."""

    def read(self) -> Owner | None:
        """The owner; None where the file is missing or names nobody. HeartbeatError where it cannot be read."""

    def claim(self, now: datetime) -> Owner:
        """The owner, who is this machine where there was none. Never takes a workspace from another machine."""

    def take_over(self, now: datetime) -> Owner:
        """Make this machine the owner, whoever was it."""
