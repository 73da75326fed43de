"""Opens a file in the person's own editor: on a terminal, and where there is no desktop, the one of
VISUAL or EDITOR; else the way their desktop does it, and then the editor outlives this program."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
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

    if is_on_terminal() or not has_display(os.environ):
        own = own_editor(os.environ)
        if own:
            edit(own, path)
            return

        if not has_display(os.environ):
            raise HeartbeatError(
                f"There is no desktop here to open {path}, and no editor is named.",
                "Name yours, such as: export EDITOR=nano",
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


def is_on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def has_display(environment: Mapping[str, str]) -> bool:
    if sys.platform in ("win32", "darwin"):
        return True

    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def own_editor(environment: Mapping[str, str]) -> list[str]:
    """The command of VISUAL or EDITOR; empty if the person has named none. A blank variable names
    none."""
    named = (environment.get(name, "").strip() for name in ("VISUAL", "EDITOR"))
    written = next(filter(None, named), "")
    try:
        return shlex.split(written)
    except ValueError as error:
        raise HeartbeatError(
            f"The editor `{written}` cannot be read: {error}.", "Correct VISUAL or EDITOR."
        ) from error


def edit(command: list[str], path: Path) -> None:
    """Run it to its end, in this terminal."""
    try:
        exit_code = subprocess.run([*command, str(path)]).returncode
    except OSError as error:
        raise HeartbeatError(
            f"The editor {command[0]} cannot be started: {error.strerror}.",
            "Correct VISUAL or EDITOR.",
        ) from error

    if exit_code:
        raise HeartbeatError(f"The editor {command[0]} ended with exit code {exit_code}.")


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
