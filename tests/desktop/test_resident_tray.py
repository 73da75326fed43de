"""`heartbeat tray` for real: the installed command, a real workspace, and a person who clicks on
a real panel."""

import re
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from core.model.occurrence import BeatReason
from core.model.status import WorkspaceState
from tests.desktop.desktop import Desktop, wait_for
from tests.desktop.heartbeat_tray import LATER, HeartbeatTray
from tests.desktop.icon_colour import colour_of
from tests.e2e.machine import Machine, action

END_OF_MENU = ["Set API key…", "Start at login", "Quit"]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.register_editor()
    machine.write(LATER)
    return machine


@pytest.fixture
def heart(desktop: Desktop, machine: Machine) -> Iterator[HeartbeatTray]:
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        wait_for(lambda: colour_of(WorkspaceState.IDLE) in heart.colours(), "the idle icon")
        yield heart


def wait_for_state(heart: HeartbeatTray, state: WorkspaceState) -> None:
    wait_for(lambda: colour_of(state) in heart.colours(), f"the icon of {state}")


def test_the_icon_appears_with_the_next_beat_in_its_menu(heart: HeartbeatTray) -> None:
    wait_for(lambda: heart.labels()[0].startswith("workspace · Next beat"), "the next beat")
    assert heart.labels()[1:] == ["Run now", "Pause for", "Open HEARTBEAT.md", *END_OF_MENU]


def test_run_now_makes_a_beat_also_while_paused(desktop: Desktop, machine: Machine) -> None:
    machine.write(LATER, action("once", "echo x >> once"))
    machine.heartbeat("pause")
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        wait_for_state(heart, WorkspaceState.PAUSED)
        heart.choose("Run now")
        wait_for(lambda: machine.lines("once"), "what was due")
        wait_for_state(heart, WorkspaceState.PAUSED)
        assert machine.ledger().beats.recent(1)[0].reason == BeatReason.PERSON
        assert machine.lines("later") == []


def test_while_a_beat_runs_the_icon_shows_it(desktop: Desktop, machine: Machine) -> None:
    machine.write(LATER, action("once", "echo 4 of 10; while ! test -e go; do sleep 0.05; done"))
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        wait_for_state(heart, WorkspaceState.RUNNING)
        assert heart.labels()[0] == "workspace · A beat is running"
        wait_for(
            lambda: re.fullmatch(r"once since \d\d:\d\d: 4 of 10", heart.labels()[1]),
            "what runs, since when, and its last line",
        )
        (machine.workspace / "go").touch()
        wait_for_state(heart, WorkspaceState.IDLE)


def test_a_failure_shows_until_the_next_beat_and_calls_for_attention_until_it_is_over(
    desktop: Desktop, machine: Machine
) -> None:
    machine.write(LATER, action("once", "test -e fixed"))
    failed = "workspace · once failed · next beat"
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        wait_for_state(heart, WorkspaceState.ERROR)
        wait_for(lambda: heart.labels()[0].startswith(failed), "what failed, by its name")
        assert machine.json("status")["state"] == "error"
        machine.heartbeat("run", "later")
        wait_for_state(heart, WorkspaceState.ATTENTION)
        wait_for(lambda: heart.labels()[0].startswith(failed), "what failed, by its name")
        assert heart.labels(("Needs you (1)",)) == ["once failed"]
        (machine.workspace / "fixed").touch()
        machine.heartbeat("run", "once")
        wait_for_state(heart, WorkspaceState.IDLE)


def test_a_pause_survives_a_restart_and_resume_ends_it(
    heart: HeartbeatTray, desktop: Desktop, machine: Machine
) -> None:
    before = datetime.now().astimezone()
    heart.choose("Pause for", "30 minutes")
    wait_for_state(heart, WorkspaceState.PAUSED)
    until = datetime.fromisoformat(machine.json("status")["paused_until"])
    assert timedelta(minutes=30) <= until - before < timedelta(minutes=31)
    heart.choose("Quit")
    assert heart.program.wait(10) == 0
    heart.wait_until_gone()
    with HeartbeatTray(desktop, machine, "again.log") as again:
        again.wait_until_visible()
        wait_for_state(again, WorkspaceState.PAUSED)
        assert again.labels()[0].startswith("workspace · Paused until ")
        again.choose("Resume")
        wait_for_state(again, WorkspaceState.IDLE)
        assert machine.json("status")["paused_until"] is None


def test_open_starts_the_registered_editor_with_the_file(
    heart: HeartbeatTray, machine: Machine
) -> None:
    heart.choose("Open HEARTBEAT.md")
    opened = machine.folder / "home" / "opened"
    assert (
        wait_for(lambda: opened.read_text() if opened.exists() else "", "the editor")
        == f"{machine.file}\n"
    )


def test_quit_ends_it_with_zero_and_the_icon_goes(heart: HeartbeatTray, machine: Machine) -> None:
    heart.choose("Quit")
    before = time.monotonic()
    assert heart.program.wait(10) == 0
    assert time.monotonic() - before < 5
    heart.wait_until_gone()
    assert machine.json("status")["state"] == "stopped"
    assert "Traceback" not in heart.running.said()


def test_commands_in_a_terminal_change_the_icon_at_once(
    heart: HeartbeatTray, machine: Machine
) -> None:
    machine.heartbeat("pause")
    wait_for_state(heart, WorkspaceState.PAUSED)
    machine.heartbeat("resume")
    wait_for_state(heart, WorkspaceState.IDLE)


def test_a_second_one_says_so_and_shows_the_status(heart: HeartbeatTray, machine: Machine) -> None:
    for mode in ("tray", "daemon"):
        done = machine.heartbeat(mode)
        words = f"Heartbeat is already running for {machine.workspace} (pid {heart.program.pid}).\n"
        assert (done.code, done.err) == (0, words)
        assert done.out.startswith(f"{machine.workspace}\n  watching\n")


def test_without_a_display_it_says_so_and_keeps_watch(machine: Machine) -> None:
    del machine.environment["DISPLAY"]
    machine.write(LATER, action("once", "echo x >> once"))
    with machine.start("tray") as running:
        running.wait_until_said(
            "There is no desktop session here, so there is no icon; everything else works.\n"
        )
        wait_for(lambda: machine.lines("once"), "a run")
        assert running.end() == 0
    assert running.said().count("\n") == 2


def test_without_a_command_it_is_the_tray(machine: Machine) -> None:
    del machine.environment["DISPLAY"]
    with machine.start() as running:
        running.wait_until_said("so there is no icon")
        running.wait_until_said("Watching")
        assert running.end() == 0


def test_with_a_display_and_no_session_bus_it_says_so_and_keeps_watch(
    desktop: Desktop, machine: Machine
) -> None:
    machine.environment |= {
        "DISPLAY": desktop.environment["DISPLAY"],
        "XDG_RUNTIME_DIR": str(machine.folder),
    }
    machine.write(LATER, action("once", "echo x >> once"))
    with machine.start("tray") as running:
        running.wait_until_said("Everything else works")
        wait_for(lambda: machine.lines("once"), "a run")
        assert running.end() == 0
    assert "Traceback" not in running.said()
