"""Keeps what an action overwrites or deletes, so that `heartbeat undo` can put it back byte for
byte.

There is one folder per action that changed files: a list of the changes, and the old files. The
list is on the disk before the first change.
"""

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from core.adapters.files.atomic import flush_folder, write_if_changed
from core.adapters.files.operations import content_digest, half_made, put
from core.adapters.folders import make_private
from core.model.file_work import AGENT, Undone, UndoRefused

LIST = "changes.json"
LINES = "lines.json"
KEPT_FOLDERS = 200


@dataclass(frozen=True, slots=True)
class _Change:
    path: str  # in the workspace
    kept: str | None  # the name of the old file in the undo folder; None: there was no file
    after: str | None  # the digest of what the action puts there; None: it deletes the file


class UndoStore:
    def __init__(self, workspace: Path, state: Path) -> None:
        self._workspace = workspace.resolve()  # as the paths in `keep` are
        self._folder = state / "backups" / "undo"

    def open(self, beat: int, item: str) -> "UndoFolder":
        """Make a place for what this action is going to replace. Folders are numbered, so that the
        newest is known."""
        self._forget_old()
        folders = self._folders()
        number = int(folders[-1].name.partition("-")[0]) + 1 if folders else 1

        return UndoFolder(self._workspace, self._folder / f"{number:08d}-{beat}-{_safe(item)}")

    def keep_lines(self, beat: int, item: str, lines: Mapping[str, str | None]) -> None:
        for folder in self._folders():
            if _fits(folder, beat, item):
                text = json.dumps({"item": item, "lines": dict(lines)})
                write_if_changed(folder / LINES, text.encode())

    def undo(self, beat: int | None, item: str | None) -> Undone | UndoRefused:
        chosen = [path for path in reversed(self._folders()) if _fits(path, beat, item)]
        if beat is None:
            chosen = chosen[:1]
        if not chosen:
            return UndoRefused("there is nothing to undo")

        changes = [(folder, change) for folder in chosen for change in reversed(_read(folder))]
        expected: dict[str, set[str | None]] = {}
        for folder, change in changes:
            # The old content too: an action that was killed may not have changed the file yet.
            expected.setdefault(change.path, {change.after, _before(folder, change)})

        for path, digests in expected.items():
            if content_digest(self._workspace / path) not in digests:
                return UndoRefused(f"{path} has changed since; nothing was undone")

        for folder, change in changes:
            self._put_back(folder, change)

        lines = dict(_lines(folder) for folder in chosen if (folder / LINES).exists())
        is_of_batch = any(_item_of(folder) == AGENT for folder in chosen)
        for folder in chosen:
            shutil.rmtree(folder)

        return Undone(_beat_of(chosen[0]), tuple(expected), lines, is_of_batch)

    def tidy(self, beat: int, item: str) -> None:
        for folder in self._folder.glob("*-*-*"):
            if not _fits(folder, beat, item):
                continue

            if not (folder / LIST).exists():  # killed before it changed anything
                shutil.rmtree(folder, ignore_errors=True)
                continue

            for change in _read(folder):
                half_made(self._workspace / change.path).unlink(missing_ok=True)

            (folder / f".{LIST}.new").unlink(missing_ok=True)

    def _put_back(self, folder: Path, change: _Change) -> None:
        target = self._workspace / change.path
        if change.kept is not None:
            put(folder / change.kept, target)
        elif target.is_dir() and not target.is_symlink():
            with suppress(OSError):  # the person has put something into it
                target.rmdir()
        else:
            target.unlink(missing_ok=True)

    def _folders(self) -> list[Path]:
        return sorted(path for path in self._folder.glob("*-*-*") if (path / LIST).exists())

    def _forget_old(self) -> None:
        for path in self._folders()[:-KEPT_FOLDERS]:
            shutil.rmtree(path, ignore_errors=True)


class UndoFolder:
    """What one action replaces or deletes."""

    def __init__(self, workspace: Path, folder: Path) -> None:
        self._workspace = workspace
        self._folder = folder
        self._changes: dict[str, _Change] = {}

    def keep(self, path: Path, becomes: str | None = None) -> None:
        name = str(path.relative_to(self._workspace))
        if name in self._changes:
            self._changes[name] = replace(self._changes[name], after=becomes)
            self._save()
            return

        make_private(self._folder)
        kept = None
        if path.is_symlink():
            kept = str(len(self._changes))
            (self._folder / kept).symlink_to(path.readlink())
        elif path.is_file():
            kept = str(len(self._changes))
            shutil.copy2(path, self._folder / kept)
            with open(self._folder / kept, "rb") as file:
                os.fsync(file.fileno())

        self._changes[name] = _Change(name, kept, becomes)
        self._save()

    def changed(self, path: Path) -> None:
        self.keep(path, content_digest(path))

    def _save(self) -> None:
        text = json.dumps([asdict(change) for change in self._changes.values()])
        write_if_changed(self._folder / LIST, text.encode())
        flush_folder(self._folder.parent)


def _read(folder: Path) -> list[_Change]:
    return [_Change(**entry) for entry in json.loads((folder / LIST).read_text(encoding="utf-8"))]


def _lines(folder: Path) -> tuple[str, dict[str, str | None]]:
    kept = json.loads((folder / LINES).read_text(encoding="utf-8"))
    return kept["item"], kept["lines"]


def _fits(folder: Path, beat: int | None, item: str | None) -> bool:
    is_of_item = item is None or _item_of(folder) == _safe(item)
    return (beat is None or _beat_of(folder) == beat) and is_of_item


def _item_of(folder: Path) -> str:
    """The id of the item, as the folder is named after it."""
    return folder.name.split("-", 2)[2]


def _beat_of(folder: Path) -> int:
    return int(folder.name.split("-", 2)[1])


def _safe(item: str) -> str:
    safe = (character if character.isalnum() or character in "-_" else "_" for character in item)
    return "".join(safe)[:80]


def _before(folder: Path, change: _Change) -> str | None:
    return content_digest(folder / change.kept) if change.kept is not None else None
