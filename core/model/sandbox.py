"""What a sandboxed command may reach, how it ended, and whether a sandbox works here; plain values."""

from pathlib import Path

from core.model.process import Ending
from core.model.value import dataclass

# In the workspace these are only read from inside, in any letter case, also where they do not exist yet.
CONTROL_NAMES = ("HEARTBEAT.md", "heartbeat", "config.json", ".heartbeat")


@dataclass(frozen=True, slots=True)
class Reach:
    """All that a command can touch beside the system's programs. Paths are absolute."""

    workspace: Path
    workspace_writable: bool = True
    writable: tuple[Path, ...] = ()  # folders outside the workspace
    readable: tuple[Path, ...] = ()
    domains: tuple[str, ...] = ()  # hosts, by exact name; none: no network at all
    protected: tuple[Path, ...] = ()  # in the workspace, beside CONTROL_NAMES: read-only, with the folder they lie in
    hidden: tuple[Path, ...] = ()  # folders that are not seen at all, wherever they lie


@dataclass(frozen=True, slots=True)
class SandboxEnding:
    ending: Ending
    refused_hosts: tuple[str, ...] = ()  # that it asked for and may not reach, as it spelt them, made printable
    kept_out: tuple[str, ...] = ()  # what it made or changed in the workspace's top folder that was not given back


@dataclass(frozen=True, slots=True)
class SandboxState:
    works: bool
    reason: str = ""  # why not, as a sentence
    mend: str = ""  # what to do about it
