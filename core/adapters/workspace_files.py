"""The files of a workspace as a beat reads and writes them: never in the middle of a save."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from core.adapters import workspace_file
from core.adapters.file_writer import FileOnDisk
from core.model.workspace_file import Found, Missing, Reading, Refusal, Snapshot, Writing
from core.ports import Clock


class FilesAtAGlance:
    """For commands that only look: the files as they are at this moment. Nothing is written."""

    def find(self, folder: Path) -> Found | Missing | Refusal:
        return workspace_file.find(folder)

    def read(self, path: Path, workspace: Path) -> Reading:
        return workspace_file.read(path, workspace)

    def exists(self, workspace: Path, name: str) -> bool:
        path = (workspace / name).resolve()
        return path.is_relative_to(workspace.resolve()) and path.exists()

    def folder(self, workspace: Path, name: str) -> Path | None:
        path = (workspace / name).resolve()
        return path if path.is_relative_to(workspace.resolve()) and path.is_dir() else None

    def prompt_files(self, workspace: Path) -> tuple[Path, ...]:
        return workspace_file.prompt_files(workspace)


class FilesOnDisk(FilesAtAGlance):
    """The `WorkspaceFiles` port: reads wait for a save to end."""

    def __init__(self, state: Path, clock: Clock, pause: Callable[[float], None]) -> None:
        self._state = state
        self._clock = clock
        self._pause = pause

    def read(self, path: Path, workspace: Path) -> Reading:
        return workspace_file.read_settled(path, workspace, None, self._clock.now(), self._pause)

    def write(self, base: Snapshot, workspace: Path, change: Callable[[bytes], bytes | None], now: datetime) -> Writing:
        return FileOnDisk(base.path, workspace, self._state, self._pause).write(base, change, now)
