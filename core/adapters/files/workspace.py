"""The files of a workspace that a person writes: read as they are now, for commands that only read,
or read and written by a beat, never in the middle of a save.

Cheap to import: the code that writes is imported by the first write.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from core.adapters.files import read as reading

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from core.model.workspace_file import Found, Missing, Reading, Refusal, Snapshot, Writing
    from core.ports.waiting import Clock


class WorkspaceReaderOnDisk:
    """The `WorkspaceReader` port."""

    def find(self, folder: Path) -> Found | Missing | Refusal:
        return reading.find(folder)

    def read(self, path: Path, workspace: Path) -> Reading:
        return reading.read(path, workspace)

    def exists(self, workspace: Path, name: str) -> bool:
        path = (workspace / name).resolve()
        return path.is_relative_to(workspace.resolve()) and path.exists()

    def is_inside(self, workspace: Path, name: str) -> bool:
        # Path.resolve raises where a link leads to itself.
        real = os.path.realpath(workspace)
        place = os.path.realpath(workspace / name)
        return place == real or place.startswith(real.rstrip(os.sep) + os.sep)

    def folder(self, workspace: Path, name: str) -> Path | None:
        path = (workspace / name).resolve()
        if not path.is_relative_to(workspace.resolve()) or not path.is_dir():
            return None

        return path

    def prompt_files(self, workspace: Path) -> tuple[Path, ...]:
        return reading.prompt_files(workspace)


class FilesOnDisk(WorkspaceReaderOnDisk):
    """The `WorkspaceFiles` port."""

    def __init__(self, state: Path, clock: Clock, pause: Callable[[float], None]) -> None:
        self._state = state
        self._clock = clock
        self._pause = pause

    def read(self, path: Path, workspace: Path) -> Reading:
        return reading.read_settled(path, workspace, self._clock.now(), self._pause)

    def write(
        self,
        base: Snapshot,
        workspace: Path,
        change: Callable[[bytes], bytes | None],
        now: datetime,
        add: Callable[[bytes], bytes] = bytes,
    ) -> Writing:
        from core.adapters.files.save import SharedFile  # imported here: most beats write nothing

        file = SharedFile(base.path, workspace, self._state, self._pause)
        return file.write(base, change, now, add)
