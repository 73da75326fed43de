"""All that a beat can touch, in one value."""

import threading
from dataclasses import dataclass, field
from pathlib import Path

from core.model.settings import Settings
from core.ports import Clock, Ledger, Lock, Processes, Views, WorkspaceFiles


@dataclass(frozen=True, slots=True)
class World:
    root: Path  # the workspace
    settings: Settings
    clock: Clock
    files: WorkspaceFiles
    ledger: Ledger
    lock: Lock
    processes: Processes
    views: Views
    cancelled: threading.Event = field(default_factory=threading.Event)  # the person or the system wants it to end
