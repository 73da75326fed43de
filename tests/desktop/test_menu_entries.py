"""Each entry of the tray's menu does what it says, by real clicks: cancel, receipts, key, login."""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.model.occurrence import Outcome
from core.model.status import WorkspaceState
from tests.desktop.desktop import Desktop, wait_for
from tests.desktop.heartbeat_tray import LATER, HeartbeatTray
from tests.desktop.icon_colour import colour_of
from tests.desktop.keyring_service import KeyringService
from tests.desktop.notification_service import NotificationService
from tests.e2e.machine import Machine, action, alive
from tests.key_server import GOOD_KEY, KeyServer

SHOWN = re.compile(r"long since \d\d:\d\d: step 1")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.register_editor()
    machine.write(LATER)
    return machine


def wait_for_state(heart: HeartbeatTray, state: WorkspaceState) -> None:
    wait_for(lambda: colour_of(state) in heart.colours(), f"the icon of {state}", 30)


def test_cancel_ends_the_beat_and_nothing_begins_again_by_itself(
    desktop: Desktop, machine: Machine
) -> None:
    machine.write(
        action("long", "echo $$ > pid; echo step 1; sleep 600"), action("next", "echo x >> next")
    )
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        wait_for_state(heart, WorkspaceState.RUNNING)
        wait_for(lambda: machine.lines("pid"), "the command")
        wait_for(lambda: SHOWN.fullmatch(heart.labels()[1]), "its last line in the menu", 30)
        heart.choose("Cancel")
        wait_for(lambda: not alive(int(machine.lines("pid")[0])), "the command to end")
        wait_for(lambda: "Run now" in heart.labels(), "the beat to end", 30)
        assert (
            machine.ledger().occurrences.history(item="action:long")[0].outcome
            is Outcome.INTERRUPTED
        )
        assert "10 min" in heart.labels()[0] or "9 min" in heart.labels()[0]
        assert machine.lines("next") == []
        heart.choose("Run now")
        wait_for(lambda: machine.lines("next") == ["x"], "what the person asked for", 30)


def test_cancel_ends_a_beat_of_a_terminal_too(desktop: Desktop, machine: Machine) -> None:
    machine.write(LATER, action("long", "echo $$ > pid; sleep 600", "schedule: yearly:02-28:03:00"))
    with (
        HeartbeatTray(desktop, machine) as heart,
        machine.start("run", "long", log="run.log") as terminal,
    ):
        wait_for(lambda: machine.lines("pid"), "the command")
        machine.heartbeat("status")
        wait_for(lambda: "Cancel" in heart.labels(), "the way to cancel", 40)
        heart.choose("Cancel")
        assert terminal.process.wait(30) == 1


def test_a_recent_beat_opens_its_receipt(desktop: Desktop, machine: Machine) -> None:
    machine.write(LATER, action("once", "echo hello"))
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        (label,) = wait_for(
            lambda: heart.labels(("Recent",)) if "Recent" in heart.labels() else [], "a beat", 30
        )
        assert label.endswith("· 1 kept")
        heart.choose("Recent", label)
        assert "hello" in machine.opened_file().read_text()
        tooltip = heart.ask_icon(
            "org.freedesktop.DBus.Properties.Get", "ss", ("org.kde.StatusNotifierItem", "ToolTip")
        )
        assert tooltip[0][1][3] == "1 of 1 kept today\nLast beats: ✓"


def test_start_at_login_is_switched_on_and_off_and_dex_really_starts_it(
    desktop: Desktop, machine: Machine
) -> None:
    entry = machine.folder / "home" / ".config" / "autostart" / "heartbeat.desktop"
    with HeartbeatTray(desktop, machine) as heart:
        heart.wait_until_visible()
        heart.choose("Start at login")
        wait_for(entry.exists, "the entry")
        wait_for(lambda: heart.is_checked("Start at login"), "the tick")
        heart.choose("Start at login")
        wait_for(lambda: not entry.exists(), "the entry to go")
        wait_for(lambda: not heart.is_checked("Start at login"), "no tick")
        machine.heartbeat("autostart", "on")
        wait_for(lambda: heart.is_checked("Start at login"), "the tick of a command in a terminal")
        heart.choose("Quit")
        assert heart.program.wait(15) == 0
    subprocess.run(["desktop-file-validate", str(entry)], check=True)
    login = machine.environment | {"XDG_CONFIG_DIRS": "/nonexistent"}
    subprocess.run(["dex", "-a", "-e", "XFCE"], env=login, check=True, timeout=60)
    wait_for(lambda: machine.json("status")["state"] == "idle", "the program after the login", 30)
    wait_for(lambda: desktop.panel_shot() != desktop.empty_panel, "its icon")
    holder = wait_for(machine.resident_pid, "the program")
    subprocess.run(["kill", str(holder)], check=True)
    wait_for(lambda: machine.json("status")["state"] == "stopped", "its end")
    heart.wait_until_gone()


def test_after_all_of_it_the_always_on_process_has_loaded_nothing_heavy(
    desktop: Desktop, notifications: NotificationService, machine: Machine
) -> None:
    machine.witness_starts()
    machine.allow_notifications()
    machine.write(action("once", "exit 3"))
    with HeartbeatTray(desktop, machine) as heart:
        notifications.wait_for_title("once failed")
        heart.choose("Needs you (1)", "once failed")
        machine.opened_file()
        notifications.press("Snooze 1 h", "once failed")
        heart.choose("Pause for", "30 minutes")
        wait_for_state(heart, WorkspaceState.PAUSED)
        loaded = machine.loaded_modules(heart.running)
    assert "tray_app.tray.notifications" in loaded
    heavy = {  # not subprocess: watchdog loads it
        "asyncio",
        "pydantic",
        "yaml",
        "frontmatter",
        "keyring",
        "httpx",
        "PIL",
        "Xlib",
        "click",
        "email",
        "ssl",
    }
    assert not heavy & loaded
    assert not [name for name in loaded if name.startswith(("core.rules.reading", "core.agent"))]


@pytest.fixture
def keyring(desktop: Desktop, machine: Machine) -> Iterator[KeyringService]:
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder:
        keyring = KeyringService(Path(folder), desktop)
        keyring.open()
        del machine.environment["PYTHON_KEYRING_BACKEND"]
        yield keyring
        keyring.vanish()


def test_set_api_key_asks_with_a_window_and_the_key_goes_into_the_keyring_and_no_file(
    desktop: Desktop, keyring: KeyringService, notifications: NotificationService, machine: Machine
) -> None:
    with KeyServer() as server, HeartbeatTray(desktop, machine) as heart:
        (machine.config / "config.toml").write_text(
            f'[agent]\nprovider = "anthropic"\nbase_url = "{server.url}"\n'
        )
        heart.wait_until_visible()
        heart.choose("Set API key…")
        box = wait_for(lambda: desktop.windows_named("yad"), "the question whose key it is", 30)[0]
        desktop.type_into(box, "\n", until=lambda: desktop.windows_named("yad") not in ([], [box]))
        box = desktop.windows_named("yad")[0]
        desktop.type_into(box, f"{GOOD_KEY}\n", until=lambda: not desktop.windows_named("yad"))
        shown = notifications.wait_for_title("Heartbeat")
        assert shown.message == "Stored anthropic (…abcd) in the keyring; anthropic accepts it."
    words = ["secret-tool", "lookup", "service", "heartbeat", "username", "anthropic"]
    kept = subprocess.run(words, env=machine.environment, capture_output=True, text=True).stdout
    assert kept == GOOD_KEY
    files = [path for path in machine.folder.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if GOOD_KEY.encode() in path.read_bytes()]
