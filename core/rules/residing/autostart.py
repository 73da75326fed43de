"""The texts that make a desktop start the program at login: one function per system. Pure."""

from collections.abc import Sequence

LABEL = "heartbeat"  # of the LaunchAgent and of the Run key


def desktop_entry(command: Sequence[str]) -> str:
    """An XDG autostart entry."""
    return (
        "[Desktop Entry]\n"
        "Type=Application\n"
        "Name=Heartbeat\n"
        "Comment=Does what HEARTBEAT.md asks and checks that it was done\n"
        f"Exec={' '.join(_for_desktop_entry(word) for word in command)}\n"
        "Terminal=false\n"
        "X-GNOME-Autostart-enabled=true\n"
    )


def _for_desktop_entry(word: str) -> str:
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
        f"ExecStart={' '.join(_for_systemd(word) for word in command)}\n"
        "Restart=on-failure\n"
        "RestartSec=30\n"
        "TimeoutStopSec=15\n"
        "\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )


def _for_systemd(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def launch_agent(command: Sequence[str]) -> str:
    """A property list for macOS."""
    words = "".join(f"    <string>{_for_xml(word)}</string>\n" for word in command)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
        '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        '<plist version="1.0">\n'
        "<dict>\n"
        f"  <key>Label</key><string>{LABEL}</string>\n"
        f"  <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n"
        "  <key>RunAtLoad</key><true/>\n"
        "</dict>\n"
        "</plist>\n"
    )


def _for_xml(word: str) -> str:
    return word.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def windows_command_line(command: Sequence[str]) -> str:
    """As Windows programs take their command lines apart: backslashes count only before a quote."""
    return " ".join(_for_windows(word) for word in command)


def _for_windows(word: str) -> str:
    quoted, backslashes = "", 0
    for character in word:
        if character == "\\":
            backslashes += 1
            continue

        quoted += "\\" * (2 * backslashes + 1 if character == '"' else backslashes) + character
        backslashes = 0

    return '"' + quoted + "\\" * (2 * backslashes) + '"'
