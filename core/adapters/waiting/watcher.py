"""Reports that a person has changed the workspace's files or the settings: once per change, when
the file has settled.

Its thread and watchdog's sleep while nothing happens. An event only makes it read the files; what
counts is whether a file's text differs from before. So touching a file, saving the same text again
and the program's own writes are not changes, and the next check makes up for lost events.

A workspace that goes away and comes back is a change too. While it is away, the nearest folder
above it that is left is watched instead, and what is mounted.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from core.adapters.files.read import LIMIT, NAME, is_away, read
from core.adapters.waiting.folder_events import FolderEvents
from core.adapters.waiting.mounts import MountChanges
from core.model.errors import HeartbeatError
from core.model.workspace_file import Missing, Refusal, Snapshot
from core.rules.residing.watching import (
    Files,
    UnreadChanges,
    believed,
    doubtful,
    read_due,
    with_event,
)


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
        # Where links lead: a change of the target is a change of the file.
        self._targets: dict[Path, Files] = {}
        self._is_own_write = is_own_write
        self._deliver = deliver
        self._monotonic = monotonic
        self._events = events or FolderEvents()
        self._mounts = MountChanges(self.check)
        self._above: Path | None = None  # watched for the return of the workspace
        self._seen: dict[Path, _Seen] = {}
        self._check_wanted = False
        self._ended = False
        self._thread = Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        # Without the folder we would not notice when the first settings appear in it.
        with suppress(OSError):
            self._settings.parent.mkdir(parents=True, exist_ok=True)

        try:
            self._watch()
        finally:
            self._seen = self._read_all()
            self._thread.start()

    def check(self) -> None:
        if not self._ended:
            self._check_wanted = True
            self._events.wake()

    def follow(self, file: Path) -> None:
        folders = dict(self._folders)  # the thread may be going through the old one
        _add(folders, self._workspace / file)
        if folders != self._folders:
            self._folders = folders
            self.check()

    def stop(self) -> None:
        if self._ended:
            return

        self._ended = True
        if self._thread.is_alive():
            self._events.wake()
            self._thread.join()

        self._mounts.stop()
        self._events.close()

    def _run(self) -> None:
        changes: UnreadChanges | None = None
        doubt_since: float | None = None
        while not self._ended:
            due = read_due(changes, doubt_since)
            events = self._events.wait(None if due is None else due - self._monotonic())
            now = self._monotonic()

            for folder, name, written in events:
                if folder is None or self._counts(folder, name):
                    changes = with_event(changes, now, f"{folder}/{name}", written)

            if self._check_wanted:
                self._check_wanted = False
                changes = with_event(changes, now, "", written=False)

            due = read_due(changes, doubt_since)
            if due is not None and due <= now:
                changes = None
                doubt_since = self._settle(now, doubt_since)

    def _counts(self, folder: Path, name: str) -> bool:
        if not name or folder / name in self._folders:
            return True
        if folder == self._above and self._workspace.is_relative_to(folder / name):
            return True

        watched = (self._folders.get(folder), self._targets.get(folder))
        return any(files.count(name) for files in watched if files)

    def _settle(self, now: float, doubt_since: float | None) -> float | None:
        """Read the files and deliver what changed. If a file is in doubt, deliver nothing and
        return since when it is in doubt."""
        with suppress(HeartbeatError):  # reported at the start; the next check tries again
            self._watch()

        after = self._read_all()
        for path, seen in after.items():
            if self._is_same(self._seen.get(path), seen):
                self._seen[path] = seen

        changed = [
            path
            for path in self._seen.keys() | after.keys()
            if self._seen.get(path) != after.get(path)
        ]
        in_doubt = any(
            doubtful(_size(self._seen.get(path)), _size(after.get(path))) for path in changed
        )
        if in_doubt and not believed(doubt_since, now):
            return now if doubt_since is None else doubt_since

        self._seen = after
        if changed:
            files = frozenset(changed) - {self._workspace}
            self._deliver(files or frozenset(changed))

        return None

    def _is_same(self, before: _Seen | None, after: _Seen) -> bool:
        """Whether the text is the same, or what the program itself has made of it."""
        if before is None:
            return False

        return before.fingerprint == after.fingerprint or self._is_own_write(
            before.fingerprint, after.fingerprint
        )

    def _watch(self) -> None:
        """Watch every folder that exists, also one that was made again. Done before the files are
        read, so that nothing is missed in between."""
        for path in self._paths():
            real = Path(os.path.realpath(path))
            if real != path and real.is_relative_to(self._root(path)):
                _add(self._targets, real)

        problems: list[HeartbeatError] = []
        for folder in (*self._folders, *self._targets):
            try:
                self._events.watch(folder)
            except HeartbeatError as error:  # the others are watched all the same
                problems.append(error)

        self._watch_for_return()
        if problems:
            raise problems[0]

    def _watch_for_return(self) -> None:
        """While the workspace is away, watch what will show that it is back."""
        if is_away(self._workspace):
            self._mounts.start()
        else:
            self._mounts.stop()

        above = _nearest_above(self._workspace)
        while above != self._above:
            if self._above and self._above not in (*self._folders, *self._targets):
                self._events.forget(self._above)

            self._above = above
            if above:
                self._events.watch(above, for_returns=True)

            # It may have come back before it was watched for.
            above = _nearest_above(self._workspace)

    def _read_all(self) -> dict[Path, _Seen]:
        """All files that count, as they are now."""
        found = {path: self._read(path) for path in self._paths()}
        there = {} if is_away(self._workspace) else {self._workspace: _Seen("there", 0)}
        return {path: seen for path, seen in found.items() if seen} | there

    def _paths(self) -> list[Path]:
        return [
            path
            for folder, files in self._folders.items()
            for path in _entries(folder)
            if files.count(path.name)
        ]

    def _root(self, path: Path) -> Path:
        """The folder that a link may not leave. Settings may be anywhere: they are the person's
        own."""
        return Path(path.anchor) if path == self._settings else self._workspace

    def _read(self, path: Path) -> _Seen | None:
        match read(path, self._root(path)):
            case Snapshot() as file:
                return _Seen(file.fingerprint, len(file.data))
            case Refusal() as refusal:
                return _Seen(f"refused {refusal.kind}", LIMIT)
            case Missing():
                return None


def _add(folders: dict[Path, Files], path: Path) -> None:
    """Let the changes of one more file count."""
    file = Files(frozenset({path.name.lower()}))
    folders[path.parent] = folders.get(path.parent, file) | file


def _nearest_above(folder: Path) -> Path | None:
    """The nearest folder above this one that can be entered; None if this one can be."""
    for path in (folder, *folder.parents):
        if path.is_dir() and os.access(path, os.R_OK | os.X_OK):
            return None if path == folder else path

    return None


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _size(seen: _Seen | None) -> int | None:
    return seen.size if seen else None
