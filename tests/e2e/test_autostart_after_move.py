"""What starts at login for a folder that is gone: it is named, can be removed, and follows a move."""

from pathlib import Path

from tests.e2e.machine import Machine, action


def entries(machine: Machine) -> list[str]:
    folder = machine.folder / "home" / ".config" / "autostart"
    return [path.read_text() for path in sorted(folder.iterdir())]


def moved(machine: Machine) -> Path:
    """A workspace that starts at login, after its move; where it was."""
    machine.write(action("one", "true"))
    machine.heartbeat("run")
    assert machine.heartbeat("autostart", "on").code == 0
    old = machine.workspace
    machine.workspace = old.rename(machine.folder / "moved")
    return old


def test_the_entry_of_a_folder_that_is_gone_is_named_and_can_be_removed(machine: Machine) -> None:
    old = moved(machine)
    found = {one["name"]: one for one in machine.json("doctor", code=1)["findings"]}["autostart"]
    fix = f"heartbeat -C {old} autostart off"
    assert (found["health"], found["mend"]) == ("problem", fix)
    assert f"What starts at login for {old} leads nowhere" in found["message"]

    done = machine.heartbeat("-C", str(old), "autostart", "off")
    assert (done.code, done.out) == (0, f"Heartbeat does not start at login for {old}.\n")
    assert entries(machine) == []
    assert not old.exists()
    again = machine.heartbeat("-C", str(old), "autostart", "off")
    assert again.code == 2
    assert f"There is no folder {old}." in again.err


def test_after_a_move_the_old_entry_is_told_and_replaced(machine: Machine) -> None:
    old = moved(machine)
    words = "at login Heartbeat still starts for the old path; for this one: heartbeat autostart on"
    assert words in machine.heartbeat("status").out

    assert machine.heartbeat("autostart", "on").code == 0
    (entry,) = entries(machine)
    assert f'"{machine.workspace}"' in entry
    assert str(old) not in entry


def test_without_an_entry_a_move_says_nothing_of_it(machine: Machine) -> None:
    machine.write(action("one", "true"))
    machine.heartbeat("run")
    machine.workspace = machine.workspace.rename(machine.folder / "moved")
    said = machine.heartbeat("status").out
    assert "moved from" in said
    assert "at login" not in said
