"""Finds the files of a workspace that commands run, and hashes their bytes. Law: no file makes it
hang."""

import os
import stat
from collections.abc import Collection
from pathlib import Path

from core.adapters.files.read import open_inside
from core.model.approval import OUTSIDE, UNREADABLE, Candidate, Script
from core.model.workspace_file import Missing, Refusal, RefusalKind
from core.rules.approving.command_words import looks_like_script

LARGEST = 64 << 20  # a larger script cannot be approved
CHUNK = 1 << 20


class ScriptsOnDisk:
    """The `Scripts` port."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = os.path.realpath(workspace)

    def find(self, candidates: Collection[Candidate]) -> dict[Candidate, Script]:
        found = {candidate: self._script(candidate) for candidate in candidates}
        return {candidate: script for candidate, script in found.items() if script}

    def _script(self, candidate: Candidate) -> Script | None:
        # OSError: it does not exist, or is too long. ValueError: it is not a name. RuntimeError:
        # the home folder of a user who does not exist.
        try:
            place = self._place(candidate.path)
            if stat.S_ISDIR(Path(place).stat().st_mode):
                return None
        except (OSError, ValueError, RuntimeError):
            return None

        opened = open_inside(Path(place), Path(self._workspace))
        name = self._name(place)
        if isinstance(opened, int):
            try:
                return _hashed(opened, name, candidate.is_run)
            finally:
                os.close(opened)

        if isinstance(opened, Missing) or not name:
            return None

        return _refused(opened, place, name, candidate.is_run)

    def _place(self, path: str) -> str:
        if path.startswith(("~", "/")):
            return str(Path(path).expanduser())

        return f"{self._workspace}/{path}"

    def _name(self, place: str) -> str:
        """The file's name in the workspace, with the target for a link that leads out of it; empty
        for a file outside."""
        real = Path(os.path.realpath(place))
        if real.is_relative_to(self._workspace):
            return real.relative_to(self._workspace).as_posix()

        written = Path(os.path.normpath(place))
        if not written.is_relative_to(self._workspace):
            return ""

        return f"{written.relative_to(self._workspace).as_posix()} → {real}"


def _refused(refusal: Refusal, place: str, name: str, is_run: bool) -> Script | None:
    if refusal.kind is RefusalKind.OUTSIDE_LINK:
        return Script(name, OUTSIDE)

    executable = bool(Path(place).stat().st_mode & 0o111)
    if not is_run and not looks_like_script(name, b"", executable):
        return None

    return Script(name, UNREADABLE)


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
