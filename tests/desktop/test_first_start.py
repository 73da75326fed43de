"""The very first start on a real desktop, and starts on a desktop of which parts are missing or
break."""

import signal
from pathlib import Path

import pytest

from core.model.status import WorkspaceState
from tests.desktop.desktop import Desktop, wait_for
from tests.desktop.heartbeat_tray import LATER, HeartbeatTray
from tests.desktop.icon_colour import colour_of
from tests.desktop.keyring_service import KeyringService
from tests.desktop.notification_service import NotificationService
from tests.e2e.machine import Machine, action

FIRST = "First beat: 4 of 4 went well"


def test_the_first_start_makes_a_workspace_in_the_usual_place_and_announces_its_first_beat_once(
    desktop: Desktop, notifications: NotificationService, tmp_path: Path
) -> None:
    machine = Machine(tmp_path)
    machine.says_yes = False
    machine.workspace.rmdir()
    machine.workspace = machine.folder / "home"
    machine.register_editor()
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        shown = notifications.wait_for_title(FIRST)
        made = machine.folder / "home" / "Documents" / "Heartbeat"
        assert shown.title == f"{FIRST} · Heartbeat"
        assert str(made) in shown.message
        assert (made / "files.txt").exists()
        wait_for(lambda: colour_of(WorkspaceState.IDLE) in heart.colours(), "the idle icon")
        assert heart.labels()[0].startswith("Heartbeat · Next beat ")
        assert heart.labels()[1] == "4 of 4 kept today"
        assert notifications.titles() == [FIRST]
        notifications.press("Open", FIRST)
        assert machine.opened_file() == made / "HEARTBEAT.md"
        heart.choose("Quit")
        assert heart.program.wait(15) == 0
    with HeartbeatTray(desktop, machine, "again.log") as again:
        again.wait_until_visible()
        wait_for(lambda: colour_of(WorkspaceState.IDLE) in again.colours(), "the idle icon")
    assert notifications.titles() == [FIRST]


def test_on_a_whole_desktop_the_doctor_finds_nothing(
    desktop: Desktop, notifications: NotificationService, tmp_path: Path
) -> None:
    machine = Machine(tmp_path)
    machine.write(LATER)
    keyring = KeyringService(tmp_path, desktop)
    keyring.open()
    del machine.environment["PYTHON_KEYRING_BACKEND"]
    machine.environment |= {
        name: desktop.environment[name]
        for name in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
    }
    machine.heartbeat("autostart", "on")
    answer = machine.json("doctor")
    keyring.vanish()
    found = {one["name"]: one for one in answer["findings"]}
    assert {name for name, one in found.items() if one["health"] != "works"} == {"model"}
    assert found["notifications"]["message"].startswith("dunst")
    assert "with buttons" in found["notifications"]["message"]
    assert found["tray"]["message"] == "A panel shows tray icons with menus."
    notifications.stop()
    desktop.stop_panel()
    found = {one["name"]: one for one in machine.json("doctor", code=1)["findings"]}
    assert [found[name]["health"] for name in ("notifications", "tray", "keyring")] == [
        "problem"
    ] * 3
    notifications.start()


@pytest.mark.parametrize("how", ["bus", "neither panel nor notifications"])
def test_a_missing_or_broken_part_of_the_desktop_costs_only_that_part_and_one_line(
    how: str, tmp_path: Path
) -> None:
    """A desktop of which there is a bus and nothing else: its display cannot be reached either."""
    folder = tmp_path / "d"
    folder.mkdir()
    desktop = Desktop(folder)
    machine = Machine(tmp_path / "m")
    machine.allow_notifications()
    machine.write(LATER)
    try:
        bus = desktop.start_bus()
        desktop.environment["DISPLAY"] = ":nowhere"
        names = ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
        machine.environment |= {name: desktop.environment[name] for name in names}
        with machine.start("tray") as running:
            running.wait_until_said("with an icon in the tray.")
            running.wait_until_said("This desktop shows no tray at the moment")
            if how == "bus":
                desktop.end(bus)
                running.wait_until_said(
                    "The desktop's session bus is gone, and the tray icon with it"
                )
            machine.write(LATER, action("once", "echo x >> once; exit 3"))
            machine.approve()
            machine.heartbeat("resume")
            running.wait_until_said("once failed", 60)
            if how != "bus":
                running.wait_until_said("This desktop shows no notifications;")
            assert machine.lines("once") == ["x"]
            assert running.end(signal.SIGTERM) == 0
        assert "Traceback" not in running.said()
    finally:
        desktop.stop()
