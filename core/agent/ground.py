"""What the tools of one batch stand on: the ports that they reach the world through, handed in by bootstrap."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.model.settings import McpServer, Settings
from core.model.workspace import Workspace
from core.ports import (
    AllowedWeb,
    Cancellation,
    Clock,
    FileLook,
    FileWorker,
    Ledger,
    Lock,
    Messenger,
    PromptStore,
    Sandbox,
    UndoFolder,
    WorkspaceFiles,
)


@dataclass(frozen=True, slots=True)
class Ground:
    root: Path  # the workspace
    home: Path  # where a `~` in a tag leads
    settings: Settings
    protected: tuple[Path, ...]  # what no command may change, beside the names that every workspace has
    hidden: tuple[Path, ...]  # what none may see
    clock: Clock
    workspace: Callable[[], Workspace]  # as it is at this moment
    look: FileLook  # that does not look into what is hidden
    files: WorkspaceFiles  # for the two files that the person edits too
    worker: FileWorker  # that refuses what steers the program
    own_worker: FileWorker  # for what a tool writes in its own name
    undo: UndoFolder  # all that one batch displaces comes back together
    heartbeat_undo: UndoFolder  # but for HEARTBEAT.md: what is written there later must not keep the rest from it
    lock: Lock  # the workspace's, for the moment of writing HEARTBEAT.md
    sandbox: Sandbox
    web: AllowedWeb
    messenger: Messenger
    prompts: PromptStore
    open_ledger: Callable[[], Ledger]  # a connection of its own: tools may be called from any thread
    secrets: Callable[[], tuple[str, ...]]  # the values that must not get out, as far as this process knows them
    servers: Mapping[str, McpServer]  # those that the person has approved
    environment: Mapping[str, str]  # what a server sees of ours
    cancelled: Cancellation | None = None

    def grants(self, tag: str) -> bool:
        return tag in self.settings.agent.permissions
