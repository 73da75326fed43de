"""The news about folders on Windows and macOS, through watchdog's public observer."""

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

from core.adapters.folder_events import Event, cannot_watch

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
    """The `FolderEvents` of the systems without inotify. They do not tell when a writer closes a file."""

    def __init__(self) -> None:
        self._news: SimpleQueue[Event | None] = SimpleQueue()
        self._watches: dict[Path, tuple[int, ObservedWatch]] = {}
        self._names: dict[Path, set[Path]] = {}  # under which a real folder is known to others
        self._observer = Observer()
        self._observer.start()

    def watch(self, folder: Path) -> bool:
        real = Path(os.path.realpath(folder))
        number = real.stat().st_ino if real.is_dir() else None
        if real in self._watches and self._watches[real][0] != number:  # another folder than it was
            self._observer.unschedule(self._watches.pop(real)[1])
        if number is None:
            return False
        self._names.setdefault(real, set()).add(folder)
        if real not in self._watches:
            try:
                self._watches[real] = number, self._observer.schedule(self, str(real), event_filter=_FILTER)
            except OSError as error:
                raise cannot_watch(folder, error.errno or 0) from error
        return True

    def on_any_event(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            place = Path(str(path))
            for folder in self._names.get(place.parent, ()) if path else ():
                self._news.put(Event(folder, place.name, written=False))

    def wait(self, seconds: float | None) -> list[Event]:
        events = []
        try:
            events.append(self._news.get(timeout=None if seconds is None else max(0.0, seconds)))
            while True:
                events.append(self._news.get_nowait())
        except Empty:
            return [event for event in events if event]

    def wake(self) -> None:
        self._news.put(None)

    def close(self) -> None:
        self._observer.stop()
        self._observer.join()
