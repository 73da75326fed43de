"""All that a beat can touch, in one value."""

from __future__ import annotations  # a beat that has nothing to do imports little

from typing import TYPE_CHECKING

from core.model.value import dataclass
from core.rules.planning import zone_of
from core.rules.timing.zones import in_zone

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from core.model.settings import Settings
    from core.model.workspace import Workspace
    from core.ports import (
        Agent,
        Approvals,
        Background,
        Cancellation,
        Clock,
        FileLook,
        FileWorker,
        Http,
        Ledger,
        Lock,
        Messenger,
        Processes,
        Sandbox,
        Scripts,
        UndoStore,
        Views,
        WorkspaceFiles,
    )


@dataclass(frozen=True, slots=True)
class World:
    root: Path  # the workspace
    settings: Settings
    clock: Clock
    files: WorkspaceFiles
    ledger: Ledger
    lock: Lock
    processes: Processes
    sandbox: Sandbox
    protected: tuple[Path, ...]  # what no sandboxed command may change, beside the names that every workspace has
    hidden: tuple[Path, ...]  # what none may see
    approvals: Approvals
    scripts: Scripts
    watched_since: Callable[[], datetime | None]  # when the always-on process started that is running now
    http: Http
    file_worker: FileWorker
    file_look: FileLook
    undo: UndoStore
    messenger: Messenger
    background: Background
    secret: Callable[[str], str]  # the value of a keyring name; HeartbeatError where it has none
    views: Views
    cancelled: Cancellation  # the person or the system wants the beat to end
    cancel: Callable[[], None]  # sets it
    agent: Agent
    model_lock: Lock  # held while a batch is with the model, instead of the workspace's
    wake_resident: Callable[[], None]  # lets the always-on process look at the ledger and the locks

    def local(self, moment: datetime, workspace: Workspace) -> datetime:
        """The moment in the workspace's zone: the ledger counts days by it."""
        return in_zone(moment, zone_of(workspace.document, self.clock.zone()))
