"""The `file` actions. Law: they stay inside the workspace, even through links and `..`, and what
they replace or delete can be brought back."""

import hashlib
import os
import shutil
from collections.abc import Callable, Sized
from datetime import datetime, timedelta
from pathlib import Path

from core.adapters.files.atomic import replacing, write_atomically
from core.model.diagnostic import Problem
from core.model.file_work import FileDone, FileFailed, FileWork, Operation
from core.ports.files import UndoFolder

LARGEST_READ = 1024 * 1024
FOLDER = "folder"  # in the place of a folder's digest


class _WorkRefusedError(Exception):
    """Why the operation does not happen: as a sentence, and as data."""

    def __init__(self, message: str, *cause: str) -> None:
        super().__init__(message)
        self.cause = cause


def _no_problem(_place: str) -> Problem | None:
    return None


class FileOperations:
    """The `FileWorker` port. `problem_at` returns why the file at a real place in the workspace
    must not be touched, or None."""

    def __init__(
        self, workspace: Path, problem_at: Callable[[str], Problem | None] = _no_problem
    ) -> None:
        self._workspace = workspace
        self._real = workspace.resolve()
        self._problem_at = problem_at

    def do(self, work: FileWork, undo: UndoFolder, now: datetime) -> FileDone | FileFailed:
        try:
            return FileDone(self._do(work, undo, now))
        except _WorkRefusedError as refused:
            return FileFailed(str(refused), refused.cause)
        except ValueError:  # a NUL in the name
            return FileFailed("this is not a file name", ("not_a_name",))
        except OSError as error:
            if not error.strerror:
                return FileFailed(str(error), (type(error).__name__,))

            name = Path(error.filename or "").name
            return FileFailed(f"{error.strerror}: {name}", (str(error.errno), name))

    def _do(self, work: FileWork, undo: UndoFolder, now: datetime) -> str:
        match work.operation:
            case Operation.READ:
                return self._read(work)
            case Operation.MKDIR:
                return self._make_folder(work, undo)
            case Operation.WRITE:
                return _write(work.content.encode(), self._inside(work.path), undo)
            case Operation.APPEND:
                return self._append(work, undo)
            case Operation.DELETE:
                return self._delete(work, undo, now)
            case Operation.COPY:
                return self._copy(work, undo, now)
            case Operation.MOVE:
                return self._move(work, undo, now)

    # -- what is done ------------------------------------------------------------------------------

    def _read(self, work: FileWork) -> str:
        with open(self._content(self._file(work.path)), "rb") as file:
            file.read(LARGEST_READ)
            return f"{os.fstat(file.fileno()).st_size} bytes"

    def _make_folder(self, work: FileWork, undo: UndoFolder) -> str:
        folder = self._inside(work.path)
        if not folder.is_dir():
            _keep(folder, FOLDER, undo)
            folder.mkdir(parents=True)

        return "OK"

    def _append(self, work: FileWork, undo: UndoFolder) -> str:
        target = self._inside(work.path)
        old = target.read_bytes() if target.is_file() else b""
        return _write(old + work.content.encode(), target, undo)

    def _delete(self, work: FileWork, undo: UndoFolder, now: datetime) -> str:
        chosen = self._chosen(work, now)
        for path in chosen:
            _delete(path, undo)

        return _count(chosen)

    def _copy(self, work: FileWork, undo: UndoFolder, now: datetime) -> str:
        moves = [(self._content(source), target) for source, target in self._moves(work, now)]
        for source, target in moves:
            _write(source, target, undo)

        return _count(moves)

    def _move(self, work: FileWork, undo: UndoFolder, now: datetime) -> str:
        moves = self._moves(work, now)
        for source, target in moves:
            _write(source, target, undo)
            _delete(source, undo)

        return _count(moves)

    # -- which files -------------------------------------------------------------------------------

    def _chosen(self, work: FileWork, now: datetime) -> list[Path]:
        """The files that the work is about. A link is a file of its own: it can be moved or
        deleted, and its target is not touched."""
        paths = self._matching(work.path, work.pattern) if work.pattern else [self._file(work.path)]
        return [path for path in paths if _is_older(path, work.older_than, now)]

    def _matching(self, folder: str, pattern: str) -> list[Path]:
        """The files in a folder that a pattern matches, without links that lead out of the
        workspace."""
        if pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
            raise _WorkRefusedError(f"{pattern} is not inside the workspace", "outside", pattern)

        start = Path(os.path.realpath(self._workspace / folder))
        if not start.is_relative_to(self._real):
            raise _WorkRefusedError(f"{folder} is not inside the workspace", "outside", folder)
        if not start.is_dir():
            what = "is not a folder" if start.exists() else "is not there"
            message = f"{folder} {what}, and `pattern` needs a folder"
            raise _WorkRefusedError(message, "not_a_folder", folder)

        try:
            found = [path for path in start.glob(pattern) if path.is_file()]
        except ValueError as error:
            message = f"{pattern} is not a pattern: {error}"
            raise _WorkRefusedError(message, "not_a_pattern", pattern) from error

        inside = [path for path in found if Path(os.path.realpath(path)).is_relative_to(self._real)]
        return sorted({self._place(str(path.relative_to(self._real))) for path in inside})

    def _moves(self, work: FileWork, now: datetime) -> list[tuple[Path, Path]]:
        """Sources and targets, without files that are their own target. Refused before anything is
        moved if one file would overwrite another."""
        source_of: dict[Path, Path] = {}
        for source in self._chosen(work, now):
            target = self._target(source, work)
            if target in source_of:
                message = f"two folders contain {target.name}, and both would go to the same place"
                raise _WorkRefusedError(message, "same_target", target.name)

            source_of[target] = source

        moves = [
            (source, target) for target, source in source_of.items() if not _is_same(source, target)
        ]
        if len(moves) < len(source_of) and not work.pattern:
            raise _WorkRefusedError(
                f"{work.path} is both the source and the destination", "itself", work.path
            )

        return moves

    def _target(self, source: Path, work: FileWork) -> Path:
        """In a folder, or in what is written as one, the file keeps its name. What a pattern finds
        always goes into a folder."""
        target = self._inside(work.destination)
        if work.pattern and target.exists() and not target.is_dir():
            raise _WorkRefusedError(
                f"{work.destination} is a file, and what a pattern finds goes into a folder",
                "not_a_folder",
                work.destination,
            )
        if work.pattern or target.is_dir() or work.destination.endswith("/"):
            return self._inside(f"{work.destination}/{source.name}")

        return target

    # -- where -------------------------------------------------------------------------------------

    def _file(self, name: str) -> Path:
        self._inside(name)  # refuses a link that leads out of the workspace
        path = self._place(name)
        if not os.path.lexists(path):
            raise _WorkRefusedError(f"{name} does not exist", "not_there", name)
        if path.is_dir() and not path.is_symlink():
            raise _WorkRefusedError(
                f"{name} is a folder; for the files in it, add a pattern such as `*`",
                "a_folder",
                name,
            )

        return path

    def _content(self, path: Path) -> Path:
        """The file itself; for a link, its target."""
        name = path.relative_to(self._real).as_posix()
        real = self._inside(name)
        if not real.is_file():
            raise _WorkRefusedError(f"{name} does not lead to a file", "not_a_file", name)

        return real

    def _inside(self, name: str) -> Path:
        """The real path of a name; refused if that is outside of the workspace."""
        return self._checked(Path(os.path.realpath(self._workspace / name)), name)

    def _place(self, name: str) -> Path:
        """The real folder and the name in it; a link is not followed."""
        path = self._workspace / name
        if path.name == "..":
            return self._inside(name)

        return self._checked(Path(os.path.realpath(path.parent)) / path.name, name)

    def _checked(self, path: Path, name: str) -> Path:
        if not path.is_relative_to(self._real) or path == self._real:
            raise _WorkRefusedError(f"{name} is not inside the workspace", "outside", name)

        problem = self._problem_at(path.relative_to(self._real).as_posix())
        if problem:
            raise _WorkRefusedError(problem.message, "protected", name)

        return path


def _count(files: Sized) -> str:
    return "1 file" if len(files) == 1 else f"{len(files)} files"


def _is_same(source: Path, target: Path) -> bool:
    return source.exists() and target.exists() and source.samefile(target)


def _is_older(path: Path, than: timedelta | None, now: datetime) -> bool:
    return than is None or now.timestamp() - path.lstat().st_mtime > than.total_seconds()


def _write(content: bytes | Path, path: Path, undo: UndoFolder) -> str:
    _keep(path, content_digest(content), undo)
    put(content, path)
    return "OK"


def _delete(path: Path, undo: UndoFolder) -> None:
    _keep(path, None, undo)
    path.unlink()


def _keep(path: Path, becomes: str | None, undo: UndoFolder) -> None:
    """Keep what is going to be replaced or deleted. Folders that have to be made for it are noted
    too, so that undo removes them."""
    if path.is_dir() and not path.is_symlink():
        raise _WorkRefusedError(f"{path.name} is a folder", "a_folder", path.name)

    for parent in reversed(path.parents):
        if not parent.exists():
            undo.keep(parent, FOLDER)

    undo.keep(path, becomes)


def content_digest(content: bytes | Path) -> str | None:
    """The digest of bytes, or of what is at a path; None if nothing is there."""
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
    """Write this content to a file, whole or not at all. Of a path, the content and the times are
    copied."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        write_atomically(path, content, half_made(path))
        return

    with replacing(path, half_made(path)) as fresh:
        if content.is_symlink():
            fresh.symlink_to(content.readlink())
        else:
            _copy(content, fresh)


def _copy(source: Path, fresh: Path) -> None:
    with open(source, "rb") as old, open(fresh, "xb") as new:  # "x": never through a link
        shutil.copyfileobj(old, new)
        new.flush()
        os.fsync(new.fileno())

    shutil.copystat(source, fresh)
