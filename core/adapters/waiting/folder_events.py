"""What the system reports about watched folders: watchdog on every system.

Only changes are asked for, never that a file was opened, read or closed after reading: a search
through the folder must not wake us.
"""

import errno
import logging
import os
import stat
import sys
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple

from watchdog.events import (
    DirAttribEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers.api import BaseObserver, ObservedWatch

from core.model.errors import HeartbeatError

_FILTER: list[type[FileSystemEvent]] = [
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
]
# What brings a folder back: it is made, moved here, linked here, or may be entered again.
_RETURNS: list[type[FileSystemEvent]] = [
    DirAttribEvent,
    DirCreatedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileMovedEvent,
]
_CLOSING_IS_REPORTED = sys.platform == "linux"

# A link that leads to itself leads to no folder.
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)

# What it logs would be printed among our own lines; what matters of it is reported as events.
logging.getLogger("watchdog").addHandler(logging.NullHandler())


class Event(NamedTuple):
    folder: Path | None  # None: events were lost, and anything may have happened
    name: str  # in that folder; empty: the folder itself
    written: bool  # and its writer has not closed it yet


class _Watch(NamedTuple):
    numbers: tuple[int, int]  # of the folder: another one may have its name by now
    losses: object
    scheduled: ObservedWatch


class FolderEvents(FileSystemEventHandler):
    def __init__(self) -> None:
        self._queue: SimpleQueue[Event | None] = SimpleQueue()
        self._watches: dict[Path, _Watch] = {}
        # Real folder -> the names that it was watched by; read by watchdog's thread too.
        self._names: dict[Path, frozenset[Path]] = {}
        # Another object after each loss, from any thread: watches from before it may have ended.
        self._losses = object()
        self._observer: BaseObserver | None = None

    def watch(self, folder: Path, *, for_returns: bool = False) -> bool:
        """Report changes in this folder from now on, not in the folders inside it; for returns,
        only what comes there. Calling it again does no harm, and is needed after the folder was
        removed and made again. Return False if the folder does not exist now. HeartbeatError: it
        cannot be watched."""
        real = Path(os.path.realpath(folder))
        self._names[real] = self._names.get(real, frozenset()) | {folder}

        try:
            self._schedule(real, _numbers_of(real), _RETURNS if for_returns else _FILTER)
        except OSError as error:
            if error.errno in _NOT_THERE:
                self._unschedule(real)
                return False

            raise cannot_watch(folder, error.errno or 0) from error

        return True

    def forget(self, folder: Path) -> None:
        """Report nothing more of this folder."""
        real = Path(os.path.realpath(folder))
        self._names.pop(real, None)
        self._unschedule(real)

    def wait(self, seconds: float | None) -> list[Event]:
        """Sleep until there are events, `wake` is called, or the time is over; None: no limit."""
        timeout = None if seconds is None else max(0.0, seconds)
        events = []
        try:
            events.append(self._queue.get(timeout=timeout))
            while True:
                events.append(self._queue.get_nowait())
        except Empty:
            return [event for event in events if event]

    def wake(self) -> None:
        """End the `wait` of another thread; if there is none now, the next one ends at once."""
        self._queue.put(None)

    def close(self) -> None:
        if self._observer:
            self._observer.stop()
            self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Called by watchdog, in its thread."""
        written = _CLOSING_IS_REPORTED and isinstance(event, FileModifiedEvent)

        for name in (event.src_path, event.dest_path):
            if not name:
                continue

            path = Path(os.fsdecode(name))
            for folder in self._names.get(path.parent, ()):
                self._queue.put(Event(folder, path.name, written))

        if isinstance(event, DirDeletedEvent) and Path(os.fsdecode(event.src_path)) in self._names:
            self.on_loss()  # watchdog has ended this watch

    def on_loss(self) -> None:
        """Called in a thread of watchdog's: any watch may have ended, and events may be lost."""
        self._losses = object()
        self._queue.put(Event(None, "", written=False))

    def _schedule(
        self, real: Path, numbers: tuple[int, int], wanted: list[type[FileSystemEvent]]
    ) -> None:
        losses = self._losses
        before = self._watches.get(real)
        if before and before[:2] == (numbers, losses):
            return

        self._unschedule(real)
        self._observer = self._observer or _started(self)
        scheduled = self._observer.schedule(self, str(real), event_filter=wanted)
        self._watches[real] = _Watch(numbers, losses, scheduled)

    def _unschedule(self, real: Path) -> None:
        before = self._watches.pop(real, None)
        if self._observer and before:
            self._observer.unschedule(before.scheduled)


def _started(events: FolderEvents) -> BaseObserver:
    observer: BaseObserver
    if sys.platform == "linux":
        from core.adapters.waiting.linux_observer import LinuxObserver

        observer = LinuxObserver(events.on_loss)
    else:
        from watchdog.observers import Observer

        observer = Observer()

    observer.start()
    return observer


def _numbers_of(folder: Path) -> tuple[int, int]:
    """What the system knows this folder by."""
    found = folder.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))

    return found.st_dev, found.st_ino


def cannot_watch(folder: Path, number: int) -> HeartbeatError:
    if number in (errno.ENOSPC, errno.EMFILE):
        return HeartbeatError(
            (
                f"The system's limit for watching folders is reached: changes in {folder} are seen "
                "only at the next beat."
            ),
            (
                "Raise it: sudo sysctl fs.inotify.max_user_watches=524288 "
                "fs.inotify.max_user_instances=1024"
            ),
        )

    return HeartbeatError(
        f"{folder} cannot be watched: {os.strerror(number)}.",
        f"Check its permissions: ls -ld '{folder}'",
    )
