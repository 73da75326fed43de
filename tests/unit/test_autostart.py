"""Starting at login: the text for each system, read back as that system reads it, and what is done with it."""

import plistlib
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.adapters import autostart
from core.model.errors import HeartbeatError
from core.rules.autostarting import desktop_entry, launch_agent, systemd_unit, windows_command_line

words = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"))), min_size=1, max_size=4
)
AWKWARD = ["/opt/my apps/python", "-m", "tray_app.cli", '--workspace=/home/a b/100% "x" $HOME `id` back\\slash', "tray"]


def value(text: str, key: str) -> str:
    (found,) = (line.partition("=")[2] for line in text.splitlines() if line.startswith(f"{key}="))
    return found


def read_exec(line: str) -> list[str]:
    """As the Desktop Entry Specification says: the string's escapes, the quotes, the field codes."""
    unescaped = line.replace("\\\\", "\\").replace("%%", "%")
    found, word, at = [], "", 0
    while at < len(unescaped):
        assert unescaped[at] == '"'
        at += 1
        while unescaped[at] != '"':
            at += unescaped[at] == "\\"
            word += unescaped[at]
            at += 1
        found.append(word)
        word, at = "", at + 2
    return found


@given(words)
def test_a_desktop_starts_exactly_the_words(command: list[str]) -> None:
    assert read_exec(value(desktop_entry(command), "Exec")) == command


def test_the_desktops_own_validator_has_nothing_to_say(tmp_path: Path) -> None:
    (tmp_path / "heartbeat.desktop").write_text(desktop_entry(AWKWARD))
    done = subprocess.run(
        ["desktop-file-validate", str(tmp_path / "heartbeat.desktop")], capture_output=True, text=True
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
    """As the C runtime of Windows takes a command line apart."""
    found, word, quoted, at = [], "", False, 0
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


def test_the_file_is_written_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    here = autostart.autostart()
    assert (here.written(), here.place) == (None, str(tmp_path / "config" / "autostart" / "heartbeat.desktop"))
    here.on(["heartbeat"])
    assert here.written() == here.wanted(["heartbeat"])
    here.off()
    here.off()
    assert here.written() is None


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "autostart").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(HeartbeatError) as caught:
        autostart.autostart().on(["heartbeat"])
    assert "cannot be written" in caught.value.message


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A systemctl that notes its arguments, and fails where a file `broken` lies beside it."""
    (tmp_path / "systemctl").write_text(
        '#!/bin/sh\ncd "$(dirname "$0")"; echo "$@" >> asked\ntest ! -e broken || { echo "no bus" >&2; exit 1; }\n'
    )
    (tmp_path / "systemctl").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def test_the_daemons_unit_is_enabled_and_disabled(systemctl: Path) -> None:
    unit = autostart.autostart(without_icon=True)
    unit.off()
    assert not (systemctl / "asked").exists()
    unit.on(["heartbeat", "daemon"])
    assert unit.written() == systemd_unit(["heartbeat", "daemon"])
    unit.off()
    assert unit.written() is None
    assert (systemctl / "asked").read_text().splitlines() == [
        "--user daemon-reload",
        "--user enable --now heartbeat.service",
        "--user disable --now heartbeat.service",
        "--user daemon-reload",
    ]


def test_without_systemd_it_says_so(systemctl: Path) -> None:
    (systemctl / "broken").touch()
    with pytest.raises(HeartbeatError) as caught:
        autostart.autostart(without_icon=True).on(["heartbeat"])
    assert "no bus" in caught.value.message
    assert "Without systemd" in caught.value.hint
    assert autostart.autostart(without_icon=True).written() is None  # half on would look on


def test_macos_has_a_launch_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv("HOME", str(tmp_path))
    here = autostart.autostart()
    here.on(["heartbeat", "tray"])
    file = tmp_path / "Library" / "LaunchAgents" / "heartbeat.plist"
    assert plistlib.loads(file.read_bytes())["ProgramArguments"] == ["heartbeat", "tray"]
    assert here.written() == here.wanted(["heartbeat", "tray"])


class Registry:
    """As much of winreg as one value needs."""

    HKEY_CURRENT_USER, KEY_SET_VALUE, REG_SZ = 1, 2, 1

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def key(self, *_: object) -> "Registry":
        return self

    OpenKey = CreateKey = key

    def __enter__(self) -> "Registry":
        return self

    def __exit__(self, *_: object) -> None: ...

    def QueryValueEx(self, _: object, name: str) -> tuple[str, int]:  # noqa: N802 - winreg's name
        if name not in self.values:
            raise FileNotFoundError
        return self.values[name], self.REG_SZ

    def SetValueEx(self, _: object, name: str, _zero: int, _kind: int, value: str) -> None:  # noqa: N802
        self.values[name] = value

    def DeleteValue(self, _: object, name: str) -> None:  # noqa: N802
        if self.values.pop(name, None) is None:
            raise FileNotFoundError


def test_windows_has_a_run_key(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "winreg", registry)
    here = autostart.autostart()
    assert here.written() is None
    here.on(["C:\\Program Files\\python.exe", "tray"])
    assert registry.values == {"heartbeat": '"C:\\Program Files\\python.exe" "tray"'}
    assert here.written() == here.wanted(["C:\\Program Files\\python.exe", "tray"])
    here.off()
    here.off()
    assert here.written() is None
