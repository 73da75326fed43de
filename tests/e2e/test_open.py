"""`heartbeat open` on a terminal, and where there is no desktop."""

from tests.e2e.machine import Machine, action
from tests.e2e.terminal import terminal


def own_editor(machine: Machine) -> str:
    editor = machine.folder / "home" / "my editor"
    editor.write_text('#!/bin/sh\necho "$@" > ~/opened\n')
    editor.chmod(0o700)
    return f"'{editor}' --wait"


def test_without_a_desktop_the_editor_of_the_person_is_used(machine: Machine) -> None:
    machine.write(action("one", "true"))
    machine.environment["EDITOR"] = "/nowhere"
    machine.environment["VISUAL"] = own_editor(machine)
    assert machine.heartbeat("open").code == 0
    opened = (machine.folder / "home" / "opened").read_text()
    assert opened == f"--wait {machine.file}\n"


def test_on_a_terminal_the_editor_of_the_person_comes_before_the_desktops(machine: Machine) -> None:
    machine.write(action("one", "true"))
    machine.environment |= {"DISPLAY": ":nowhere", "EDITOR": own_editor(machine)}
    with terminal(machine, "open") as screen:
        assert screen.end() == 0
    assert (machine.folder / "home" / "opened").exists()


def test_without_a_desktop_and_an_editor_it_says_what_to_do(machine: Machine) -> None:
    machine.write(action("one", "true"))
    done = machine.heartbeat("open")
    assert done.code == 2
    assert f"no desktop here to open {machine.file}" in done.err
    assert "export EDITOR=" in done.err


def test_an_editor_that_does_not_work_is_named(machine: Machine) -> None:
    machine.write(action("one", "true"))
    machine.environment["EDITOR"] = "/nowhere/at-all"
    done = machine.heartbeat("open")
    assert (done.code, "/nowhere/at-all cannot be started" in done.err) == (2, True)
    machine.environment["EDITOR"] = "'half"
    assert "Correct VISUAL or EDITOR." in machine.heartbeat("open").err
    machine.environment["EDITOR"] = "false"
    assert "ended with exit code 1" in machine.heartbeat("open").err
