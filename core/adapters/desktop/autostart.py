"""Switches on and off that the desktop starts the program at login: one small file or registry
value per system, never anything else. A file is written whole or not at all."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from core.adapters.files.atomic import write_atomically
from core.model.errors import HeartbeatError
from core.rules.residing.autostart import (
    LABEL,
    desktop_entry,
    launch_agent,
    systemd_unit,
    windows_command_line,
)

RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"
TIMEOUT = 20.0  # seconds for systemctl


class Autostart(Protocol):
    """One system's way; `place` tells a person where the entry is."""

    @property
    def place(self) -> str: ...

    def written(self) -> str | None:
        """Return the entry, or None if autostart is off."""
        ...

    def wanted(self, command: Sequence[str]) -> str:
        """Return the entry that would start this command."""
        ...

    def on(self, command: Sequence[str]) -> None: ...

    def off(self) -> None:
        """Remove the entry, if there is one."""
        ...


class FileAutostart:
    """A file that the desktop looks for at login."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def place(self) -> str:
        return str(self._path)

    def written(self) -> str | None:
        try:
            return self._path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def wanted(self, command: Sequence[str]) -> str:
        return desktop_entry(command)

    def on(self, command: Sequence[str]) -> None:
        text = self.wanted(command)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Where the person keeps a link there, the file behind it is written.
            write_atomically(self._path.resolve(), text.encode())
        except OSError as error:
            raise HeartbeatError(
                f"{self._path} cannot be written: {error.strerror}.",
                "Check the permissions of its folder.",
            ) from error

    def off(self) -> None:
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            raise HeartbeatError(
                f"{self._path} cannot be removed: {error.strerror}.", "Remove it yourself."
            ) from error


class LaunchAgent(FileAutostart):
    def wanted(self, command: Sequence[str]) -> str:
        return launch_agent(command)


class SystemdUnit(FileAutostart):
    """Starts the resident without an icon, with the person's first session."""

    def wanted(self, command: Sequence[str]) -> str:
        return systemd_unit(command)

    def on(self, command: Sequence[str]) -> None:
        before = self.written()
        super().on(command)
        try:
            self._systemctl("daemon-reload")
            self._systemctl("enable", "--now", self._path.name)
        except HeartbeatError:
            if before is None:  # otherwise it would seem to be on
                super().off()
            raise

    def off(self) -> None:
        if self.written() is not None:
            self._systemctl("disable", "--now", self._path.name)
            super().off()
            self._systemctl("daemon-reload")

    def _systemctl(self, *words: str) -> None:
        import subprocess  # imported here: the resident only reads the entry

        command = ["systemctl", "--user", *words]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
            if not done.returncode:
                return

            problem = done.stderr.strip() or f"it ended with {done.returncode}"
        except (OSError, subprocess.TimeoutExpired) as error:
            problem = str(error)

        raise HeartbeatError(
            f"`{' '.join(command)}` did not work: {problem}.",
            "Without systemd use `heartbeat autostart on`, or start `heartbeat daemon` yourself.",
        )


class RunKey:
    """The Run key of the Windows registry."""

    place = rf"HKEY_CURRENT_USER\{RUN_KEY}\{LABEL}"

    def written(self) -> str | None:
        winreg = registry()
        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_KEY) as key:
                return str(winreg.QueryValueEx(key, LABEL)[0])
        except FileNotFoundError:
            return None

    def wanted(self, command: Sequence[str]) -> str:
        return windows_command_line(command)

    def on(self, command: Sequence[str]) -> None:
        winreg = registry()
        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, RUN_KEY) as key:
            winreg.SetValueEx(key, LABEL, 0, winreg.REG_SZ, self.wanted(command))

    def off(self) -> None:
        winreg = registry()
        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_KEY, 0, winreg.KEY_SET_VALUE) as key:
                winreg.DeleteValue(key, LABEL)
        except FileNotFoundError:
            return


def registry() -> Any:
    import importlib

    return importlib.import_module("winreg")  # only Windows has it


def autostart(*, without_icon: bool = False) -> Autostart:
    """Return this system's way; `without_icon`: for the resident alone, as a service."""
    if sys.platform == "win32":
        return RunKey()
    if sys.platform == "darwin":
        return LaunchAgent(Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist")

    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    if without_icon:
        return SystemdUnit(config / "systemd" / "user" / "heartbeat.service")

    return FileAutostart(config / "autostart" / "heartbeat.desktop")
