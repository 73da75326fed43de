"""Asks the person for something in a small window: zenity, kdialog or yad, whichever is installed.

What the person types comes back through a pipe; it is never in an argument or a file.
"""

import shutil
import subprocess
from collections.abc import Callable, Sequence

from core.model.errors import HeartbeatError

TITLE = "Heartbeat"
CLOSED = (1, 252)  # exit statuses after the person closed the window: most programs, yad

Arguments = Callable[[str, Sequence[str]], list[str]]

CHOOSE: dict[str, Arguments] = {
    "zenity": lambda text, options: [
        "--list",
        f"--title={TITLE}",
        f"--text={text}",
        "--column=",
        *options,
    ],
    "kdialog": lambda text, options: [
        "--title",
        TITLE,
        "--menu",
        text,
        *(word for option in options for word in (option, option)),
    ],
    "yad": lambda text, options: [
        "--list",
        f"--title={TITLE}",
        f"--text={text}",
        "--column=",
        "--no-headers",
        "--separator=",
        "--height=220",
        "--width=360",
        *options,
    ],
}
ASK: dict[str, Arguments] = {
    "zenity": lambda text, _: ["--entry", "--hide-text", f"--title={TITLE}", f"--text={text}"],
    "kdialog": lambda text, _: ["--title", TITLE, "--password", text],
    "yad": lambda text, _: [
        "--entry",
        "--hide-text",
        f"--title={TITLE}",
        f"--text={text}",
        "--width=360",
    ],
}


def has_dialogs() -> bool:
    return _program() is not None


def choose(text: str, options: Sequence[str]) -> str | None:
    """Return the option that the person chose, or None if they closed the window."""
    return _ask(CHOOSE, text, options)


def ask_secret(text: str) -> str | None:
    """Return what the person typed, without showing it, or None if they closed the window."""
    return _ask(ASK, text, ())


def _program() -> str | None:
    return next((name for name in CHOOSE if shutil.which(name)), None)


def _ask(programs: dict[str, Arguments], text: str, options: Sequence[str]) -> str | None:
    program = _program()
    assert program, "call has_dialogs() first"

    done = subprocess.run(
        [program, *programs[program](text, options)], capture_output=True, text=True
    )
    if done.returncode in CLOSED:
        return None

    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"it ended with {done.returncode}"]
        raise HeartbeatError(
            f"{program} could not ask: {last[0]}.", "In a terminal: heartbeat key set PROVIDER"
        )

    return done.stdout.strip("\r\n")
