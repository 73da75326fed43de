"""Starting at login: what is done with the text, on each system."""

import errno
import os
import plistlib
import sys
from pathlib import Path

import pytest

from core.adapters.desktop import autostart
from core.model.errors import HeartbeatError
from core.rules.residing.autostart import systemd_unit


def test_the_file_is_written_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    here = autostart.autostart()
    assert (here.written(), here.place) == (
        None,
        str(tmp_path / "config" / "autostart" / "heartbeat.desktop"),
    )
    here.on(["heartbeat"])
    assert here.written() == here.wanted(["heartbeat"])
    here.off()
    here.off()
    assert here.written() is None


def test_a_folder_that_cannot_be_written_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "autostart").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(HeartbeatError) as caught:
        autostart.autostart().on(["heartbeat"])
    assert "cannot be written" in caught.value.message


def test_where_the_disk_is_full_the_entry_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    here = autostart.autostart()
    here.on(["before"])

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(HeartbeatError):
        here.on(["after"])
    assert here.written() == here.wanted(["before"])
    assert [path.name for path in (tmp_path / "autostart").iterdir()] == ["heartbeat.desktop"]


def test_a_link_that_the_person_keeps_there_stays_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "autostart").mkdir()
    (tmp_path / "autostart" / "heartbeat.desktop").symlink_to(tmp_path / "mine")
    here = autostart.autostart()
    here.on(["heartbeat"])
    assert (tmp_path / "mine").read_text() == here.wanted(["heartbeat"])


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A systemctl that notes its arguments, and fails if there is a file `broken` next to it."""
    (tmp_path / "systemctl").write_text(
        '#!/bin/sh\ncd "$(dirname "$0")"; echo "$@" >> asked\n'
        'test ! -e broken || { echo "no bus" >&2; exit 1; }\n'
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
    assert (
        autostart.autostart(without_icon=True).written() is None
    )  # otherwise it would seem to be on


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

    def SetValueEx(self, _: object, name: str, _zero: int, _kind: int, value: str) -> None:  # noqa: N802 - winreg's name
        self.values[name] = value

    def DeleteValue(self, _: object, name: str) -> None:  # noqa: N802 - winreg's name
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


@pytest.mark.parametrize("without_icon", [False, True])
def test_a_second_workspace_is_added_and_each_is_removed_alone(
    systemctl: Path, without_icon: bool
) -> None:
    first, second = Path("/home/ada/Heartbeat"), Path('/home/ada/my "Garden" 100%')
    commands = {
        root: ["heartbeat", "--workspace", str(root), "tray"]
        for root in (first, second, first / "inner")
    }

    def here(root: Path) -> autostart.Autostart:
        return autostart.autostart(root, without_icon=without_icon)

    for root, command in commands.items():
        here(root).on(command)
        here(root).on(command)  # twice is as good as once

    assert all(here(root).written() == here(root).wanted(commands[root]) for root in commands)
    assert len({here(root).place for root in commands}) == 3
    assert str(first) in here(second).others()
    assert len(here(first).others()) == 2

    here(first).off()
    assert here(first).written() is None
    assert here(second).written() == here(second).wanted(commands[second])
    here(first).on(commands[first])
    here(second).off()
    assert here(first).written() == here(first).wanted(commands[first])
