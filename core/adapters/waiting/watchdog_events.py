"""The events about folders on Windows and macOS, through watchdog's public observer."""

import os
from pathlib import Path
from queue import Empty, SimpleQueue

from watchdog.events import (
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
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

from core.adapters.waiting.folder_events import Event, cannot_watch

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


class WatchdogEvents(FileSystemEventHandler):
    """The `FolderEvents` of systems without inotify. These do not report when a writer closes a
    file."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Event | None] = SimpleQueue()
        self._watches: dict[Path, tuple[int, ObservedWatch]] = {}
        self._names: dict[Path, set[Path]] = {}  # real folder -> the names that it was watched by
        self._observer = Observer()
        self._observer.start()

    def watch(self, folder: Path) -> bool:
        real = Path(os.path.realpath(folder))
        number = real.stat().st_ino if real.is_dir() else None
        if real in self._watches and self._watches[real][0] != number:
            self._observer.unschedule(self._watches.pop(real)[1])  # the folder was replaced
        if number is None:
            return False

        self._names.setdefault(real, set()).add(folder)
        if real not in self._watches:
            try:
                watch = self._observer.schedule(self, str(real), event_filter=_FILTER)
                self._watches[real] = (number, watch)
            except OSError as error:
                raise cannot_watch(folder, error.errno or 0) from error

        return True

    def on_any_event(self, event: FileSystemEvent) -> None:
        for name in (event.src_path, event.dest_path):
            if not name:
                continue

            path = Path(str(name))
            for folder in self._names.get(path.parent, ()):
                self._queue.put(Event(folder, path.name, written=False))

    def wait(self, seconds: float | None) -> list[Event]:
        timeout = None if seconds is None else max(0.0, seconds)
        events = []
        try:
            events.append(self._queue.get(timeout=timeout))
            while True:
                events.append(self._queue.get_nowait())
        except Empty:
            return [event for event in events if event]

    def wake(self) -> None:
        self._queue.put(None)

    def close(self) -> None:
        self._observer.stop()
        self._observer.join()
