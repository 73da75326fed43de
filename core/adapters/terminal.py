"""Opens a terminal window of the person's desktop in which a command of ours asks them something."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence

from core.model.errors import HeartbeatError

# program -> what stands before the command; the desktop's own choice first
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
PATIENCE = 3.0  # seconds in which a terminal that cannot open has said so
STAY = '"$@"; printf "\\nPress Enter to close this window. "; read -r _'  # else the answer is gone before it is read


def open_terminal(command: Sequence[str]) -> None:
    if sys.platform == "win32":
        subprocess.Popen(["cmd", "/k", *command], creationflags=subprocess.CREATE_NEW_CONSOLE)
    elif sys.platform == "darwin":
        line = shlex.join(command).replace("\\", "\\\\").replace('"', '\\"')
        _start(["osascript", "-e", f'tell application "Terminal" to do script "{line}"'], command)
    else:
        _start([*_terminal(command), "sh", "-c", STAY, "sh", *command], command)


def _terminal(command: Sequence[str]) -> list[str]:
    for program, before in TERMINALS.items():
        if shutil.which(program):
            return [program, *before]
    raise cannot_open("none is installed that is known here", command)


def _start(words: Sequence[str], command: Sequence[str]) -> None:
    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
    except OSError as error:
        raise cannot_open(f"{words[0]}: {error.strerror}", command) from error
    try:
        code = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.returncode = code = 0  # the window is open; nobody here waits for its end
    if code:
        raise cannot_open(f"{words[0]} ended with {code}", command)


def cannot_open(reason: str, command: Sequence[str]) -> HeartbeatError:
    return HeartbeatError(f"No terminal could be opened ({reason}).", f"Run it in one yourself: {shlex.join(command)}")
