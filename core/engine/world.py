"""All that a beat can touch, in one value."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.model.settings import Settings
from core.ports import Cancellation, Clock, Ledger, Lock, Processes, Views, WorkspaceFiles


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
    cancelled: Cancellation  # the person or the system wants the beat to end
    cancel: Callable[[], None]  # sets it
