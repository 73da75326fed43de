"""Which names in a workspace's top folder steer the program: nothing in the sandbox may make or change those."""

import unicodedata
from collections.abc import Iterable

from core.model.sandbox import CONTROL_NAMES

UNFINISHED = ".heartbeat-"  # `.NAME.heartbeat-XXXX` is a version of NAME on its way in or out


def is_control_name(name: str, others: Iterable[str] = ()) -> bool:
    """Also in another letter case or an equal-looking form: some file systems take those for the same name."""
    folded = _folded(name)
    control = [_folded(known) for known in (*CONTROL_NAMES, *others)]
    return any(folded == known or folded.startswith(f".{known}{UNFINISHED}") for known in control)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
