"""Runs BG actions in processes of their own. Each holds a lock while it runs, so that others see
that it is running."""

import os
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from core.adapters.files.logs import fresh_log
from core.adapters.lock import FileLock
from core.model.holder import Holder, Purpose
from core.model.occurrence import Occurrence
from core.ports.processes import Children, HeldLock
from core.ports.waiting import Clock


class BackgroundProcesses:
    """The `Background` port."""

    def __init__(
        self,
        root: Path,
        state: Path,
        clock: Clock,
        children: Children,
        command: Callable[[Sequence[str]], Sequence[str]],
    ) -> None:
        """`command` returns the command line of a child process of ours."""
        self._children = children
        self._root = root
        self._state = state
        self._clock = clock
        self._command = command

    def start(self, occurrence: Occurrence) -> None:
        options = ["--items", occurrence.item, "--slot", occurrence.slot.isoformat()]
        words = self._command(["background", str(self._root), *options])
        log = fresh_log(self._state / "logs" / "background.log")
        self._children.start(words, os.environ, log).close()

    def is_running(self, item: str) -> bool:
        return self._lock(item).holder() is not None

    def hold(self, item: str) -> HeldLock | Holder:
        """Take the lock that shows that the item is running; called by the background process."""
        return self._lock(item).acquire(Purpose.BACKGROUND, self._clock.now())

    def _lock(self, item: str) -> FileLock:
        return FileLock(self._state / "background" / f"{zlib.crc32(item.encode()):08x}.lock")
