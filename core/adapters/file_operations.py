"""The `file` actions: inside the workspace only, also through links and `..`; what they displace can come back."""

import os
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from core.model.file_work import FileDone, FileFailed, FileWork, Operation
from core.ports import UndoFolder

LARGEST_READ = 1024 * 1024


class _RefusedError(Exception):
    """Why the operation does not happen."""


class FileOperations:
    """The `FileWorker` port."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._real = workspace.resolve()

    def do(self, work: FileWork, undo: UndoFolder, now: datetime) -> FileDone | FileFailed:
        try:
            return FileDone(self._do(work, undo, now))
        except _RefusedError as refused:
            return FileFailed(str(refused))
        except OSError as error:
            return FileFailed(f"{error.strerror}: {Path(error.filename or '').name}" if error.strerror else str(error))

    def _do(self, work: FileWork, undo: UndoFolder, now: datetime) -> str:
        match work.operation:
            case Operation.READ:
                path = self._file(work.path)
                with open(path, "rb") as file:
                    return f"{len(file.read(LARGEST_READ))} bytes"
            case Operation.MKDIR:
                folder = self._inside(work.path)
                return "OK" if folder.is_dir() else self._change(folder, undo, lambda path: path.mkdir(parents=True))
            case Operation.WRITE:
                target = self._inside(work.path)
                return self._change(target, undo, lambda path: put(work.content.encode(), path))
            case Operation.APPEND:
                target = self._inside(work.path)
                old = target.read_bytes() if target.is_file() else b""
                return self._change(target, undo, lambda path: put(old + work.content.encode(), path))
            case Operation.DELETE:
                return self._each(work, undo, now, lambda path: self._change(path, undo, Path.unlink))
            case Operation.COPY:
                return self._each(work, undo, now, lambda path: self._copy(path, self._target(path, work), undo))
            case Operation.MOVE:
                return self._each(work, undo, now, lambda path: self._move(path, self._target(path, work), undo))

    def _each(self, work: FileWork, undo: UndoFolder, now: datetime, change: Callable[[Path], str]) -> str:
        paths = self._matching(work.path, work.pattern) if work.pattern else [self._file(work.path)]
        chosen = [path for path in paths if _is_older(path, work.older_than, now)]
        for path in chosen:
            change(path)
        return "1 file" if len(chosen) == 1 else f"{len(chosen)} files"

    def _copy(self, source: Path, target: Path, undo: UndoFolder) -> str:
        return self._change(target, undo, lambda path: put(source, path))

    def _move(self, source: Path, target: Path, undo: UndoFolder) -> str:
        self._copy(source, target, undo)
        return self._change(source, undo, Path.unlink)

    def _change(self, path: Path, undo: UndoFolder, change: Callable[[Path], object]) -> str:
        if path.is_dir():
            raise _RefusedError(f"{path.name} is a folder")
        new_folders = [parent for parent in reversed(path.parents) if not parent.exists()]
        for one in (*new_folders, path):
            undo.keep(one)
        change(path)
        for one in (*new_folders, path):
            undo.changed(one)
        return "OK"

    def _target(self, source: Path, work: FileWork) -> Path:
        """A destination that is a folder, is written as one, or has to take several files keeps a file's own name."""
        target = self._inside(work.destination)
        if target.is_dir() or work.destination.endswith("/") or work.pattern:
            target = self._inside(f"{work.destination}/{source.name}")
        if target == Path(os.path.realpath(source)):  # a move would end in deleting it
            raise _RefusedError(f"{source.name} would be its own destination")
        return target

    def _file(self, name: str) -> Path:
        path = self._inside(name)
        if not path.is_file():
            raise _RefusedError(f"{name} is not there")
        return path

    def _inside(self, name: str) -> Path:
        """The real path of a name in the workspace; refused where it leads out of it."""
        path = Path(os.path.realpath(self._workspace / name))
        if not path.is_relative_to(self._real) or path == self._real:
            raise _RefusedError(f"{name} is not inside the workspace")
        return path

    def _matching(self, folder: str, pattern: str) -> list[Path]:
        """The files of a folder, or of the whole workspace, that a pattern names; what a link leads out to is none."""
        if pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
            raise _RefusedError(f"{pattern} is not inside the workspace")
        start = self._inside(folder) if folder.strip("./") else self._real
        try:
            found = sorted(path for path in start.glob(pattern) if path.is_file())
        except ValueError as error:
            raise _RefusedError(f"{pattern} is not a pattern: {error}") from error
        return [path for path in found if Path(os.path.realpath(path)).is_relative_to(self._real)]


def _is_older(path: Path, than: timedelta | None, now: datetime) -> bool:
    return than is None or now.timestamp() - path.stat().st_mtime > than.total_seconds()


def put(content: bytes | Path, path: Path) -> None:
    """Exchange the file whole: a reader sees the old or the new one. A path gives its content and times."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.heartbeat-new")
    try:
        if isinstance(content, Path):
            shutil.copy2(content, fresh)
        else:
            fresh.write_bytes(content)
            if path.exists():
                shutil.copymode(path, fresh)
        with open(fresh, "rb") as file:
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
