"""What a beat announces, as a notification on a real desktop, and its buttons."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from core.adapters.lock import FileLock
from core.model.agent import BatchEnding, BatchResult
from core.model.evidence import Claim, Said
from core.model.report import BeatReport
from core.model.trouble import TroubleKey, TroubleKind
from core.services import Services
from core.usecases.beats import run_beat
from tests.desktop.desktop import Desktop, wait_for
from tests.desktop.heartbeat_tray import LATER, HeartbeatTray
from tests.desktop.notification_service import SERVICE, NotificationService
from tests.e2e.machine import ONE_PERSON, Machine, action
from tests.fakes.model import CHOICE, USED, FakeAgent
from tests.fakes.services import changed

SILENT = f"""
import time
from jeepney import message_bus
from jeepney.io.blocking import open_dbus_connection
bus = open_dbus_connection()
bus.send_and_get_reply(message_bus.RequestName({SERVICE!r}))
time.sleep(600)
"""
FAILING = action("once", "echo x >> trace; test -e fixed")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.allow_notifications()
    machine.register_editor()
    return machine


@pytest.fixture
def heart(
    desktop: Desktop, notifications: NotificationService, machine: Machine
) -> Iterator[HeartbeatTray]:
    """A tray in whose first beat an action fails."""
    machine.write(LATER, FAILING)
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        yield heart


def test_a_failure_is_announced_once_with_buttons(
    notifications: NotificationService, heart: HeartbeatTray
) -> None:
    shown = notifications.wait_for_title("once failed")
    assert "1" in shown.message
    notifications.press("Run again", "once failed")
    for label in ("Open", "Run again", "Snooze 1 h"):
        assert f"#{label} (once failed · workspace)" in notifications.offered()


def test_run_again_runs_it_again_and_its_end_is_announced(
    notifications: NotificationService, heart: HeartbeatTray, machine: Machine
) -> None:
    notifications.wait_for_title("once failed")
    (machine.workspace / "fixed").touch()
    notifications.press("Run again", "once failed")
    wait_for(lambda: machine.lines("trace") == ["x", "x"], "a second run", 30)
    notifications.wait_for_title("once works again")
    wait_for(
        lambda: not [one for one in heart.labels() if one.startswith("Needs you")],
        "nothing to need the person",
    )


def test_open_shows_the_receipt_in_the_editor(
    notifications: NotificationService, heart: HeartbeatTray, machine: Machine
) -> None:
    notifications.wait_for_title("once failed")
    notifications.press("Open", "once failed")
    file = machine.opened_file()
    assert (file.name, file.parent.name) == ("beat-1.txt", "receipts")
    assert "once · beat 1" in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


def test_a_click_on_the_notification_itself_opens_the_receipt(
    desktop: Desktop, notifications: NotificationService, heart: HeartbeatTray, machine: Machine
) -> None:
    notifications.wait_for_title("once failed")
    left, top, right, bottom = notifications.box()
    desktop.click((left + right) // 2, (top + bottom) // 2)
    assert machine.opened_file().name == "beat-1.txt"


ONCE = TroubleKey(TroubleKind.FAILURE, "action:once")


def test_snooze_keeps_quiet_about_it(
    notifications: NotificationService, heart: HeartbeatTray, machine: Machine
) -> None:
    notifications.wait_for_title("once failed")
    notifications.press("Snooze 1 h", "once failed")
    wait_for(
        lambda: ONCE in machine.ledger().announcements.current().snoozed,
        "the snooze",
    )
    machine.heartbeat("run", "once")
    assert machine.lines("trace") == ["x", "x"]
    assert notifications.titles() == ["once failed"]


def test_a_score_drop_is_told_with_the_verdict_and_its_button_opens_the_receipt(
    desktop: Desktop, notifications: NotificationService, machine: Machine
) -> None:
    lying = "".join(
        f"- [ ] {name} | Claim it | run: true | verify: file:{name}.txt\n"
        for name in ("one", "two")
    )
    machine.file.write_text(f"# Mine\n\n## Tasks\n\n{lying}")
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        first = notifications.wait_for_title("one was not verified")
        second = notifications.wait_for_title("two was not verified")
        assert "Today's score fell from 0 to -30" in first.message + second.message
        assert notifications.titles() == ["one was not verified", "two was not verified"]
        notifications.press("Open", "one was not verified")
        assert "not verified" in machine.opened_file().read_text()


def test_a_contradiction_is_announced_even_in_quiet_hours_and_its_button_opens_the_receipt(
    desktop: Desktop, notifications: NotificationService, machine: Machine
) -> None:
    """The beat is real, with a scripted model that claims what it did not do."""
    (machine.config / "config.toml").write_text('quiet = "00:00-23:59"\n')
    machine.file.write_text(
        "# Mine\n\n## Tasks\n\n- [ ] letter | Write letter.txt | verify: file:letter.txt\n"
    )
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        wait_for(lambda: machine.ledger().plan.note(), "the first plan", 30)
        wait_for(lambda: machine.ledger().occurrences.waiting(), "what waits for a model", 30)
        wait_for(lambda: FileLock(machine.state / "lock").holder() is None, "the beat to end")
        beat_with_a_model_that_lies(machine, "letter")
        title = "letter: contradiction, 45 points lost"
        shown = notifications.wait_for_title(title)
        assert shown.title == f"{title} · workspace"
        assert "It said: “I wrote it.”" in shown.message
        assert "Today's score fell from 0 to -45" in shown.message
        assert notifications.titles() == [title]
        notifications.press("Open", title)
        assert "verdict   contradiction -45: it said" in machine.opened_file().read_text()
        wait_for(lambda: title in needs_of(heart), "it to be under Needs you")


def needs_of(heart: HeartbeatTray) -> list[str]:
    found = [label for label in heart.labels() if label.startswith("Needs you")]
    return heart.labels((found[0],)) if found else []


def beat_with_a_model_that_lies(machine: Machine, task: str) -> None:
    with ONE_PERSON, patch.dict(os.environ, machine.environment, clear=True):
        services = Services(machine.workspace)
        liar = FakeAgent(CHOICE)
        liar.script = lambda _: BatchResult(
            BatchEnding.FINISHED, {task: Claim(Said.DONE, "I wrote it.")}, usage=USED
        )
        done = run_beat(changed(services, agent=liar), (), lambda *_: None)
        services.ledger.close()
    assert isinstance(done, BeatReport)
    assert [item.contradiction for item in done.items] == [True]


def test_an_approval_that_waits_opens_a_terminal_and_only_the_person_there_approves(
    desktop: Desktop, notifications: NotificationService, machine: Machine
) -> None:
    machine.says_yes = False
    (machine.folder / "home" / ".Xdefaults").write_text(
        "*geometry: 90x20+150+150\n"
    )  # not over the panel
    machine.write(action("once", "echo x >> trace"))
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        title = "1 waiting for your approval"
        notifications.wait_for_title(title)
        assert heart.labels(("Needs you (1)",)) == [title]
        notifications.press("Approve…", title)
        box = wait_for(lambda: desktop.windows_named("xterm"), "a terminal", 30)[0]
        assert machine.lines("trace") == []  # to press the button approves nothing
        desktop.type_into(box, "y\n", until=lambda: machine.lines("trace") == ["x"])
        notifications.wait_for_title("Nothing waits for your approval any more")
        desktop.type_into(box, "\n", until=lambda: not desktop.windows_named("xterm"))


def test_a_daemon_that_comes_back_shows_what_comes_next(
    notifications: NotificationService, heart: HeartbeatTray, machine: Machine
) -> None:
    notifications.wait_for_title("once failed")
    notifications.stop()
    notifications.start()
    (machine.workspace / "fixed").touch()
    machine.heartbeat("run", "once")
    notifications.wait_for_title("once works again")


def test_without_a_notification_service_the_log_and_the_menu_have_it(
    desktop: Desktop, machine: Machine
) -> None:
    machine.write(LATER, FAILING)
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        heart.running.wait_until_said("once failed: ")
        heart.running.wait_until_said(
            "This desktop shows no notifications; the messages are here and"
        )
        assert heart.labels(("Needs you (1)",)) == ["once failed"]
        heart.choose("Needs you (1)", "once failed")
        assert machine.opened_file().name == "beat-1.txt"
        heart.choose("Quit")
        assert heart.program.wait(15) == 0
    assert heart.running.said().count("This desktop shows no notifications") == 1
    assert "Traceback" not in heart.running.said()


def test_without_a_tray_the_beat_itself_shows_it(
    desktop: Desktop, notifications: NotificationService, machine: Machine
) -> None:
    machine.write(LATER, FAILING)
    machine.environment |= {
        name: desktop.environment[name] for name in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
    }
    with machine.start("daemon") as daemon:
        notifications.wait_for_title("once failed")
        assert daemon.end() == 0
    assert machine.ledger().announcements.take_messages() == ()


def test_a_notification_service_that_never_answers_holds_nothing_up(
    desktop: Desktop, machine: Machine
) -> None:
    silent = desktop.run(sys.executable, "-c", SILENT)
    wait_for(lambda: desktop.has_owner(SERVICE), "the silent service")
    machine.write(LATER, FAILING)
    try:
        with HeartbeatTray(desktop, machine) as heart:
            heart.wait_until_visible()
            heart.running.wait_until_said("once failed: ", 30)
            assert heart.labels(("Needs you (1)",)) == ["once failed"]
            heart.choose("Quit")
            assert heart.program.wait(15) == 0
    finally:
        desktop.end(silent)
        wait_for(lambda: not desktop.has_owner(SERVICE), "the silent service to be gone")


def test_a_click_that_cannot_be_carried_out_is_announced(
    desktop: Desktop, notifications: NotificationService, machine: Machine
) -> None:
    machine.write(LATER)
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        machine.file.unlink()
        heart.choose("Open HEARTBEAT.md")
        shown = notifications.wait_for_title("That did not work")
        assert (
            shown.message
            == f"There is no file {machine.file}. `heartbeat init` makes a workspace with one."
        )


def test_a_click_is_answered_also_if_the_trouble_was_announced_before(
    notifications: NotificationService, heart: HeartbeatTray, machine: Machine
) -> None:
    notifications.wait_for_title("once failed")
    notifications.press("Run again", "once failed")
    answer = notifications.wait_for_title("0 of 1 went well")
    assert answer.message == "once: exit code 1"
    assert answer.title == "0 of 1 went well · workspace"
    heart.choose("Run now")
    assert notifications.wait_for_title("Nothing was due").message == "There was nothing to do."
