"""Which names in a workspace's top folder steer the program: nothing in the sandbox may make or change those."""

import unicodedata
from collections.abc import Iterable

from core.model.sandbox import CONTROL_NAMES

MEMORY_FILE = "memory/MEMORY.md"
HISTORY = "history"
GIT = ".git"
UNFINISHED = ".heartbeat-"  # `.NAME.heartbeat-XXXX` is a version of NAME on its way in or out


def is_control_name(name: str, others: Iterable[str] = ()) -> bool:
    """Also in another letter case or an equal-looking form: some file systems take those for the same name."""
    folded = _folded(name)
    control = [_folded(known) for known in (*CONTROL_NAMES, *others)]
    return any(folded == known or folded.startswith(f".{known}{UNFINISHED}") for known in control)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def why_not_written(place: str, heartbeat_file: str) -> str:
    """Why the model may not write to a file whose real place in the workspace this is; nothing where it may."""
    top = place.partition("/")[0]
    if _folded(place) == _folded(heartbeat_file):
        return f"{place} is changed under its own name only"
    if _folded(place) == _folded(MEMORY_FILE):
        return f"{MEMORY_FILE} is changed by remember and resolve_pending"
    if _folded(top) == "heartbeat":
        return "prompts are changed by heartbeat_add and heartbeat_remove"
    if _folded(top) == HISTORY:
        return f"{HISTORY} is written by Heartbeat alone"
    if any(_folded(part) == GIT for part in place.split("/")):
        return f"{place} steers git, which runs what it says there, and is not changed by a model"
    return f"{place} steers Heartbeat and is not changed by a model" if is_control_name(top) else ""
