"""Tells when a person has changed the workspace's files or the settings: once a change, when it has settled.

One thread, asleep in the kernel while nothing happens. What the system tells only makes it look; what counts is
whether a file's text differs from what it was, so that touching, saving the same again and the program's own
writes are no news, and lost events are made up for by the next look.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from core.adapters.folder_events import FolderEvents
from core.adapters.workspace_file import LIMIT, NAME, read
from core.model.errors import HeartbeatError
from core.model.workspace_file import Refusal, Snapshot
from core.rules.watching import Files, Unrest, believed, doubtful, look_due, stirred


class _Seen(NamedTuple):
    fingerprint: str
    size: int


class FolderWatcher:
    """The `Watcher` port."""

    def __init__(
        self,
        workspace: Path,
        settings: Path,
        is_own_write: Callable[[str, str], bool],
        deliver: Callable[[frozenset[Path]], None],
        monotonic: Callable[[], float],
        heartbeat_file: str = NAME,
        events: FolderEvents | None = None,
    ) -> None:
        self._workspace = Path(os.path.realpath(workspace))
        self._settings = Path(os.path.realpath(settings.parent), settings.name)
        self._folders = {
            self._workspace: Files(frozenset({NAME.lower(), "config.json"})),
            self._workspace / "heartbeat": Files(suffix=".md"),
            self._workspace / "memory": Files(frozenset({"memory.md"})),
        }
        _add(self._folders, self._workspace / heartbeat_file)
        _add(self._folders, self._settings)
        self._targets: dict[Path, Files] = {}  # of links: to change the file is to change its target
        self._is_own_write = is_own_write
        self._deliver = deliver
        self._monotonic = monotonic
        self._events = events or _events_of_this_system()
        self._seen: dict[Path, _Seen] = {}
        self._asked = self._ended = False
        self._thread = Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        with suppress(OSError):  # without the folder nobody could tell that first settings appear in it
            self._settings.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._watch()
        finally:
            self._seen = self._see()
            self._thread.start()

    def look(self) -> None:
        if not self._ended:
            self._asked = True
            self._events.wake()

    def follow(self, file: Path) -> None:
        folders = dict(self._folders)  # the thread may be going through the old one
        _add(folders, self._workspace / file)
        if folders != self._folders:
            self._folders = folders
            self.look()

    def stop(self) -> None:
        if self._ended:
            return
        self._ended = True
        if self._thread.is_alive():
            self._events.wake()
            self._thread.join()
        self._events.close()

    def _run(self) -> None:
        unrest: Unrest | None = None
        doubt_since: float | None = None
        while not self._ended:
            due = look_due(unrest, doubt_since)
            events = self._events.wait(None if due is None else due - self._monotonic())
            now = self._monotonic()
            for folder, name, written in events:
                if folder is None or self._counts(folder, name):
                    unrest = stirred(unrest, now, f"{folder}/{name}", written)
            if self._asked:
                self._asked = False
                unrest = stirred(unrest, now, "", written=False)
            due = look_due(unrest, doubt_since)
            if due is not None and due <= now:
                unrest, doubt_since = None, self._settle(now, doubt_since)

    def _counts(self, folder: Path, name: str) -> bool:
        known = (table[folder] for table in (self._folders, self._targets) if folder in table)
        return not name or folder / name in self._folders or any(files.count(name) for files in known)

    def _settle(self, now: float, doubt_since: float | None) -> float | None:
        """Look, and deliver what is new; instead, the moment since when a file is in doubt, if there is one."""
        with suppress(HeartbeatError):  # said at the start; the next look tries again
            self._watch()
        after = self._see()
        self._seen |= {path: seen for path, seen in after.items() if self._is_same(self._seen.get(path), seen)}
        changed = {path for path in self._seen.keys() | after.keys() if self._seen.get(path) != after.get(path)}
        in_doubt = any(doubtful(_size(self._seen.get(path)), _size(after.get(path))) for path in changed)
        if in_doubt and not believed(doubt_since, now):
            return now if doubt_since is None else doubt_since
        self._seen = after
        if changed:
            self._deliver(frozenset(changed))
        return None

    def _is_same(self, before: _Seen | None, after: _Seen) -> bool:
        """Whether a file says what it said, or what the program itself has made of that."""
        if before is None:
            return False
        return before.fingerprint == after.fingerprint or self._is_own_write(before.fingerprint, after.fingerprint)

    def _watch(self) -> None:
        """Watch every folder that is there, again if it is new. To be done before a look: nothing slips between."""
        for path in self._paths():
            real = Path(os.path.realpath(path))
            if real != path and real.is_relative_to(self._root(path)):
                _add(self._targets, real)
        for folder in (*self._folders, *self._targets):
            self._events.watch(folder)

    def _see(self) -> dict[Path, _Seen]:
        """All files that count, as they are now."""
        return {path: seen for path in self._paths() if (seen := self._see_one(path))}

    def _paths(self) -> list[Path]:
        return [path for folder, files in self._folders.items() for path in _entries(folder) if files.count(path.name)]

    def _root(self, path: Path) -> Path:
        """What a link may not leave. The settings are the person's own: they may lie anywhere."""
        return Path(path.anchor) if path == self._settings else self._workspace

    def _see_one(self, path: Path) -> _Seen | None:
        match read(path, self._root(path)):
            case Snapshot() as file:
                return _Seen(file.fingerprint, len(file.data))
            case Refusal() as refusal:
                return _Seen(f"refused {refusal.kind}", LIMIT)
        return None


def _add(folders: dict[Path, Files], path: Path) -> None:
    """Let the changes of one more file count."""
    name = Files(frozenset({path.name.lower()}))
    folders[path.parent] = folders.get(path.parent, name) | name


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _size(seen: _Seen | None) -> int | None:
    return seen.size if seen else None


def _events_of_this_system() -> FolderEvents:
    if sys.platform == "linux":
        from core.adapters.inotify import Inotify

        return Inotify()
    else:  # noqa: RET505 - a type checker reads only its own system's branch
        from core.adapters.watchdog_events import WatchdogEvents

        return WatchdogEvents()
