"""Permission tags: which ones a gate asks for, which of them were not granted, and what the granted ones open to it.

The law: the file asks, the person grants. Nothing that the file says widens a grant, and what a message says about a
missing tag comes from the list here, never from the file.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from core.model.diagnostic import Problem
from core.model.document import Gate
from core.model.sandbox import Reach
from core.rules.permitting.hosts import host_name
from core.rules.permitting.known_tags import NETWORK, PLAIN, READ, WORKSPACE, WRITE, known_tag

SYSTEM_FOLDERS = tuple(map(Path, ("/proc", "/dev", "/sys")))


def asked_tags(gate: Gate) -> tuple[str, ...]:
    """What the gate says that it needs; to list hosts is to ask for the network."""
    implied = (NETWORK,) if gate.allowed_domains else ()
    return tuple(dict.fromkeys((*gate.permissions, *implied)))


def missing_tags(asked: Iterable[str], granted: Sequence[str], workspace: Path, home: Path) -> tuple[str, ...]:
    """Those asked for that no grant covers, in the order of the asking; an unknown tag is never granted."""
    return tuple(tag for tag in asked if not any(_covers(grant, tag, workspace, home) for grant in granted))


def missing_message(missing: Iterable[str]) -> str:
    """The one message about it: it names known tags only, none of the file's own words."""
    known = dict.fromkeys(known_tag(tag) or "one that Heartbeat does not know" for tag in missing)
    return (
        f"The gate was not run, because it asks for a permission that was not granted: {', '.join(known)}. "
        "Grant it in config.toml, under [agent] permissions, or take it out of the gate."
    )


def gate_reach(
    gate: Gate,
    granted: Sequence[str],
    workspace: Path,
    home: Path,
    protected: tuple[Path, ...],
    hidden: tuple[Path, ...],
) -> Reach | Problem:
    """What the granted tags open to a gate that lacks none. A folder is opened as it was granted, not as it was asked
    for: a link that somebody put below it leads nowhere."""
    for domain in gate.allowed_domains:
        if host_name(domain) is None:
            return Problem(f"{domain!r} is not the name of a host.", "Write names only, such as `api.example.com`.")
    asked = [tag for tag in gate.permissions if tag.startswith((READ, WRITE))]
    opening = [grant for grant in granted if any(_covers(grant, tag, workspace, home) for tag in asked)]
    writable = _folders(WRITE, opening, workspace, home)
    readable = _folders(READ, opening, workspace, home)
    return Reach(
        workspace=workspace,
        workspace_writable=WORKSPACE in granted,
        writable=_outermost(writable, [workspace]),
        readable=_outermost(readable, [workspace, *writable]),
        domains=tuple(gate.allowed_domains),
        protected=protected,
        hidden=hidden,
    )


def reach_problem(reach: Reach) -> Problem | None:
    """Why this reach cannot be given. Its paths must be real ones, without links."""
    steering = (reach.workspace, *reach.protected, *reach.hidden)
    for folder in (*reach.writable, *reach.readable):
        writes = folder in reach.writable
        if folder == Path(folder.anchor) or any(folder.is_relative_to(one) for one in (*SYSTEM_FOLDERS, *reach.hidden)):
            return Problem(f"The folder {folder} cannot be opened to a command.", "Name the folder that it needs.")
        if writes and any(path.is_relative_to(folder) for path in steering):
            message = f"The folder {folder} cannot be opened for writing: what steers Heartbeat lies in it."
            return Problem(message, "Name a folder further down, or the one that it needs.")
    return None


def _covers(grant: str, asked: str, workspace: Path, home: Path) -> bool:
    if asked in PLAIN:
        return grant == asked
    folder = _folder(asked, workspace, home)
    if folder is None:
        return False
    if grant == WORKSPACE:
        return folder.is_relative_to(workspace)
    given = _folder(grant, workspace, home)
    enough = grant.startswith(WRITE) or asked.startswith(READ)
    return given is not None and enough and folder.is_relative_to(given)


def _folder(tag: str, workspace: Path, home: Path) -> Path | None:
    """The folder of a `@read:` or `@write:` tag; a relative one lies in the workspace. None: it names none clearly."""
    if known_tag(tag) not in ("@read:DIR", "@write:DIR"):
        return None
    written = tag.partition(":")[2]
    path = home / written[2:] if written.startswith("~/") else home if written == "~" else workspace / written
    return None if ".." in path.parts or "\0" in written else path


def _folders(kind: str, tags: Iterable[str], workspace: Path, home: Path) -> list[Path]:
    folders = [_folder(tag, workspace, home) for tag in tags if tag.startswith(kind)]
    return [folder for folder in folders if folder is not None]


def _outermost(folders: Iterable[Path], opened: Sequence[Path]) -> tuple[Path, ...]:
    """Without those that lie in another one or in what is open already."""
    kept: list[Path] = []
    for folder in sorted(folders, key=lambda folder: len(folder.parts)):
        if not any(folder.is_relative_to(other) for other in (*opened, *kept)):
            kept.append(folder)
    return tuple(kept)
