"""How a workspace is called where a person reads of it: its folder's name where there is little
room, its path where there is more. Pure."""

from pathlib import Path

from core.rules.printable import one_line

LONGEST_NAME = 30  # characters


def workspace_name(root: Path) -> str:
    """The name of its folder, or its path where it has none."""
    return one_line(root.name or str(root), LONGEST_NAME)


def short_path(path: Path, home: Path) -> str:
    """The path, with `~` for the person's home."""
    if path == home or not path.is_relative_to(home):
        return str(path)

    return str(Path("~") / path.relative_to(home))
