"""Small windows of the desktop's own that ask the person for something: zenity, kdialog or yad, where there is one.

What is typed comes back through a pipe; it stands in no argument and in no file.
"""

import shutil
import subprocess
from collections.abc import Callable, Sequence

from core.model.errors import HeartbeatError

TITLE = "Heartbeat"
REFUSED = (1, 252)  # the person closed the window: most programs, yad
Arguments = Callable[[str, Sequence[str]], list[str]]

CHOOSE: dict[str, Arguments] = {
    "zenity": lambda text, options: ["--list", f"--title={TITLE}", f"--text={text}", "--column=", *options],
    "kdialog": lambda text, options: [
        *("--title", TITLE, "--menu", text),
        *(word for option in options for word in (option, option)),
    ],
    "yad": lambda text, options: [
        *("--list", f"--title={TITLE}", f"--text={text}", "--column=", "--no-headers", "--separator="),
        *("--height=220", "--width=360", *options),
    ],
}
ASK: dict[str, Arguments] = {
    "zenity": lambda text, _: ["--entry", "--hide-text", f"--title={TITLE}", f"--text={text}"],
    "kdialog": lambda text, _: ["--title", TITLE, "--password", text],
    "yad": lambda text, _: ["--entry", "--hide-text", f"--title={TITLE}", f"--text={text}", "--width=360"],
}


def has_dialogs() -> bool:
    return _program() is not None


def choose(text: str, options: Sequence[str]) -> str | None:
    """One of the options; None where the person wants none."""
    return _ask(CHOOSE, text, options)


def ask_secret(text: str) -> str | None:
    """What the person types, without showing it; None where they close the window."""
    return _ask(ASK, text, ())


def _program() -> str | None:
    return next((name for name in CHOOSE if shutil.which(name)), None)


def _ask(ways: dict[str, Arguments], text: str, options: Sequence[str]) -> str | None:
    program = _program()
    assert program, "ask has_dialogs() first"
    done = subprocess.run([program, *ways[program](text, options)], capture_output=True, text=True)
    if done.returncode in REFUSED:
        return None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"it ended with {done.returncode}"]
        raise HeartbeatError(f"{program} could not ask: {last[0]}.", "In a terminal: heartbeat key set PROVIDER")
    return done.stdout.strip("\r\n")
