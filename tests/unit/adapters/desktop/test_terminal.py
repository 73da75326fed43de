"""Terminals that open, with stand-ins that note how they were called."""

import os
import signal
import sys

import pytest

from core.adapters.desktop import launching, terminal
from core.model.errors import HeartbeatError
from tests.e2e.machine import wait_for
from tests.unit.adapters.desktop.stand_in_programs import Programs


@pytest.mark.parametrize("program", list(terminal.TERMINALS))
def test_each_terminal_gets_the_command_word_by_word(programs: Programs, program: str) -> None:
    programs.install(program)
    terminal.open_terminal(["/bin/heart beat", "-C", "/a b", "approve"])
    before = list(terminal.TERMINALS[program])
    assert programs.asked() == [
        *before,
        "sh",
        "-c",
        terminal.STAY,
        "sh",
        "/bin/heart beat",
        "-C",
        "/a b",
        "approve",
    ]


def test_the_desktops_own_choice_comes_first(programs: Programs) -> None:
    programs.install("xterm", "exit 1")
    programs.install("x-terminal-emulator")
    terminal.open_terminal(["heartbeat"])
    assert programs.asked()[0] == "-e"


def test_a_terminal_that_stays_open_is_not_waited_for(
    programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "TIMEOUT", 0.2)
    programs.install("xterm", f"cd {programs.folder}; echo $$ > new; mv new pid; exec sleep 60")
    terminal.open_terminal(["heartbeat"])
    wait_for((programs.folder / "pid").exists, "the terminal")
    os.kill(int((programs.folder / "pid").read_text()), signal.SIGKILL)  # it was still there


@pytest.mark.parametrize(
    ("script", "reason"),
    [("exit 7", "xterm ended with 7"), (None, "no supported terminal program is installed")],
)
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
    assert programs.asked() == [
        "-e",
        """tell application "Terminal" to do script "heartbeat 'a \\"b\\"'\"""",
    ]
