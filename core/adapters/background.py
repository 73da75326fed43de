"""Runs BG actions in processes of their own. Each holds a lock for as long as it lives, so that others see it."""

import os
import sys
import zlib
from pathlib import Path

from core.adapters.lock import FileLock
from core.adapters.log_files import fresh_log
from core.model.holder import Holder
from core.model.occurrence import Occurrence
from core.ports import Children, Clock, HeldLock


class BackgroundProcesses:
    """The `Background` port."""

    def __init__(self, root: Path, state: Path, clock: Clock, children: Children) -> None:
        self._children = children
        self._root = root
        self._state = state
        self._clock = clock

    def start(self, occurrence: Occurrence) -> None:
        # -P: else a file of the workspace that is named like a module of ours would run in its place
        words = [sys.executable, "-P", "-m", "core.child", "background", str(self._root)]
        options = ["--items", occurrence.item, "--slot", occurrence.slot.isoformat()]
        log = fresh_log(self._state / "logs" / "background.log")
        self._children.start([*words, *options], os.environ, log).close()

    def is_running(self, item: str) -> bool:
        return self._lock(item).holder() is not None

    def hold(self, item: str) -> HeldLock | Holder:
        """For the process itself: what says that it lives."""
        return self._lock(item).acquire("background", self._clock.now())

    def _lock(self, item: str) -> FileLock:
        return FileLock(self._state / "background" / f"{zlib.crc32(item.encode()):08x}.lock")
