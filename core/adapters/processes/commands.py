"""What running a command has in common on all systems: the variables that it sees, the encoding of
its words, what it prints, and why it could not be started."""

import errno
import sys
from collections.abc import Callable, Mapping

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
TELL_INTERVAL = 1.0  # seconds
LONGEST_TOLD = 65536  # bytes
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


class Telling:
    """Decides when the last line of a running command is told: `TELL_INTERVAL` after it first
    printed something, and then at most once per `TELL_INTERVAL`. Of a short command nothing is
    told: nobody could read it, and each line is a file that is written. A line that came too early
    is told when its time has come, also where the command prints no more."""

    def __init__(
        self,
        output: "CapturedOutput",
        on_line: Callable[[str], None] | None,
        monotonic: Callable[[], float],
    ) -> None:
        self._output = output
        self._on_line = on_line
        self._monotonic = monotonic
        self._has_news = False
        self._told = ""
        # Not asked of the clock: an interrupt there would come before anybody ends the command.
        self._not_before: float | None = None

    def printed(self) -> None:
        self._has_news = self._on_line is not None
        if self._has_news and self._not_before is None:
            self._not_before = self._monotonic() + TELL_INTERVAL

    def wait_limit(self) -> float | None:
        """Seconds until there is something to tell; None if there is nothing."""
        if self._not_before is None or not self._has_news:
            return None

        return max(0.0, self._not_before - self._monotonic())

    def tell(self) -> None:
        """Tell the last line if it is new and its time has come."""
        if self._on_line is None or self.wait_limit() != 0:
            return

        self._has_news = False
        self._not_before = self._monotonic() + TELL_INTERVAL
        line = self._output.last_whole_line()
        if line and line != self._told:
            self._told = line
            self._on_line(line)


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

    def last_whole_line(self) -> str:
        """The last line that is not blank and has its line break; empty if there is none. Part of a
        line is never shown: it might be part of a secret, which nobody would recognize."""
        window = bytes(self._last[-LONGEST_TOLD:])
        if len(window) < LONGEST_TOLD:
            window = bytes(self._first[len(window) - LONGEST_TOLD :]) + window

        lines = window.replace(b"\r", b"\n").split(b"\n")
        is_cut = len(window) == LONGEST_TOLD
        whole = lines[1 if is_cut else 0 : -1]
        found = next((line.strip() for line in reversed(whole) if line.strip()), b"")

        return found.decode(errors="replace")

    def _shorten(self) -> None:
        surplus = max(0, len(self._last) - HALF)
        del self._last[:surplus]
        self._left_out += surplus
