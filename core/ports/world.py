"""What a beat and what the resident can touch: one line per port.

`core/services.py` implements both on a real machine. A new port needs its contract in this folder,
a line here, and a property there.
"""

from __future__ import annotations  # types only: a port imports nothing

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from core.model.settings import Settings
    from core.ports.files import (
        FileInspector,
        FileWorker,
        Scripts,
        UndoStore,
        Views,
        WorkspaceFiles,
        WorkspaceIdentity,
    )
    from core.ports.ledger import Ledger
    from core.ports.model import Agent
    from core.ports.outside import Approvals, Http, Messenger
    from core.ports.processes import (
        Background,
        Cancellation,
        Children,
        LastLines,
        Lock,
        Processes,
        Sandbox,
    )
    from core.ports.waiting import Clock, OwnerFile, Waiting, Waker, Watcher


class World(Protocol):
    """All that a beat can touch."""

    @property
    def root(self) -> Path:
        """The workspace."""
        ...

    @property
    def home(self) -> Path:
        """The person's home folder, which `~` means."""
        ...

    @property
    def settings(self) -> Settings: ...

    def with_settings(self, settings: Settings) -> World:
        """The same world under other settings."""
        ...

    @property
    def protected(self) -> tuple[Path, ...]:
        """What no sandboxed command may change, besides the names that every workspace has."""
        ...

    @property
    def hidden(self) -> tuple[Path, ...]:
        """What no sandboxed command may see."""
        ...

    @property
    def clock(self) -> Clock: ...

    @property
    def ledger(self) -> Ledger: ...

    @property
    def lock(self) -> Lock:
        """Held while a beat or a plan is at work in the workspace."""
        ...

    @property
    def model_lock(self) -> Lock:
        """Held while a batch is with the model, instead of the workspace's."""
        ...

    @property
    def identity(self) -> WorkspaceIdentity: ...

    @property
    def files(self) -> WorkspaceFiles: ...

    @property
    def file_worker(self) -> FileWorker: ...

    @property
    def file_inspector(self) -> FileInspector: ...

    @property
    def scripts(self) -> Scripts: ...

    @property
    def undo(self) -> UndoStore: ...

    @property
    def views(self) -> Views: ...

    @property
    def approvals(self) -> Approvals: ...

    @property
    def processes(self) -> Processes: ...

    @property
    def sandbox(self) -> Sandbox: ...

    @property
    def background(self) -> Background: ...

    @property
    def last_lines(self) -> LastLines: ...

    @property
    def http(self) -> Http: ...

    @property
    def messenger(self) -> Messenger: ...

    @property
    def agent(self) -> Agent: ...

    @property
    def cancelled(self) -> Cancellation:
        """Set when the person or the system wants the beat to end."""
        ...

    def secret(self, name: str) -> str:
        """The value of a keyring name; HeartbeatError if it has none."""
        ...

    def watched_since(self) -> datetime | None:
        """When the resident that is running now was started."""
        ...

    def wake_resident(self) -> None:
        """Make the resident, if one is running, read the ledger and the locks again."""
        ...


class ResidentWorld(Protocol):
    """All that the resident can touch."""

    @property
    def root(self) -> Path:
        """The workspace."""
        ...

    @property
    def clock(self) -> Clock: ...

    @property
    def ledger(self) -> Ledger: ...

    @property
    def lock(self) -> Lock:
        """Held while a beat or a plan is at work in the workspace."""
        ...

    @property
    def model_lock(self) -> Lock:
        """Held while a batch is with the model."""
        ...

    @property
    def children(self) -> Children: ...

    @property
    def background(self) -> Background: ...

    @property
    def last_lines(self) -> LastLines: ...

    @property
    def watcher(self) -> Watcher: ...

    @property
    def changed(self) -> Waker:
        """Set by the watcher."""
        ...

    @property
    def waiting(self) -> Waiting: ...

    @property
    def owner_file(self) -> OwnerFile: ...

    def is_away(self) -> bool:
        """Whether the workspace's folder is not there now, is empty or cannot be entered."""
        ...

    @property
    def machine_id(self) -> str:
        """This machine's, as the owner file would name it."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """What the children get."""
        ...

    @property
    def child_log(self) -> Path:
        """For what the children print."""
        ...

    def last_log_line(self) -> str:
        """The last line of that log."""
        ...

    def child_command(self, words: Sequence[str]) -> Sequence[str]:
        """The command line of a child: `plan` or `beat`, with its options."""
        ...

    def starts_at_login(self) -> bool: ...
