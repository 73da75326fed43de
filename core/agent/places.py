"""Where the names that a model writes lead, as seen from the workspace.

One file has many names: `/home/me/./work/a.md`, `b/../a.md`, a link. What belongs to a task, and
what the model itself wrote, must not depend on which of them it chose.
"""

from collections.abc import Iterable
from os.path import normpath, realpath, relpath
from pathlib import Path

from core.model.evidence import Touched
from core.model.light_dataclass import replace


def touched_inside(touched: Touched, root: Path) -> Touched:
    """The same with paths as seen from the workspace."""
    writes = touched.writes and _places(touched.writes, root)
    return replace(touched, paths=_places(touched.paths, root), writes=writes)


def _places(paths: Iterable[str], root: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place for path in paths for place in _places_of(path, root)))


def _places_of(path: str, root: Path) -> tuple[str, ...]:
    """The place as it is written, and the one that its links lead to."""
    if not path or "\0" in path or "://" in path:
        return (path,)

    whole = str(root / path)
    return (_seen_from(normpath(whole), str(root)), _seen_from(realpath(whole), realpath(root)))


def _seen_from(path: str, root: str) -> str:
    is_inside = path == root or path.startswith(f"{root}/")
    return relpath(path, root) if is_inside else path
