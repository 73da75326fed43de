"""What running a command has in common on all systems: the variables that it sees, the encoding of
its words, what it prints, and why it could not be started."""

import errno
import sys
from collections.abc import Mapping

from core.model.process import OUTPUT_LIMIT, Command
from core.rules.environment import passed_on

# The variables that a command sees: only harmless ones that are listed here. So it gets no key
# (ANTHROPIC_API_KEY, …_TOKEN), and nothing that leads to the keyring or to an agent
# (DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR, SSH_AUTH_SOCK).
ON_POSIX = frozenset(
    ("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "SHELL", "TMPDIR")
)
ON_WINDOWS = frozenset(
    (
        *("ALLUSERSPROFILE", "APPDATA", "COMMONPROGRAMFILES", "COMMONPROGRAMFILES(X86)"),
        *("COMPUTERNAME", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA"),
        *("NUMBER_OF_PROCESSORS", "OS", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
        *("PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PUBLIC", "SYSTEMDRIVE"),
        *("SYSTEMROOT", "TEMP", "TMP", "TZ", "USERDOMAIN", "USERNAME", "USERPROFILE", "WINDIR"),
    )
)
PASSED = ON_WINDOWS if sys.platform == "win32" else ON_POSIX

NOTICE = "\n[… {} bytes left out …]\n"
HALF = OUTPUT_LIMIT // 2 - 32  # the notice counts too


def command_environment(ours: Mapping[str, str], brought: Mapping[str, str]) -> dict[str, str]:
    return passed_on(ours, PASSED) | dict(brought)


def as_bytes(word: str) -> bytes:
    """A word as the system gets it: in UTF-8, like the file, even if the locale knows only
    ASCII."""
    return word.encode("utf-8", "surrogateescape")


def why_not_started(command: Command, error: OSError | ValueError) -> str:
    """A sentence for the person who wrote the command."""
    if isinstance(error, ValueError):
        return "The command or one of its variables contains a NUL character, which is not allowed."
    if error.filename is not None and str(error.filename) == str(command.folder):
        return f"The folder {command.folder} cannot be entered: {error.strerror}."
    if error.errno == errno.E2BIG:
        return (
            f"The command is too long for this system ({len(command.line)} characters): put it "
            "into a script."
        )

    return f"The system could not start the command: {error.strerror}."


class CapturedOutput:
    """What a command prints, in bounded memory: the first and the last half of the limit."""

    def __init__(self) -> None:
        self._first = bytearray()
        self._last = bytearray()
        self._left_out = 0

    def add(self, piece: bytes) -> None:
        room = HALF - len(self._first)
        self._first += piece[:room]
        self._last += piece[room:]
        if len(self._last) > 2 * HALF:  # not at every piece: moving the bytes costs time
            self._shorten()

    def text(self) -> str:
        """Where something in its middle was left out, a line says how much."""
        self._shorten()
        notice = NOTICE.format(self._left_out).encode() if self._left_out else b""
        return (self._first + notice + self._last).decode(errors="replace")

    def _shorten(self) -> None:
        surplus = max(0, len(self._last) - HALF)
        del self._last[:surplus]
        self._left_out += surplus
