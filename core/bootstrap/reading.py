"""What a workspace holds, as its files are at this moment."""

from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from core.bootstrap.places import clock, open_ledger, settings_of
from core.model.errors import HeartbeatError

if TYPE_CHECKING:
    from core.model.workspace import Workspace
    from core.ports import WorkspaceReader


def read_workspace(root: Path) -> "Workspace":
    """The workspace as it is now."""
    from core.engine import reading

    name = settings_of(root).heartbeat_file if (root / "config.json").exists() else None
    return reading.read_workspace(_files(), root, name)


def _files() -> "WorkspaceReader":
    """For a look: as the files are at this moment."""
    from core.adapters.files_at_a_glance import FilesAtAGlance

    return FilesAtAGlance()


def read_path(path: Path) -> "Workspace":
    """What `check` was pointed at: a folder, a HEARTBEAT.md of any name, or a file of the folder `heartbeat`."""
    from core.engine import reading

    path = path.expanduser().absolute()
    if path.is_dir():
        return read_workspace(path)
    if not path.exists() and not path.is_symlink():
        raise HeartbeatError(f"{path} is not there.", "Check the path, or make a workspace: heartbeat init")
    if path.parent.name == "heartbeat" and path.suffix == ".md" and path.stem.lower() != "heartbeat":
        return reading.read_prompt_file(_files(), path)
    return reading.read_workspace(_files(), path.parent, path.name)


def with_past_moments(workspace: "Workspace") -> "Workspace":
    """With what is wrong only at this moment."""
    from core.rules import past_moments

    here = clock()
    return past_moments.with_past_moments(workspace, here.now(), here.zone())


def read_text(data: bytes, root: Path) -> "Workspace":
    """A HEARTBEAT.md that stands in no folder, such as standard input."""
    from core.model.workspace import Workspace
    from core.rules.reading.document import read_document

    document = read_document(data)
    return Workspace(root, Path("-"), document, (), document.diagnostics)


def workspace_now(root: Path) -> datetime:
    """The moment in the workspace's zone: its days are the score's days."""
    return clock().now().astimezone(workspace_zone(root))


def workspace_zone(root: Path) -> tzinfo:
    from core.rules.planning import zone_of

    return zone_of(read_workspace(root).document, clock().zone())


def refusal(root: Path) -> str:
    """Why nothing is read from HEARTBEAT.md; nothing where it is."""
    from core.engine.announcing import refusal_of

    return refusal_of(open_ledger(root), read_workspace(root))
