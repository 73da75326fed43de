"""A real keyring on a private session bus: gnome-keyring, open or locked, or one that never
answers."""

import subprocess
import sys
from pathlib import Path

from tests.desktop.desktop import Desktop, wait_for

SECRETS = "org.freedesktop.secrets"
PASSWORD = b"open sesame"

SILENT = f"""
import time
from jeepney import DBusAddress, message_bus
from jeepney.io.blocking import open_dbus_connection
bus = open_dbus_connection()
bus.send_and_get_reply(message_bus.RequestName({SECRETS!r}))
time.sleep(600)
"""


class KeyringService:
    def __init__(self, folder: Path, desktop: Desktop | None = None) -> None:
        """On a bus of its own, or on that of a desktop."""
        self._desktop = desktop or Desktop(folder)
        if not desktop:
            self._desktop.start_bus()
        self._service: subprocess.Popen[bytes] | None = None

    @property
    def variables(self) -> dict[str, str]:
        """What leads a program to this keyring, and to no other."""
        names = (
            "HOME",
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
            "XDG_RUNTIME_DIR",
            "DBUS_SESSION_BUS_ADDRESS",
        )
        return {name: self._desktop.environment[name] for name in names}

    def open(self) -> None:
        self._start(
            "gnome-keyring-daemon",
            "--foreground",
            "--unlock",
            "--components=secrets",
            typed=PASSWORD,
        )

    def lock(self) -> None:
        """The same keyring after a login without a password; it was open before."""
        self._start("gnome-keyring-daemon", "--foreground", "--components=secrets")

    def fall_silent(self) -> None:
        """A service that takes every question and answers none."""
        self._start(sys.executable, "-c", SILENT)

    def vanish(self) -> None:
        if self._service:
            self._desktop.end(self._service)
            wait_for(lambda: not self._desktop.has_owner(SECRETS), "the keyring to be gone")
            self._service = None

    def _start(self, *command: str, typed: bytes = b"") -> None:
        self.vanish()
        self._service = self._desktop.run(*command, stdin=subprocess.PIPE)
        assert self._service.stdin
        self._service.stdin.write(typed)
        self._service.stdin.close()
        wait_for(lambda: self._desktop.has_owner(SECRETS), "the keyring")

    def stop(self) -> None:
        self._desktop.stop()
