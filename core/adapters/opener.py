"""Opens a file in the person's own editor, the way their desktop does it; the editor outlives this program."""

import os
import subprocess
import sys
from pathlib import Path

from core.model.errors import HeartbeatError

PATIENCE = 3.0  # seconds in which an opener that cannot do it has said so; some stay for as long as the editor is open


def open_in_editor(path: Path) -> None:
    path = path.absolute()  # so that no name is taken for an option
    if not path.exists():
        raise HeartbeatError(f"There is no file {path}.", "`heartbeat init` makes a workspace with one.")
    if sys.platform == "win32":
        try:
            os.startfile(path)  # noqa: S606  # the one way there is
        except OSError as error:
            raise cannot_open(path, str(error)) from error
    else:
        run_opener("open" if sys.platform == "darwin" else "xdg-open", path)


def run_opener(opener: str, path: Path) -> None:
    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            [opener, str(path)], stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
        )
    except OSError as error:
        raise cannot_open(path, f"{opener} cannot be started: {error.strerror}") from error
    try:
        code = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.returncode = code = 0  # the editor is open; nobody here waits for its end
    if code:
        raise cannot_open(path, f"{opener} ended with {code}")


def cannot_open(path: Path, reason: str) -> HeartbeatError:
    return HeartbeatError(
        f"The desktop could not open {path} ({reason}).",
        "Choose an application for Markdown files in the desktop's settings, or open the file yourself.",
    )
