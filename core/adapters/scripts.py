"""The files of a workspace that commands run, with the hash of their bytes. Nothing that it reads makes it hang."""

import os
import stat
from collections.abc import Collection
from pathlib import Path

from core.adapters.workspace_file import open_inside
from core.model.approval import OUTSIDE, UNREADABLE, Candidate, Script
from core.model.workspace_file import Refusal, RefusalKind
from core.rules.permitting.command_words import looks_like_script

LARGEST = 64 << 20  # of a script whose bytes are approved; a larger one cannot be
CHUNK = 1 << 20


class ScriptsOnDisk:
    """The `Scripts` port."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = os.path.realpath(workspace)

    def look(self, candidates: Collection[Candidate]) -> dict[Candidate, Script]:
        return {one: found for one in candidates if (found := self._look_at(one))}

    def _look_at(self, candidate: Candidate) -> Script | None:
        path = candidate.path
        place = str(Path(path).expanduser()) if path.startswith(("~", "/")) else f"{self._workspace}/{path}"
        try:
            if stat.S_ISDIR(Path(place).stat().st_mode):
                return None
        except (OSError, ValueError, RuntimeError):  # not there, too long, no name at all, nobody's home
            return None
        opened = open_inside(Path(place), Path(self._workspace))
        name = self._name(place)
        if isinstance(opened, int):
            try:
                return _hashed(opened, name, candidate.is_run)
            finally:
                os.close(opened)
        return _refused(opened, place, name, candidate.is_run) if isinstance(opened, Refusal) and name else None

    def _name(self, place: str) -> str:
        """The file relative to the workspace; a link that leaves it with its target; nothing for what is elsewhere."""
        real = Path(os.path.realpath(place))
        if real.is_relative_to(self._workspace):
            return real.relative_to(self._workspace).as_posix()
        written = Path(os.path.normpath(place))
        inside = written.is_relative_to(self._workspace)
        return f"{written.relative_to(self._workspace).as_posix()} → {real}" if inside else ""


def _refused(refusal: Refusal, place: str, name: str, is_run: bool) -> Script | None:
    if refusal.kind is RefusalKind.OUTSIDE_LINK:
        return Script(name, OUTSIDE)
    executable = bool(Path(place).stat().st_mode & 0o111)
    return Script(name, UNREADABLE) if is_run or looks_like_script(name, b"", executable) else None


def _hashed(opened: int, name: str, is_run: bool) -> Script | None:
    status = os.fstat(opened)
    head = os.read(opened, CHUNK)
    if not is_run and not looks_like_script(name, head[:2], bool(status.st_mode & 0o111)):
        return None
    if status.st_size > LARGEST:
        return Script(name, UNREADABLE)
    import hashlib

    digest = hashlib.sha256(head)
    size = len(head)
    while (chunk := os.read(opened, CHUNK)) and size <= LARGEST:
        size += len(chunk)
        digest.update(chunk)
    return Script(name, digest.hexdigest() if size <= LARGEST else UNREADABLE)
