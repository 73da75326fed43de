"""The `file` actions: inside the workspace only, also through links and `..`; what they displace can come back."""

import hashlib
import os
import shutil
from collections.abc import Callable, Sized
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
                with open(self._content(self._file(work.path)), "rb") as file:
                    file.read(LARGEST_READ)
                    return f"{os.fstat(file.fileno()).st_size} bytes"
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
                chosen = self._chosen(work, now)
                for path in chosen:
                    _delete(path, undo)
                return _count(chosen)
            case Operation.COPY:
                ways = [(self._content(source), target) for source, target in self._ways(work, now)]
                for source, target in ways:
                    _write(source, target, undo)
                return _count(ways)
            case Operation.MOVE:
                ways = self._ways(work, now)
                for source, target in ways:
                    _write(source, target, undo)
                    _delete(source, undo)
                return _count(ways)

    # -- which files ---------------------------------------------------------------------------------------------

    def _chosen(self, work: FileWork, now: datetime) -> list[Path]:
        """The files that the work is about. A link is a file of its own: it can go, and what it leads to stays."""
        paths = self._matching(work.path, work.pattern) if work.pattern else [self._file(work.path)]
        return [path for path in paths if _is_older(path, work.older_than, now)]

    def _matching(self, folder: str, pattern: str) -> list[Path]:
        """The files of a folder, or of the whole workspace, that a pattern names; what a link leads out to is none."""
        if pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
            raise _RefusedError(f"{pattern} is not inside the workspace")
        start = Path(os.path.realpath(self._workspace / folder))
        if not start.is_relative_to(self._real):
            raise _RefusedError(f"{folder} is not inside the workspace")
        if not start.is_dir():
            raise _RefusedError(f"{folder} is not a folder, and a pattern looks into one")
        try:
            found = [path for path in start.glob(pattern) if path.is_file()]
        except ValueError as error:
            raise _RefusedError(f"{pattern} is not a pattern: {error}") from error
        inside = [path for path in found if Path(os.path.realpath(path)).is_relative_to(self._real)]
        return sorted({self._place(str(path.relative_to(self._real))) for path in inside})

    def _ways(self, work: FileWork, now: datetime) -> list[tuple[Path, Path]]:
        """From where to where, without what is there already; refused before the first where one would lose another."""
        ways: dict[Path, Path] = {}
        for source in self._chosen(work, now):
            target = self._target(source, work)
            if target in ways:
                raise _RefusedError(f"{target.name} would come from two folders to one place")
            ways[target] = source
        moving = [(source, target) for target, source in ways.items() if not _is_same(source, target)]
        if len(moving) < len(ways) and not work.pattern:
            raise _RefusedError(f"{work.path} would be its own destination")
        return moving

    def _target(self, source: Path, work: FileWork) -> Path:
        """A folder, or what is written as one, takes the file's own name. What a pattern finds goes into a folder."""
        target = self._inside(work.destination)
        if work.pattern and target.exists() and not target.is_dir():
            raise _RefusedError(f"{work.destination} is a file, and what a pattern finds goes into a folder")
        if work.pattern or target.is_dir() or work.destination.endswith("/"):
            return self._inside(f"{work.destination}/{source.name}")
        return target

    # -- where ---------------------------------------------------------------------------------------------------

    def _file(self, name: str) -> Path:
        self._inside(name)  # a link that leads out is not ours to touch
        path = self._place(name)
        if not os.path.lexists(path):
            raise _RefusedError(f"{name} is not there")
        if path.is_dir() and not path.is_symlink():
            raise _RefusedError(f"{name} is a folder; for the files in it, add a pattern such as `*`")
        return path

    def _content(self, path: Path) -> Path:
        """The file itself, where a link leads to one."""
        name = path.relative_to(self._real).as_posix()
        real = self._inside(name)
        if not real.is_file():
            raise _RefusedError(f"{name} does not lead to a file")
        return real

    def _inside(self, name: str) -> Path:
        """The real path of a name in the workspace; refused where it leads out of it."""
        return self._checked(Path(os.path.realpath(self._workspace / name)), name)

    def _place(self, name: str) -> Path:
        """The real folder and the name in it: a link stays a link."""
        path = self._workspace / name
        if path.name == "..":
            return self._inside(name)
        return self._checked(Path(os.path.realpath(path.parent)) / path.name, name)

    def _checked(self, path: Path, name: str) -> Path:
        if not path.is_relative_to(self._real) or path == self._real:
            raise _RefusedError(f"{name} is not inside the workspace")
        if why := self._why_not(path.relative_to(self._real).as_posix()):
            raise _RefusedError(why)
        return path


def _count(files: Sized) -> str:
    return "1 file" if len(files) == 1 else f"{len(files)} files"


def _is_same(source: Path, target: Path) -> bool:
    return source.exists() and target.exists() and source.samefile(target)


def _is_older(path: Path, than: timedelta | None, now: datetime) -> bool:
    return than is None or now.timestamp() - path.lstat().st_mtime > than.total_seconds()


def _write(content: bytes | Path, path: Path, undo: UndoFolder) -> str:
    _keep(path, fingerprint(content), undo)
    put(content, path)
    return "OK"


def _delete(path: Path, undo: UndoFolder) -> None:
    _keep(path, None, undo)
    path.unlink()


def _keep(path: Path, becomes: str | None, undo: UndoFolder) -> None:
    """What is going to be displaced; folders that will be made on the way there are to vanish again with it."""
    if path.is_dir() and not path.is_symlink():
        raise _RefusedError(f"{path.name} is a folder")
    for parent in reversed(path.parents):
        if not parent.exists():
            undo.keep(parent, FOLDER)
    undo.keep(path, becomes)


def fingerprint(content: bytes | Path) -> str | None:
    """Of bytes or of what stands at a path; None where nothing does."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    if content.is_symlink():
        return f"link to {content.readlink()}"
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
    fresh.unlink(missing_ok=True)  # left by a crash, or laid there as a link to somewhere else
    try:
        if isinstance(content, Path) and content.is_symlink():
            fresh.symlink_to(content.readlink())
        else:
            _write_new(content, fresh)
            if isinstance(content, Path):
                shutil.copystat(content, fresh)
            elif path.exists():
                shutil.copymode(path, fresh)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _write_new(content: bytes | Path, path: Path) -> None:
    with open(path, "xb") as file:  # a file of its own: never through a link
        if isinstance(content, Path):
            with open(content, "rb") as source:
                shutil.copyfileobj(source, file)
        else:
            file.write(content)
        file.flush()
        os.fsync(file.fileno())
