"""The `file` actions: inside the workspace only, also through links and `..`; what they displace can come back."""

import hashlib
import os
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from core.model.file_work import FileDone, FileFailed, FileWork, Operation
from core.ports import UndoFolder

LARGEST_READ = 1024 * 1024
FOLDER = "folder"  # the fingerprint of one


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
                folder = self._inside(work.path)
                if not folder.is_dir():
                    _keep(folder, FOLDER, undo)
                    folder.mkdir(parents=True)
                return "OK"
            case Operation.WRITE:
                return _write(work.content.encode(), self._inside(work.path), undo)
            case Operation.APPEND:
                target = self._inside(work.path)
                old = target.read_bytes() if target.is_file() else b""
                return _write(old + work.content.encode(), target, undo)
            case Operation.DELETE:
                return self._each(work, now, lambda path: _delete(path, undo))
            case Operation.COPY:
                return self._each(work, now, lambda path: _write(path, self._target(path, work), undo))
            case Operation.MOVE:
                return self._each(work, now, lambda path: self._move(path, work, undo))

    def _move(self, source: Path, work: FileWork, undo: UndoFolder) -> None:
        _write(source, self._target(source, work), undo)
        _delete(source, undo)

    def _each(self, work: FileWork, now: datetime, change: Callable[[Path], object]) -> str:
        paths = self._matching(work.path, work.pattern) if work.pattern else [self._file(work.path)]
        chosen = [path for path in paths if _is_older(path, work.older_than, now)]
        for path in chosen:
            change(path)
        return "1 file" if len(chosen) == 1 else f"{len(chosen)} files"

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
        if why := self._why_not(path.relative_to(self._real).as_posix()):
            raise _RefusedError(why)
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


def _write(content: bytes | Path, path: Path, undo: UndoFolder) -> str:
    _keep(path, fingerprint(content), undo)
    put(content, path)
    return "OK"


def _delete(path: Path, undo: UndoFolder) -> None:
    _keep(path, None, undo)
    path.unlink()


def _keep(path: Path, becomes: str | None, undo: UndoFolder) -> None:
    """What is going to be displaced; folders that will be made on the way there are to vanish again with it."""
    if path.is_dir():
        raise _RefusedError(f"{path.name} is a folder")
    for parent in reversed(path.parents):
        if not parent.exists():
            undo.keep(parent, FOLDER)
    undo.keep(path, becomes)


def fingerprint(content: bytes | Path) -> str | None:
    """Of bytes or of what stands at a path; None where nothing does."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    if content.is_dir():
        return FOLDER
    if not content.is_file():
        return None
    with open(content, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def half_made(path: Path) -> Path:
    """The name of a file while it is being written."""
    return path.with_name(f".{path.name}.heartbeat-new")


def put(content: bytes | Path, path: Path) -> None:
    """Exchange the file whole: a reader sees the old or the new one. A path gives its content and times."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = half_made(path)
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
