"""Windows that ask and terminals that open, with stand-ins that note how they were called."""

import os
import signal
import sys
from pathlib import Path

import pytest

from core.adapters import dialogs, terminal
from core.model.errors import HeartbeatError
from tests.e2e.machine import wait_for


class Programs:
    """A folder that is all of PATH, but for the shell."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("sh", "mv", "sleep"):
            (folder / name).symlink_to(f"/bin/{name}")

    def install(self, name: str, script: str = "") -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {self.folder}/asked\n{script}\n")
        path.chmod(0o700)

    def asked(self) -> list[str]:
        return (self.folder / "asked").read_text().splitlines()


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    monkeypatch.setenv("PATH", str(tmp_path))
    return Programs(tmp_path)


@pytest.mark.parametrize(
    ("program", "choosing", "asking"),
    [
        ("zenity", "--list --title=Heartbeat --text=Whose? --column= one two", "--entry --hide-text --title=Heartbeat"),
        ("kdialog", "--title Heartbeat --menu Whose? one one two two", "--title Heartbeat --password Key?"),
        ("yad", "--list --title=Heartbeat --text=Whose? --column=", "--entry --hide-text --title=Heartbeat"),
    ],
)
def test_each_program_is_asked_its_own_way(programs: Programs, program: str, choosing: str, asking: str) -> None:
    programs.install(program, "echo two")
    assert dialogs.has_dialogs()
    assert dialogs.choose("Whose?", ["one", "two"]) == "two"
    assert " ".join(programs.asked()).startswith(choosing)
    assert dialogs.ask_secret("Key?") == "two"
    assert " ".join(programs.asked()).startswith(asking)


@pytest.mark.parametrize("code", [1, 252])
def test_a_closed_window_is_no_answer(programs: Programs, code: int) -> None:
    programs.install("yad", f"exit {code}")
    assert dialogs.choose("Whose?", ["one"]) is None
    assert dialogs.ask_secret("Key?") is None


def test_a_window_that_cannot_open_says_why(programs: Programs) -> None:
    programs.install("zenity", "echo cannot open display >&2; exit 5")
    with pytest.raises(HeartbeatError) as caught:
        dialogs.ask_secret("Key?")
    assert "cannot open display" in caught.value.message


def test_without_such_a_program_there_are_no_dialogs(programs: Programs) -> None:
    assert not dialogs.has_dialogs()


@pytest.mark.parametrize("program", list(terminal.TERMINALS))
def test_each_terminal_gets_the_command_word_by_word(programs: Programs, program: str) -> None:
    programs.install(program)
    terminal.open_terminal(["/bin/heart beat", "-C", "/a b", "approve"])
    before = list(terminal.TERMINALS[program])
    assert programs.asked() == [*before, "sh", "-c", terminal.STAY, "sh", "/bin/heart beat", "-C", "/a b", "approve"]


def test_the_desktops_own_choice_comes_first(programs: Programs) -> None:
    programs.install("xterm", "exit 1")
    programs.install("x-terminal-emulator")
    terminal.open_terminal(["heartbeat"])
    assert programs.asked()[0] == "-e"


def test_a_terminal_that_stays_open_is_not_waited_for(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "PATIENCE", 0.2)
    programs.install("xterm", f"cd {programs.folder}; echo $$ > new; mv new pid; exec sleep 60")
    terminal.open_terminal(["heartbeat"])
    wait_for((programs.folder / "pid").exists, "the terminal")
    os.kill(int((programs.folder / "pid").read_text()), signal.SIGKILL)  # it was still there


@pytest.mark.parametrize(("script", "reason"), [("exit 7", "xterm ended with 7"), (None, "none is installed")])
def test_a_terminal_that_cannot_open_says_what_to_run_instead(
    programs: Programs, script: str | None, reason: str
) -> None:
    if script:
        programs.install("xterm", script)
    with pytest.raises(HeartbeatError) as caught:
        terminal.open_terminal(["heartbeat", "-C", "/a b", "approve"])
    assert reason in caught.value.message
    assert caught.value.hint == "Run it in one yourself: heartbeat -C '/a b' approve"


def test_macos_has_one_terminal(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    programs.install("osascript")
    terminal.open_terminal(["heartbeat", 'a "b"'])
    assert programs.asked() == ["-e", """tell application "Terminal" to do script "heartbeat 'a \\"b\\"'\""""]
