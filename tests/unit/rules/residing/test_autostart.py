"""Starting at login: the text for each system, read back as that system reads it."""

import plistlib
import shlex
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from core.rules.residing.autostart import (
    desktop_entry,
    launch_agent,
    systemd_unit,
    windows_command_line,
)

words = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"))),
    min_size=1,
    max_size=4,
)


AWKWARD = [
    "/opt/my apps/python",
    "-m",
    "tray_app.cli",
    '--workspace=/home/a b/100% "x" $HOME `id` back\\slash',
    "tray",
]


def value(text: str, key: str) -> str:
    (found,) = (line.partition("=")[2] for line in text.splitlines() if line.startswith(f"{key}="))
    return found


def read_exec(line: str) -> list[str]:
    """As the Desktop Entry Specification says: the string's escapes, the quotes, the field
    codes."""
    unescaped = line.replace("\\\\", "\\").replace("%%", "%")
    found = []
    at = 0
    while at < len(unescaped):
        assert unescaped[at] == '"'
        at += 1
        word = ""
        while unescaped[at] != '"':
            at += unescaped[at] == "\\"
            word += unescaped[at]
            at += 1
        found.append(word)
        at += 2
    return found


@given(words)
def test_a_desktop_starts_exactly_the_words(command: list[str]) -> None:
    assert read_exec(value(desktop_entry(command), "Exec")) == command


def test_the_desktops_own_validator_accepts_the_entry(tmp_path: Path) -> None:
    (tmp_path / "heartbeat.desktop").write_text(desktop_entry(AWKWARD))
    done = subprocess.run(
        ["desktop-file-validate", str(tmp_path / "heartbeat.desktop")],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "")


@given(words)
def test_systemd_starts_exactly_the_words(command: list[str]) -> None:
    line = value(systemd_unit(command), "ExecStart").replace("%%", "%").replace("$$", "$")
    assert shlex.split(line) == command


@given(words)
def test_macos_starts_exactly_the_words(command: list[str]) -> None:
    read = plistlib.loads(launch_agent(command).encode())
    assert (read["ProgramArguments"], read["RunAtLoad"]) == (command, True)


@given(words)
def test_windows_starts_exactly_the_words(command: list[str]) -> None:
    assert read_windows(windows_command_line(command)) == command


def read_windows(line: str) -> list[str]:
    """As the C runtime of Windows splits a command line."""
    found = []
    word = ""
    quoted = False
    at = 0
    while at < len(line):
        backslashes = len(line[at:]) - len(line[at:].lstrip("\\"))
        at += backslashes
        if line[at : at + 1] == '"':
            word += "\\" * (backslashes // 2)
            if backslashes % 2:
                word += '"'
            else:
                quoted = not quoted
            at += 1
        elif backslashes:
            word += "\\" * backslashes
        elif line[at] == " " and not quoted:
            found.append(word)
            word = ""
            at += 1
        else:
            word += line[at]
            at += 1
    return [*found, word]
