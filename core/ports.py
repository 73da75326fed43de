"""Every way the engine touches the world. A docstring here is a contract: one test suite holds each adapter to it."""

from pathlib import Path
from typing import Protocol

from core.model.workspace_file import Found, Missing, Reading, Refusal


class WorkspaceFiles(Protocol):
    """The files of a workspace that a person writes. Reading never hangs, changes nothing and raises nothing."""

    def find(self, folder: Path) -> Found | Missing | Refusal:
        """The folder's HEARTBEAT.md, in any letter case; the usual spellings win."""
        ...

    def read(self, path: Path, workspace: Path) -> Reading:
        """The file's bytes, at most 1 MiB; a refusal where it is no regular file inside the workspace."""
        ...

    def prompt_files(self, workspace: Path) -> tuple[Path, ...]:
        """The `.md` files of the folder `heartbeat`, in name order; none where there is no such folder."""
        ...
