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


def _refuse_nothing(_place: str) -> str:
    return ""


class FileOperations:
    """The `FileWorker` port. `why_not` says, for a file's real place in the workspace, why it is not to be touched."""

    def __init__(self, workspace: Path, why_not: Callable[[str], str] = _refuse_nothing) -> None:
        self._workspace = workspace
        self._real = workspace.resolve()
        self._why_not = why_not

    def do(self, work: FileWork, undo: UndoFolder, now: datetime) -> FileDone | FileFailed:
        try:
            return FileDone(self._do(work, undo, now))
        except _RefusedError as refused:
            return FileFailed(str(refused))
        except ValueError:  # a NUL in the name
            return FileFailed("this is no name of a file")
        except OSError as error:
            return FileFailed(f"{error.strerror}: {Path(error.filename or '').name}" if error.strerror else str(error))

    def _do(self, work: FileWork, undo: UndoFolder, now: datetime) -> str:
        match work.operation:
            case Operation.READ:
                path = self._file(work.path)
                with open(path, "rb") as file:
                    return f"{len(file.read(LARGEST_READ))} bytes"
            case Operation.MKDIR:
                return self._change(self._inside(work.path), undo, lambda path: path.mkdir(parents=True, exist_ok=True))
            case Operation.WRITE:
                target = self._inside(work.path)
                return self._change(target, undo, lambda path: _put(work.content.encode(), path))
            case Operation.APPEND:
                target = self._inside(work.path)
                old = target.read_bytes() if target.is_file() else b""
                return self._change(target, undo, lambda path: _put(old + work.content.encode(), path))
            case Operation.DELETE:
                return self._each(work, undo, now, lambda path: self._change(path, undo, Path.unlink))
            case Operation.COPY:
                return self._each(work, undo, now, lambda path: self._copy(path, work.destination, undo))
            case Operation.MOVE:
                return self._each(work, undo, now, lambda path: self._move(path, work.destination, undo))

    def _each(self, work: FileWork, undo: UndoFolder, now: datetime, change: Callable[[Path], str]) -> str:
        paths = self._matching(work.pattern) if work.pattern else [self._file(work.path)]
        chosen = [path for path in paths if _is_older(path, work.older_than, now)]
        for path in chosen:
            change(path)
        return "1 file" if len(chosen) == 1 else f"{len(chosen)} files"

    def _copy(self, source: Path, destination: str, undo: UndoFolder) -> str:
        return self._change(self._target(source, destination), undo, lambda path: _put(source, path))

    def _move(self, source: Path, destination: str, undo: UndoFolder) -> str:
        self._copy(source, destination, undo)
        return self._change(source, undo, Path.unlink)

    def _change(self, path: Path, undo: UndoFolder, change: Callable[[Path], object]) -> str:
        if path.is_dir() and change is Path.unlink:
            raise _RefusedError(f"{path.name} is a folder")
        undo.keep(path)
        change(path)
        undo.changed(path)
        return "OK"

    def _target(self, source: Path, destination: str) -> Path:
        """A destination that is a folder, or written as one, takes the file's own name."""
        target = self._inside(destination)
        return self._inside(f"{destination}/{source.name}") if target.is_dir() or destination.endswith("/") else target

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
        if why := self._why_not(path.relative_to(self._real).as_posix()):
            raise _RefusedError(why)
        return path

    def _matching(self, pattern: str) -> list[Path]:
        if pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
            raise _RefusedError(f"{pattern} is not inside the workspace")
        found = sorted(path for path in self._real.glob(pattern) if path.is_file())
        return [path for path in found if Path(os.path.realpath(path)).is_relative_to(self._real)]


def _is_older(path: Path, than: timedelta | None, now: datetime) -> bool:
    return than is None or now.timestamp() - path.stat().st_mtime > than.total_seconds()


def _put(content: bytes | Path, path: Path) -> None:
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
