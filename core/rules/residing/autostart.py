"""The texts that make a desktop start the program at login: one function per system; and which
workspace such a text is for. Pure."""

from collections.abc import Callable, Sequence
from pathlib import Path

from core.rules.fingerprint import fingerprint

LABEL = "heartbeat"  # of the LaunchAgent and of the Run key


def desktop_entry(command: Sequence[str]) -> str:
    """An XDG autostart entry."""
    return (
        "[Desktop Entry]\n"
        "Type=Application\n"
        "Name=Heartbeat\n"
        "Comment=Does what HEARTBEAT.md asks and checks that it was done\n"
        f"Exec={' '.join(desktop_word(word) for word in command)}\n"
        "Terminal=false\n"
        "X-GNOME-Autostart-enabled=true\n"
    )


def desktop_word(word: str) -> str:
    """Quoted as its specification wants it: first for the command line, then for the file."""
    quoted = "".join(f"\\{character}" if character in '"`$\\' else character for character in word)
    return f'"{quoted}"'.replace("\\", "\\\\").replace("%", "%%")


def systemd_unit(command: Sequence[str]) -> str:
    """A user unit for the resident without an icon."""
    return (
        "[Unit]\n"
        "Description=Heartbeat\n"
        "\n"
        "[Service]\n"
        f"ExecStart={' '.join(systemd_word(word) for word in command)}\n"
        "Restart=on-failure\n"
        "RestartSec=30\n"
        "TimeoutStopSec=15\n"
        "\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )


def systemd_word(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def launch_agent(command: Sequence[str], label: str = LABEL) -> str:
    """A property list for macOS."""
    words = "".join(f"    {plist_word(word)}\n" for word in command)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
        '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        '<plist version="1.0">\n'
        "<dict>\n"
        f"  <key>Label</key><string>{label}</string>\n"
        f"  <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n"
        "  <key>RunAtLoad</key><true/>\n"
        "</dict>\n"
        "</plist>\n"
    )


def plist_word(word: str) -> str:
    return f"<string>{_for_xml(word)}</string>"


def _for_xml(word: str) -> str:
    return word.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def windows_command_line(command: Sequence[str]) -> str:
    """As Windows programs take their command lines apart: backslashes count only before a quote."""
    return " ".join(windows_word(word) for word in command)


def windows_word(word: str) -> str:
    quoted, backslashes = "", 0
    for character in word:
        if character == "\\":
            backslashes += 1
            continue

        quoted += "\\" * (2 * backslashes + 1 if character == '"' else backslashes) + character
        backslashes = 0

    return '"' + quoted + "\\" * (2 * backslashes) + '"'


def own_label(root: Path) -> str:
    """The name of the entry of a workspace that is not the first one."""
    return f"{LABEL}-{fingerprint(str(root).encode(errors='surrogateescape'))[:8]}"


def is_for_other(text: str, root: Path, word: Callable[[str], str]) -> bool:
    """Whether an entry starts another workspace; `word` quotes a word as such an entry does. One
    that names none is not another's."""
    return word("--workspace") in text and word(str(root)) not in text


def is_as_written(path: str, word: Callable[[str], str]) -> bool:
    """Whether a path that `workspace_in` found is the path itself: one with odd characters is shown
    with its quoting."""
    begin, end = word("\0").split("\0")
    return word(path) == f"{begin}{path}{end}"


def workspace_in(text: str, word: Callable[[str], str]) -> str:
    """The workspace that an entry is for, to be shown: a path with odd characters is shown with its
    quoting. Empty if it names none."""
    before, marker, after = text.partition(word("--workspace"))
    begin, end = word("\0").split("\0")
    rest = after.partition(begin)[2] if marker and before else ""

    return rest.partition(end)[0]
