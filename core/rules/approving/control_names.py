"""Which names in a workspace's top folder control the program: nothing in the sandbox may create
or change them."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from core.model.diagnostic import Problem
from core.model.sandbox import CONTROL_NAMES

MEMORY_FILE = "memory/MEMORY.md"
HISTORY = "history"
GIT = ".git"
OTHER_TOOL = "Use the tool that is made for it."
OTHER_FILE = "Write to another file."
UNFINISHED = ".heartbeat-"  # `.NAME.heartbeat-XXXX` is a version of NAME that is being written


def is_control_name(name: str, others: Iterable[str] = ()) -> bool:
    """Whether the name controls the program, also in another letter case or an equal-looking
    form: some file systems treat those as the same name."""
    folded = _folded(name)
    control = [_folded(known) for known in (*CONTROL_NAMES, *others)]
    return any(folded == known or folded.startswith(f".{known}{UNFINISHED}") for known in control)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def writing_problem(place: str, heartbeat_file: str) -> Problem | None:
    """Why the model may not write to the file at this place of the workspace, links resolved."""
    top = place.partition("/")[0]
    if _folded(place) == _folded(heartbeat_file):
        return Problem(f"{place} is changed under its own name only", OTHER_TOOL)
    if _folded(place) == _folded(MEMORY_FILE):
        return Problem(f"{MEMORY_FILE} is changed by remember and resolve_pending", OTHER_TOOL)
    if _folded(top) == "heartbeat":
        return Problem("prompts are changed by heartbeat_add and heartbeat_remove", OTHER_TOOL)
    if _folded(top) == HISTORY:
        return Problem(f"{HISTORY} is written by Heartbeat alone", OTHER_FILE)
    if any(_folded(part) == GIT for part in place.split("/")):
        reason = (
            f"{place} controls git, which runs what is written there; a model may not change it"
        )
        return Problem(reason, OTHER_FILE)
    if is_control_name(top):
        return control_problem(place)

    return None


def writing_guard(
    root: Path, hidden: Sequence[Path], heartbeat_file: str
) -> Callable[[str], Problem | None]:
    """Why the model may not write to a place of the workspace; the folders have no links."""

    def problem_at(place: str) -> Problem | None:
        if any((root / place).is_relative_to(folder) for folder in hidden):
            return control_problem(place)

        return writing_problem(place, heartbeat_file)

    return problem_at


def control_problem(place: str) -> Problem:
    return Problem(f"{place} controls Heartbeat; a model may not change it", OTHER_FILE)
