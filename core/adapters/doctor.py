"""Tries out, for `heartbeat doctor`, what the program needs: the keyring, the disk, locks,
watching, the clock, permissions, and whether the desktop shows notifications and a tray.

Each probe does the real thing, leaves nothing behind, and returns a `Diagnosis`.
"""

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from core.adapters.folders import make_private
from core.adapters.keyring_secrets import KeyringSecrets
from core.adapters.lock import FileLock
from core.adapters.messages.desktop import session_bus
from core.model.diagnostic import PROBE_ENTRY, Diagnosis, Health
from core.model.errors import HeartbeatError
from core.model.holder import Holder, Purpose
from core.model.ledger import PlanNote

LEAST_ROOM = 100 * 1024 * 1024  # bytes
FEW_WATCHES = 1024
LARGEST_STEP_BACK = timedelta(hours=3)  # a clock that was set back by more is a problem
MARK = "heartbeat-doctor"

# Programs that keep secrets, or show notifications.
KEYRINGS = ("gnome-keyring-daemon", "kwalletd6", "kwalletd5", "keepassxc")
NOTIFIERS = ("dunst", "mako", "swaync", "notification-daemon")
EXTENSIONS = Path("/usr/share/gnome-shell/extensions")

TIMEOUT = 3.0  # seconds for an answer on the session bus
NOTIFICATIONS = (
    "org.freedesktop.Notifications",
    "/org/freedesktop/Notifications",
    "org.freedesktop.Notifications",
)
WATCHER = (
    "org.kde.StatusNotifierWatcher",
    "/StatusNotifierWatcher",
    "org.freedesktop.DBus.Properties",
)
# An address, a method, its signature, its arguments -> the answer; None: the call was refused.
Ask = Callable[..., Any]


class Probes:
    """What can be tried out for a workspace, one method each."""

    def __init__(self, root: Path, state: Path) -> None:
        self._root = root
        self._state = state

    def workspace(self, file: Path) -> Diagnosis:
        if os.access(file, os.R_OK):
            return Diagnosis("workspace", Health.WORKS, f"{file} is there.")

        words = (
            f"{file} cannot be read."
            if file.exists()
            else f"There is no {file.name} in {self._root}."
        )
        return Diagnosis("workspace", Health.PROBLEM, words, _quoted("heartbeat init", self._root))

    def disk(self) -> Diagnosis:
        folders = [make_private(self._state)]
        if self._root.is_dir():
            folders.append(self._root)

        return try_disk(folders)

    def lock(self, now: datetime) -> Diagnosis:
        """Take a lock twice, in a folder for this alone: on some network disks both would get
        it."""
        state = self._state
        try:
            make_private(state)
            with tempfile.TemporaryDirectory(dir=state, prefix=f".{MARK}-") as folder:
                path = Path(folder) / "lock"
                first = FileLock(path).acquire(Purpose.DOCTOR, now)
                second = FileLock(path).acquire(Purpose.DOCTOR, now)
                is_sound = not isinstance(first, Holder) and isinstance(second, Holder)

                for held in (first, second):
                    if not isinstance(held, Holder):
                        held.release()
        except (HeartbeatError, OSError) as error:
            return Diagnosis(
                "lock", Health.PROBLEM, f"{error}", f"ls -ld {shlex.quote(str(state))}"
            )

        if not is_sound:
            words = f"Two holders got the same lock in {state}: this disk cannot lock files."
            return Diagnosis(
                "lock",
                Health.PROBLEM,
                words,
                "export HEARTBEAT_STATE_DIR=~/.local/state/heartbeat-local",
            )

        return Diagnosis(
            "lock", Health.WORKS, "A lock was taken once, and refused the second time."
        )

    def watching(self) -> Diagnosis:
        """Check that the system reports changes."""
        if sys.platform != "linux":
            return Diagnosis("watching", Health.WORKS, "This system reports changed files.")

        from core.adapters.waiting.folder_events import FolderEvents

        more = "sudo sysctl fs.inotify.max_user_watches=65536 fs.inotify.max_user_instances=512"
        events = FolderEvents()

        try:
            with tempfile.TemporaryDirectory(
                dir=make_private(self._state), prefix=f".{MARK}-"
            ) as folder:
                events.watch(self._root)
                events.watch(Path(folder))
                (Path(folder) / "changed").touch()
                heard = events.wait(2.0)
        except (HeartbeatError, OSError) as error:
            return Diagnosis(
                "watching", Health.PROBLEM, f"The workspace cannot be watched: {error}", more
            )
        finally:
            events.close()

        if not heard:
            return Diagnosis(
                "watching", Health.PROBLEM, "The system did not report a changed file.", more
            )

        most = int(Path("/proc/sys/fs/inotify/max_user_watches").read_text())
        if most < FEW_WATCHES:
            return Diagnosis(
                "watching", Health.PROBLEM, f"Only {most} folders can be watched in total.", more
            )

        return Diagnosis(
            "watching", Health.WORKS, f"A change was seen; up to {most} folders can be watched."
        )

    def clock(self, now: datetime, note: PlanNote | None) -> Diagnosis:
        """Check that the last plan is not in the future; `now` is in the person's zone."""
        if note and note.made - now > LARGEST_STEP_BACK:
            words = (
                f"The clock says {now:%Y-%m-%d %H:%M}, but the last plan was made at "
                f"{note.made:%Y-%m-%d %H:%M} UTC."
            )
            return Diagnosis("clock", Health.PROBLEM, words, "sudo timedatectl set-ntp true")

        return Diagnosis(
            "clock", Health.WORKS, f"It is {now:%Y-%m-%d %H:%M}, {now.tzinfo} (UTC{now:%z})."
        )

    def permissions(self, private: list[Path], files: list[Path]) -> Diagnosis:
        """Check that only the owner can read what is private, and that not everyone can change the
        files that decide what runs."""
        if not hasattr(os, "getuid"):
            return Diagnosis(
                "permissions",
                Health.WORKS,
                "This system already keeps your files private.",
            )

        for path in (*private, *files):
            problem = _wrong_permissions(path, is_private=path in private)
            if problem:
                return problem

        return Diagnosis("permissions", Health.WORKS, "Only you can read private files.")

    def keyring(self) -> Diagnosis:
        """Write, read, delete."""
        secrets = KeyringSecrets()
        try:
            secrets.set(PROBE_ENTRY, MARK)
            is_back = secrets.get(PROBE_ENTRY) == MARK
            secrets.delete(PROBE_ENTRY)
        except HeartbeatError as error:
            fix = keyring_fix(error.hint)
            return Diagnosis("keyring", Health.PROBLEM, error.message, fix)

        if not is_back:
            return Diagnosis(
                "keyring",
                Health.PROBLEM,
                "The keyring returned a different value.",
                keyring_fix("Log in to the desktop, or unlock the keyring."),
            )

        return Diagnosis("keyring", Health.WORKS, "A secret was stored, read and deleted.")

    def notifications(self) -> Diagnosis:
        return _on_the_bus("notifications", _notifications)

    def tray_host(self) -> Diagnosis:
        return _on_the_bus("tray", _tray_host)


def keyring_fix(hint: str) -> str:
    """What to install, but only where none of them is; else the hint."""
    if sys.platform == "linux" and not is_installed(*KEYRINGS):
        return "sudo apt-get install gnome-keyring  (then log in again)"

    return hint


def is_installed(*programs: str) -> bool:
    """Whether one of them is. Some are no commands, and only started by the desktop."""
    return any(shutil.which(name) or Path("/usr/libexec", name).exists() for name in programs)


def try_disk(folders: list[Path]) -> Diagnosis:
    """Write to each folder, and report the free space of the last one."""
    for folder in folders:
        try:
            with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{MARK}-") as file:
                file.write(MARK.encode())
                file.flush()
                os.fsync(file.fileno())

            free = shutil.disk_usage(folder).free
        except OSError as error:
            fix = f"ls -ld {shlex.quote(str(folder))}"
            return Diagnosis(
                "disk", Health.PROBLEM, f"{folder} cannot be written: {error.strerror}.", fix
            )

        if free < LEAST_ROOM:
            fix = f"df -h {shlex.quote(str(folder))}"
            words = f"The disk of {folder} has only {free // 1024 // 1024} MiB left."
            return Diagnosis("disk", Health.PROBLEM, words, fix)

    return Diagnosis(
        "disk", Health.WORKS, f"A file was written; {free // 1024 // 1024 // 1024} GiB are free."
    )


def _wrong_permissions(path: Path, *, is_private: bool) -> Diagnosis | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        words = f"{path}: {error.strerror}."
        return Diagnosis("permissions", Health.PROBLEM, words, _quoted("ls -ld", path))

    if found.st_uid not in (os.getuid(), 0):
        words = f"{path} belongs to another user."
        return Diagnosis("permissions", Health.PROBLEM, words, _quoted("ls -ld", path))

    if is_private and found.st_mode & 0o077:
        words = f"Others can read {path}."
        return Diagnosis("permissions", Health.PROBLEM, words, _quoted("chmod go=", path))

    if found.st_mode & 0o002:
        words = f"Everyone can change {path}."
        return Diagnosis("permissions", Health.PROBLEM, words, _quoted("chmod o-w", path))

    return None


def _quoted(command: str, path: Path) -> str:
    return f"{command} {shlex.quote(str(path))}"


def _on_the_bus(name: str, look: Callable[[Ask], Diagnosis]) -> Diagnosis:
    if sys.platform in ("win32", "darwin"):
        return Diagnosis(name, Health.WORKS, "It comes with this system.")

    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        words = "There is no desktop session here; Heartbeat works without one."
        return Diagnosis(name, Health.ABSENT, words, "heartbeat daemon")

    from jeepney import DBusAddress, MessageType, new_method_call
    from jeepney.io.blocking import open_dbus_connection

    try:
        with open_dbus_connection(session_bus()) as connection:

            def ask(
                address: tuple[str, str, str],
                method: str,
                takes: str | None = None,
                values: Any = (),
            ) -> Any:
                owner, path, interface = address
                call = new_method_call(DBusAddress(path, owner, interface), method, takes, values)
                answer = connection.send_and_get_reply(call, timeout=TIMEOUT)

                return None if answer.header.message_type is MessageType.error else answer.body

            return look(ask)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        words = (
            f"The desktop's session bus cannot be reached ({str(error) or type(error).__name__})."
        )
        return Diagnosis(name, Health.PROBLEM, words, "dbus-run-session -- heartbeat")


def _notifications(ask: Ask) -> Diagnosis:
    server = ask(NOTIFICATIONS, "GetServerInformation")
    if server is None:
        words = (
            "This desktop has no notification service; messages are shown in the tray's menu and "
            "the log."
        )
        fix = "sudo apt-get install dunst  (then log in again)"
        if is_installed(*NOTIFIERS):
            started = next(name for name in NOTIFIERS if is_installed(name))
            fix = f"Start the one that is installed: {started} &"

        return Diagnosis("notifications", Health.PROBLEM, words, fix)

    abilities = ask(NOTIFICATIONS, "GetCapabilities")
    buttons = "with buttons" if abilities and "actions" in abilities[0] else "without buttons"
    return Diagnosis(
        "notifications", Health.WORKS, f"{server[0]} {server[2]} shows them, {buttons}."
    )


def _tray_host(ask: Ask) -> Diagnosis:
    wanted = ("org.kde.StatusNotifierWatcher", "IsStatusNotifierHostRegistered")
    host = ask(WATCHER, "Get", "ss", wanted)
    if host and host[0][1]:
        return Diagnosis("tray", Health.WORKS, "A panel shows tray icons with menus.")

    if _has_old_tray():
        return Diagnosis(
            "tray",
            Health.WORKS,
            "A panel shows tray icons of the old kind: a click opens HEARTBEAT.md.",
        )

    words = "No panel shows tray icons at the moment; the icon appears as soon as one does."
    fix = "On GNOME: sudo apt-get install gnome-shell-extension-appindicator  (then log in again)"
    installed = sorted(EXTENSIONS.glob("*appindicator*"))
    if installed:
        fix = f"On GNOME: gnome-extensions enable {installed[0].name}"

    return Diagnosis("tray", Health.PROBLEM, words, fix)


def _has_old_tray() -> bool:
    if not os.environ.get("DISPLAY"):
        return False

    from Xlib import X, display
    from Xlib.error import DisplayError

    try:
        screen = display.Display()
    except (DisplayError, OSError):
        return False

    try:
        atom = screen.intern_atom(f"_NET_SYSTEM_TRAY_S{screen.get_default_screen()}")
        return bool(screen.get_selection_owner(atom) != X.NONE)
    finally:
        screen.close()
