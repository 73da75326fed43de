"""What the tools of one batch work with: the world of the beat, and a few values of the batch."""

from __future__ import annotations  # the types below are imported only for type checkers

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from core.model.settings import McpServer, Settings
    from core.model.workspace import Workspace
    from core.ports.files import FileInspector, FileWorker, PromptStore, UndoFolder, WorkspaceFiles
    from core.ports.ledger import Ledger
    from core.ports.outside import AllowedWeb, Messenger
    from core.ports.processes import Cancellation, Lock, Sandbox, ToolServerProcesses
    from core.ports.waiting import Clock


class ToolWorld(Protocol):
    """All that a tool can touch. It starts no command outside the sandbox, reads no secret and
    approves nothing."""

    # -- of the beat
    @property
    def root(self) -> Path: ...

    @property
    def home(self) -> Path: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def lock(self) -> Lock: ...

    @property
    def files(self) -> WorkspaceFiles: ...

    @property
    def file_worker(self) -> FileWorker: ...

    @property
    def sandbox(self) -> Sandbox: ...

    @property
    def protected(self) -> tuple[Path, ...]: ...

    @property
    def hidden(self) -> tuple[Path, ...]: ...

    @property
    def messenger(self) -> Messenger: ...

    @property
    def cancelled(self) -> Cancellation: ...

    # -- of the batch
    def workspace(self) -> Workspace:
        """The workspace, read again at each call."""
        ...

    def grants(self, tag: str) -> bool:
        """Whether the person has granted the model this permission."""
        ...

    @property
    def shown_files(self) -> FileInspector:
        """The files that the model may see: without those that are hidden."""
        ...

    @property
    def guarded_worker(self) -> FileWorker:
        """Writes what the model asks for, and refuses what controls the program. `file_worker`
        is for files that a tool of ours writes by itself."""
        ...

    @property
    def undo_folder(self) -> UndoFolder:
        """What one batch overwrites or deletes; an undo brings it back together."""
        ...

    @property
    def heartbeat_undo_folder(self) -> UndoFolder:
        """For HEARTBEAT.md alone: what is written there later must not prevent the undo of the
        rest."""
        ...

    @property
    def allowed_web(self) -> AllowedWeb: ...

    @property
    def prompt_store(self) -> PromptStore: ...

    def open_ledger(self) -> Ledger:
        """A separate connection: tools may be called from any thread."""
        ...

    def secret_values(self) -> tuple[str, ...]:
        """The secrets that this process knows; none of them may leave it."""
        ...

    @property
    def servers(self) -> Mapping[str, McpServer]:
        """The MCP servers that the person has approved."""
        ...

    @property
    def tool_servers(self) -> ToolServerProcesses: ...

    @property
    def server_environment(self) -> Mapping[str, str]:
        """The environment variables that a server gets."""
        ...
