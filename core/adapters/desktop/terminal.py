"""Opens a terminal window on the person's desktop, in which a command of ours asks something."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence

from core.adapters.desktop.launching import launch
from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError

# Program -> what comes before the command; the desktop's own choice first.
TERMINALS = {
    "xdg-terminal-exec": (),
    "x-terminal-emulator": ("-e",),
    "gnome-terminal": ("--",),
    "konsole": ("-e",),
    "xfce4-terminal": ("-x",),
    "mate-terminal": ("-x",),
    "kitty": (),
    "alacritty": ("-e",),
    "foot": (),
    "xterm": ("-e",),
}
NO_TERMINAL = Problem("no supported terminal program is installed", "")
# The window waits at the end, so that the person can read the answer.
STAY = '"$@"; printf "\\nPress Enter to close this window. "; read -r _'


def open_terminal(command: Sequence[str]) -> None:
    if sys.platform == "win32":
        subprocess.Popen(["cmd", "/k", *command], creationflags=subprocess.CREATE_NEW_CONSOLE)
        return

    words = window_command(command)
    problem = launch(words) if words else NO_TERMINAL
    if problem:
        raise HeartbeatError(
            f"No terminal could be opened ({problem.message}).",
            f"Run it in one yourself: {shlex.join(command)}",
        )


def window_command(command: Sequence[str]) -> list[str] | None:
    """The command line that opens a window with this command in it; None without a terminal."""
    if sys.platform == "darwin":
        line = shlex.join(command).replace("\\", "\\\\").replace('"', '\\"')
        return ["osascript", "-e", f'tell application "Terminal" to do script "{line}"']

    for program, before_command in TERMINALS.items():
        if shutil.which(program):
            return [program, *before_command, "sh", "-c", STAY, "sh", *command]

    return None
