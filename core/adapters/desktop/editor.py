"""Opens a file in the person's own editor, the way their desktop does it; the editor outlives
this program."""

import os
import sys
from pathlib import Path

from core.adapters.desktop.launching import launch
from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError


def open_in_editor(path: Path) -> None:
    path = path.absolute()  # so that no name is taken for an option
    if not path.exists():
        raise HeartbeatError(
            f"There is no file {path}.", "`heartbeat init` makes a workspace with one."
        )

    problem = open_by_association(path)
    if problem:
        raise HeartbeatError(
            f"The desktop could not open {path} ({problem.message}).",
            (
                "Choose an application for Markdown files in the desktop's settings, or open the "
                "file yourself."
            ),
        )


def open_by_association(path: Path) -> Problem | None:
    """Open the file with the program that the desktop has for it; return why that does not work, or
    None."""
    if sys.platform == "win32":
        try:
            os.startfile(path)  # noqa: S606 - Windows has no other way
        except OSError as error:
            return Problem(str(error), "")

        return None

    opener = "open" if sys.platform == "darwin" else "xdg-open"
    return launch([opener, str(path)])
