"""The permission tags: which ones a gate asks for, which of those were not granted, and what the
granted ones allow it. Which ones there are is in core/model/tags.py.

Law: the file asks, and the person grants. A tag that is not listed there cannot be granted. Nothing
in the file widens a grant, and a message about a missing tag uses the words of that list,
never those of the file.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from core.model.diagnostic import Problem
from core.model.document import Gate
from core.model.sandbox import Reach
from core.model.tags import NETWORK, READ, TAGS, WORKSPACE, WRITE
from core.model.waiting import MISSING, Wait, WaitReason

PLAIN = tuple(tag.name for tag in TAGS if not tag.names_a_folder)
FOLDER_TAGS = tuple(tag.name for tag in TAGS if tag.names_a_folder)
GATE_TAGS = tuple(tag.listed for tag in TAGS if tag.gate_may_ask)


def known_tag(tag: str) -> str | None:
    """The tag as it is listed: `@read:/srv/data` is `@read:DIR`. None: there is no such tag."""
    if tag in PLAIN:
        return tag

    for kind in FOLDER_TAGS:
        if tag.startswith(kind) and len(tag) > len(kind):
            return f"{kind}DIR"

    return None


def gate_may_ask(tag: str) -> bool:
    """Whether a gate may name this tag. One that names no folder can be read, but no grant ever
    covers it."""
    return tag in GATE_TAGS or tag.startswith(FOLDER_TAGS)


SYSTEM_FOLDERS = tuple(map(Path, ("/proc", "/dev", "/sys")))


def asked_tags(gate: Gate) -> tuple[str, ...]:
    """The tags that the gate needs; a gate that lists hosts asks for the network."""
    implied = (NETWORK,) if gate.allowed_domains else ()
    return tuple(dict.fromkeys((*gate.permissions, *implied)))


def missing_tags(
    asked: Iterable[str], granted: Sequence[str], workspace: Path, home: Path
) -> tuple[str, ...]:
    """The tags that no grant covers, in the order in which they are asked for. An unknown tag is
    never covered."""
    return tuple(
        tag for tag in asked if not any(_covers(grant, tag, workspace, home) for grant in granted)
    )


def wait_for_tags(missing: Iterable[str]) -> Wait:
    """The wait for missing tags. It names known tags only, and nothing that the file says."""
    known = dict.fromkeys(known_tag(tag) or "" for tag in missing)
    return Wait(WaitReason.PERMISSION, (MISSING, *known))


def gate_reach(
    gate: Gate,
    granted: Sequence[str],
    workspace: Path,
    home: Path,
    protected: tuple[Path, ...],
    hidden: tuple[Path, ...],
) -> Reach | Problem:
    """What the granted tags allow a gate that has all that it asks for. A folder is opened as it
    was granted, not as it was asked for, so that a link below it does not lead further."""
    from core.rules.approving.hosts import allowed_host  # reading most files does not need it

    for domain in gate.allowed_domains:
        host = allowed_host(domain)
        if isinstance(host, Problem):
            return host

    asked = [tag for tag in gate.permissions if tag.startswith(FOLDER_TAGS)]
    opening = [
        grant for grant in granted if any(_covers(grant, tag, workspace, home) for tag in asked)
    ]
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
    """Why this reach cannot be given, or None. Its paths must be real ones, without links."""
    steering = (reach.workspace, *reach.protected, *reach.hidden)
    for folder in (*reach.writable, *reach.readable):
        writes = folder in reach.writable
        if folder == Path(folder.anchor) or any(
            folder.is_relative_to(one) for one in (*SYSTEM_FOLDERS, *reach.hidden)
        ):
            return Problem(
                f"The folder {folder} cannot be opened to a command.",
                "Name the folder that it needs.",
            )

        if writes and any(path.is_relative_to(folder) for path in steering):
            message = (
                f"The folder {folder} cannot be opened for writing: it contains files that "
                "control Heartbeat."
            )
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
    """The folder of a `@read:` or `@write:` tag; a relative one is in the workspace. None if
    it does not name one clearly."""
    if tag in PLAIN or known_tag(tag) is None:
        return None

    written = tag.partition(":")[2]
    if written == "~":
        path = home
    elif written.startswith("~/"):
        path = home / written[2:]
    else:
        path = workspace / written

    return None if ".." in path.parts or "\0" in written else path


def _folders(kind: str, tags: Iterable[str], workspace: Path, home: Path) -> list[Path]:
    folders = [_folder(tag, workspace, home) for tag in tags if tag.startswith(kind)]
    return [folder for folder in folders if folder is not None]


def _outermost(folders: Iterable[Path], opened: Sequence[Path]) -> tuple[Path, ...]:
    """Those that are not inside another one or inside what is open already."""
    kept: list[Path] = []
    for folder in sorted(folders, key=lambda folder: len(folder.parts)):
        if not any(folder.is_relative_to(other) for other in (*opened, *kept)):
            kept.append(folder)

    return tuple(kept)
