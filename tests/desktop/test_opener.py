"""Opening a file through the desktop's own way: the real xdg-open, with an editor that only
notes what it was given."""

import os
import signal
import sys
from pathlib import Path

import pytest

from core.adapters.desktop import editor, launching
from core.model.errors import HeartbeatError
from tests.desktop.desktop import wait_for

EDITOR = """[Desktop Entry]
Type=Application
Name=Notepad
Exec={program} %f
MimeType=text/markdown;text/plain;
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A desktop on which nothing is installed that opens files."""
    for variable in ("XDG_CURRENT_DESKTOP", "DESKTOP_SESSION", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv(
        "DISPLAY", ":nowhere"
    )  # xdg-open asks whether there is one before it looks for programs
    return tmp_path


def install_editor(home: Path, script: str) -> None:
    program = home / "editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    applications = home / "data" / "applications"
    applications.mkdir(parents=True)
    (applications / "notepad.desktop").write_text(EDITOR.format(program=program))
    (home / "mimeapps.list").write_text(
        "[Default Applications]\ntext/markdown=notepad.desktop\ntext/plain=notepad.desktop\n"
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "a workspace" / "HEARTBEAT.md"
    file.parent.mkdir()
    file.write_text("## Tasks\n")
    return file


def test_the_registered_editor_is_started_with_the_file(home: Path, file: Path) -> None:
    install_editor(home, 'echo "$@" > ~/opened')
    editor.open_in_editor(file)
    assert (
        wait_for(lambda: (home / "opened").exists() and (home / "opened").read_text(), "the editor")
        == f"{file}\n"
    )


def test_an_editor_that_stays_open_is_not_waited_for(
    home: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "TIMEOUT", 0.5)
    install_editor(home, "echo $$ > ~/pid.new; mv ~/pid.new ~/pid; exec sleep 60")
    editor.open_in_editor(file)
    wait_for((home / "pid").exists, "the editor")
    os.kill(int((home / "pid").read_text()), signal.SIGKILL)  # it was still there


def test_a_file_without_an_application_is_reported(
    home: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "TIMEOUT", 60.0)
    with pytest.raises(HeartbeatError) as caught:
        editor.open_in_editor(file)
    assert str(file) in caught.value.message
    assert "xdg-open ended with" in caught.value.message
    assert "settings" in caught.value.hint


def test_a_missing_xdg_open_is_reported(
    home: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(home))
    with pytest.raises(HeartbeatError) as caught:
        editor.open_in_editor(file)
    assert "xdg-open cannot be started: No such file" in caught.value.message


def test_a_file_that_is_not_there_is_not_opened(home: Path, tmp_path: Path) -> None:
    with pytest.raises(HeartbeatError) as caught:
        editor.open_in_editor(tmp_path / "HEARTBEAT.md")
    assert "There is no file" in caught.value.message


def test_windows_opens_it_with_what_the_file_is_associated_with(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "startfile", opened.append, raising=False)
    editor.open_in_editor(file)
    assert opened == [file]


def test_macos_opens_it_with_open(home: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "open").write_text('#!/bin/sh\necho "$@" > ~/opened\n')
    (home / "open").chmod(0o700)
    monkeypatch.setenv("PATH", f"{home}:{os.environ['PATH']}")
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(launching, "TIMEOUT", 60.0)
    editor.open_in_editor(file)
    assert (home / "opened").read_text() == f"{file}\n"
