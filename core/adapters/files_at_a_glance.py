"""The files of a workspace as they are at this moment, for commands that only look. Cheap to import."""

from pathlib import Path

from core.adapters import workspace_file
from core.model.workspace_file import Found, Missing, Reading, Refusal


class FilesAtAGlance:
    """The `WorkspaceReader` port."""

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
