"""Twins of the files of a workspace and of what keeps them safe. Their law: nothing is on the
disk."""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path

from core.model.approval import Candidate, Script
from core.model.file_work import (
    AGENT,
    FileDone,
    FileFailed,
    FileWork,
    NoFile,
    Operation,
    Seen,
    SeenFile,
    Undone,
    UndoRefused,
)
from core.model.progress import Progress
from core.model.workspace_file import (
    Found,
    Identity,
    Missing,
    Postponed,
    Reading,
    Snapshot,
    Unchanged,
    Writing,
    Written,
)
from core.ports.files import UndoFolder
from core.ports.ledger import Ledger
from core.rules.approving.command_words import looks_like_script
from core.rules.checking.globs import matches
from core.rules.fingerprint import fingerprint
from core.rules.merging import merge
from core.rules.residing.watching import doubtful


@dataclass
class FakeIdentity:
    old_path: str | None = None
    is_told: bool = False
    is_noted: bool = False
    other_path: str | None = None  # of the folder that has the history

    def note(self) -> None:
        self.is_noted = True

    def moved_from(self) -> str | None:
        return self.old_path

    def untold_move(self) -> str | None:
        return None if self.is_told else self.old_path

    def tell_move(self) -> None:
        self.is_told = True

    def comes_along(self) -> str | None:
        return None

    def history_at(self) -> str | None:
        return self.other_path

    def tell_history(self) -> None:
        self.other_path = None


class FakeFiles:
    """A workspace with one HEARTBEAT.md and some prompts, in memory."""

    def __init__(self, text: str | None = None, prompts: Mapping[str, str] | None = None) -> None:
        self.data = None if text is None else text.encode()
        self.prompts = dict(prompts or {})
        self.memory: str | None = None  # memory/MEMORY.md
        self.names: set[str] = set()  # other files that are there
        self.folders: set[str] = set()
        self.is_open_in_editor = False
        self.kept: list[bytes] = []  # the person's versions that were displaced
        self.writes = 0
        self._written: bytes | None = None

    @property
    def text(self) -> str:
        return (self.data or b"").decode()

    def save(self, text: str) -> None:
        """What the person does."""
        self.data = text.encode()

    def find(self, folder: Path) -> Found | Missing:
        path = folder / "HEARTBEAT.md"
        return Missing(path) if self.data is None else Found(path)

    def read(self, path: Path, workspace: Path) -> Reading:
        if path.parent.name == "memory":
            return (
                Missing(path) if self.memory is None else self._snapshot(path, self.memory.encode())
            )
        if path.parent.name == "heartbeat":
            prompt = self.prompts.get(path.stem)
            return Missing(path) if prompt is None else self._snapshot(path, prompt.encode())
        return Missing(path) if self.data is None else self._snapshot(path, self.data)

    def exists(self, workspace: Path, name: str) -> bool:
        return name in self.names | self.folders

    def is_inside(self, workspace: Path, name: str) -> bool:
        return Path(os.path.normpath(workspace / name)).is_relative_to(workspace)

    def folder(self, workspace: Path, name: str) -> Path | None:
        return workspace / name if name in self.folders else None

    def prompt_files(self, workspace: Path) -> tuple[Path, ...]:
        return tuple(workspace / "heartbeat" / f"{name}.md" for name in sorted(self.prompts))

    def write(
        self,
        base: Snapshot,
        workspace: Path,
        change: Callable[[bytes], bytes | None],
        now: datetime,
        add: Callable[[bytes], bytes] = bytes,
    ) -> Writing:
        changed = change(base.data)
        if changed is None or add(changed) == base.data:
            return Unchanged()
        if self.is_open_in_editor or self.data is None:
            return Postponed("the file is open in an editor")
        if doubtful(len(base.data), len(self.data)):
            return Postponed("the file has lost half of its text")
        after = add(merge(base.data, changed, self.data))
        if after == self.data:
            return Unchanged()
        if self.data not in (self._written, *self.kept):
            self.kept.append(self.data)
        merged = self.data != base.data
        self.data = after
        self._written = after
        self.writes += 1
        return Written(self._snapshot(base.path, after), merged)

    def _snapshot(self, path: Path, data: bytes) -> Snapshot:
        return Snapshot(path, data, Identity(0, 0, 0, 0, len(data)), fingerprint(data))


class FakeViews:
    """Shows nothing; a test that lost its ledger sets `progress`."""

    def __init__(self) -> None:
        self.shown: list[datetime] = []
        self.progress: Progress | None = None

    def show(self, ledger: Ledger, now: datetime) -> None:
        self.shown.append(now)
        self.progress = ledger.tasks.progress()

    def saved_progress(self) -> Progress | None:
        return self.progress


class FakeScripts:
    """Files by their path; a digest is the content itself."""

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self.files = dict(files or {})

    def find(self, candidates: Collection[Candidate]) -> dict[Candidate, Script]:
        found = {}
        for one in candidates:
            content = self.files.get(one.path.removeprefix("./"))
            if content is not None and (
                one.is_run or looks_like_script(one.path, content.encode(), executable=False)
            ):
                found[one] = Script(one.path.removeprefix("./"), content)
        return found


def seen(text: str, modified: datetime) -> SeenFile:
    return SeenFile(len(text.encode()), modified, fingerprint(text.encode()), text)


@dataclass
class FakeFileInspector:
    """A workspace in memory: a name and what a look at it finds."""

    files: dict[str, Seen] = field(default_factory=dict)

    def inspect(self, name: str) -> Seen:
        return self.files.get(name, NoFile())

    def fingerprints(self) -> dict[str, str]:
        return {
            name: file.fingerprint
            for name, file in sorted(self.files.items())
            if isinstance(file, SeenFile)
        }

    def names(self, pattern: str) -> tuple[str, ...]:
        return tuple(name for name in sorted(self.files) if matches(name, pattern))


class FakeUndoFolder:
    """What one action displaces in `files`: the name of each file, and what was in it."""

    def __init__(self, beat: int, item: str, files: Mapping[str, str]) -> None:
        self.beat = beat
        self.item = item
        self.before: dict[str, str | None] = {}
        self.after: dict[str, str | None] = {}
        self.lines: Mapping[str, str | None] | None = None
        self._files = files

    def keep(self, path: Path, becomes: str | None = None) -> None:
        self.before.setdefault(path.as_posix(), self._files.get(path.as_posix()))
        self.after[path.as_posix()] = becomes

    def changed(self, path: Path) -> None:
        self.keep(path, digest(self._files.get(path.as_posix())))


@dataclass
class FakeUndo:
    """Remembers what actions displaced in `files`, and puts it back."""

    files: dict[str, str] = field(default_factory=dict)
    folders: list[FakeUndoFolder] = field(default_factory=list)

    def open(self, beat: int, item: str) -> FakeUndoFolder:
        self.folders.append(FakeUndoFolder(beat, item, self.files))
        return self.folders[-1]

    def keep_lines(self, beat: int, item: str, lines: Mapping[str, str | None]) -> None:
        for folder in self._chosen(beat, item):
            folder.lines = lines

    def tidy(self, beat: int, item: str) -> None: ...

    def undo(self, beat: int | None, item: str | None) -> Undone | UndoRefused:
        chosen = self._chosen(beat, item)
        if beat is None:
            chosen = chosen[:1]
        if not chosen:
            return UndoRefused("there is nothing to undo")

        expected: dict[str, str | None] = {}
        for folder in chosen:
            expected = {**folder.after, **expected}
        for name, after in expected.items():
            if digest(self.files.get(name)) != after:
                return UndoRefused(f"{name} has changed since; nothing was undone")

        for folder in chosen:
            self._put_back(folder)

        lines = {folder.item: folder.lines for folder in chosen if folder.lines is not None}
        is_of_batch = any(folder.item == AGENT for folder in chosen)
        return Undone(chosen[0].beat, tuple(expected), lines, is_of_batch)

    def _put_back(self, folder: FakeUndoFolder) -> None:
        for name, before in folder.before.items():
            if before is None:
                self.files.pop(name, None)
            else:
                self.files[name] = before

        self.folders.remove(folder)

    def _chosen(self, beat: int | None, item: str | None) -> list[FakeUndoFolder]:
        """Those that displaced something, newest first."""
        return [
            folder
            for folder in reversed(self.folders)
            if folder.before and beat in (None, folder.beat) and item in (None, folder.item)
        ]


def digest(text: str | None) -> str | None:
    return None if text is None else fingerprint(text.encode())


@dataclass
class FakeFileWorker:
    """Does the work in `files`, by name; folders are only parts of names."""

    files: dict[str, str] = field(default_factory=dict)
    asked: list[FileWork] = field(default_factory=list)  # in this order, done or not

    def do(self, work: FileWork, undo: UndoFolder, now: datetime) -> FileDone | FileFailed:
        self.asked.append(work)
        for name in (work.path, work.destination):
            if name.startswith("/") or ".." in name.split("/"):
                return FileFailed(f"{name} is not inside the workspace", ("outside", name))

        match work.operation:
            case Operation.WRITE:
                return self._put(work.path, work.content, undo)
            case Operation.APPEND:
                return self._put(work.path, self.files.get(work.path, "") + work.content, undo)
            case Operation.MKDIR:
                return FileDone("OK")
            case Operation.READ | Operation.DELETE | Operation.COPY | Operation.MOVE:
                return self._with_sources(work, undo)

    def _with_sources(self, work: FileWork, undo: UndoFolder) -> FileDone | FileFailed:
        sources = [work.path]
        if work.pattern:
            sources = [name for name in sorted(self.files) if self._is_found(name, work)]
        elif work.path not in self.files:
            return FileFailed(f"{work.path} does not exist", ("not_there", work.path))
        if work.operation is Operation.READ:
            return FileDone(f"{len(self.files[work.path].encode())} bytes")

        for name in sources:
            if work.operation is not Operation.DELETE:
                self._put(self._target(name, work), self.files[name], undo)
            if work.operation is not Operation.COPY:
                undo.keep(Path(name), None)
                del self.files[name]

        count = len(sources)
        return FileDone("1 file" if count == 1 else f"{count} files")

    def _is_found(self, name: str, work: FileWork) -> bool:
        return Path(name).parent == Path(work.path) and fnmatch(Path(name).name, work.pattern)

    def _target(self, name: str, work: FileWork) -> str:
        is_folder = work.pattern or work.destination.endswith("/")
        return (
            f"{work.destination.rstrip('/')}/{Path(name).name}" if is_folder else work.destination
        )

    def _put(self, name: str, content: str, undo: UndoFolder) -> FileDone:
        undo.keep(Path(name), digest(content))
        self.files[name] = content
        return FileDone("OK")
