"""The files of a workspace as a beat reads and writes them: never in the middle of a save."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from core.adapters import workspace_file
from core.adapters.files_at_a_glance import FilesAtAGlance
from core.model.workspace_file import Reading, Snapshot, Writing
from core.ports import Clock


class FilesOnDisk(FilesAtAGlance):
    """The `WorkspaceFiles` port: reads wait for a save to end."""

    def __init__(self, state: Path, clock: Clock, pause: Callable[[float], None]) -> None:
        self._state = state
        self._clock = clock
        self._pause = pause

    def read(self, path: Path, workspace: Path) -> Reading:
        return workspace_file.read_settled(path, workspace, None, self._clock.now(), self._pause)

    def write(
        self,
        base: Snapshot,
        workspace: Path,
        change: Callable[[bytes], bytes | None],
        now: datetime,
        add: Callable[[bytes], bytes] = bytes,
    ) -> Writing:
        from core.adapters.file_writer import FileOnDisk  # here: most beats write nothing

        return FileOnDisk(base.path, workspace, self._state, self._pause).write(base, change, now, add)
