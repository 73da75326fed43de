"""What a sandboxed command may reach, how it ended, and whether a sandbox works here."""

from pathlib import Path

from core.model.light_dataclass import light_dataclass
from core.model.process import Ending

# A sandboxed command can only read these of the workspace, in any letter case, and cannot create
# them.
CONTROL_NAMES = ("HEARTBEAT.md", "heartbeat", "config.json", ".heartbeat")


@light_dataclass(frozen=True, slots=True)
class Reach:
    """All that a command can touch besides the system's programs. Paths are absolute."""

    workspace: Path
    workspace_writable: bool = True
    writable: tuple[Path, ...] = ()  # folders outside the workspace
    readable: tuple[Path, ...] = ()
    domains: tuple[str, ...] = ()  # hosts, by exact name; without one there is no network
    # In the workspace, besides CONTROL_NAMES: read-only, with the folder that they are in.
    protected: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()  # folders that are not visible at all, wherever they are


@light_dataclass(frozen=True, slots=True)
class SandboxEnding:
    ending: Ending
    # Hosts that it asked for and may not reach, as it spelt them, made printable.
    refused_hosts: tuple[str, ...] = ()
    # What it made or changed in the workspace's top folder that was not copied back.
    kept_out: tuple[str, ...] = ()


@light_dataclass(frozen=True, slots=True)
class SandboxState:
    works: bool
    reason: str = ""  # why not, as a sentence
    fix: str = ""  # what to do about it
