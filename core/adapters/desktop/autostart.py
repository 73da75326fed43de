"""Switches on and off that the desktop starts the program at login: one small file or registry
value per workspace, never anything else. A file is written whole or not at all.

The first workspace has the plain name, each further one a name of its own.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from core.adapters.files.atomic import write_atomically
from core.model.errors import HeartbeatError
from core.rules.residing.autostart import (
    LABEL,
    desktop_entry,
    desktop_word,
    is_as_written,
    is_for_other,
    launch_agent,
    own_label,
    plist_word,
    systemd_unit,
    systemd_word,
    windows_command_line,
    windows_word,
    workspace_in,
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

    def others(self) -> tuple[str, ...]:
        """Return the other workspaces that start at login this way, as far as they are known."""
        ...

    def gone(self) -> tuple[str, ...]:
        """Return those of the others whose folder is not there."""
        ...

    def is_ours(self) -> bool:
        """Return whether there is an entry that names this workspace."""
        ...


class FileAutostart:
    """A file that the desktop looks for at login. `root` is the workspace that it is for; None: the
    path is used as it is."""

    def __init__(self, path: Path, root: Path | None = None) -> None:
        self._first = path
        self._root = root
        self._path = path if root is None else self._path_for(root)

    def _path_for(self, root: Path) -> Path:
        own = self._first.with_name(f"{own_label(root)}{self._first.suffix}")
        first = _text_of(self._first)
        is_taken = first is not None and is_for_other(first, root, self.word)
        return own if own.exists() or is_taken else self._first

    def word(self, word: str) -> str:
        """Return it as it is quoted in an entry."""
        return desktop_word(word)

    def others(self) -> tuple[str, ...]:
        entries = sorted(self._first.parent.glob(f"{LABEL}*{self._first.suffix}"))
        texts = [_text_of(path) or "" for path in entries if path != self._path]
        return tuple(filter(None, (workspace_in(text, self.word) for text in texts)))

    def gone(self) -> tuple[str, ...]:
        return _gone(self.others(), self.word)

    def is_ours(self) -> bool:
        return self.word(str(self._root)) in (self.written() or "")

    @property
    def place(self) -> str:
        return str(self._path)

    def written(self) -> str | None:
        return _text_of(self._path)

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


def _gone(paths: Sequence[str], word: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(one for one in paths if is_as_written(one, word) and not Path(one).is_dir())


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


class LaunchAgent(FileAutostart):
    def word(self, word: str) -> str:
        return plist_word(word)

    def wanted(self, command: Sequence[str]) -> str:
        return launch_agent(command, self._path.stem)


class SystemdUnit(FileAutostart):
    """Starts the resident without an icon, with the person's first session."""

    def word(self, word: str) -> str:
        return systemd_word(word)

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

    def __init__(self, root: Path | None = None) -> None:
        self._root = root
        self._label = LABEL
        if root is not None:
            first = self._value(LABEL)
            is_taken = first is not None and is_for_other(first, root, windows_word)
            own = own_label(root)
            self._label = own if is_taken or self._value(own) is not None else LABEL

    @property
    def place(self) -> str:
        return rf"HKEY_CURRENT_USER\{RUN_KEY}\{self._label}"

    def written(self) -> str | None:
        return self._value(self._label)

    def _value(self, label: str) -> str | None:
        winreg = registry()
        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_KEY) as key:
                return str(winreg.QueryValueEx(key, label)[0])
        except FileNotFoundError:
            return None

    def others(self) -> tuple[str, ...]:
        first = self._value(LABEL) if self._label != LABEL else None
        return tuple(filter(None, [workspace_in(first or "", windows_word)]))

    def gone(self) -> tuple[str, ...]:
        return _gone(self.others(), windows_word)

    def is_ours(self) -> bool:
        return windows_word(str(self._root)) in (self.written() or "")

    def wanted(self, command: Sequence[str]) -> str:
        return windows_command_line(command)

    def on(self, command: Sequence[str]) -> None:
        winreg = registry()
        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, RUN_KEY) as key:
            winreg.SetValueEx(key, self._label, 0, winreg.REG_SZ, self.wanted(command))

    def off(self) -> None:
        winreg = registry()
        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_KEY, 0, winreg.KEY_SET_VALUE) as key:
                winreg.DeleteValue(key, self._label)
        except FileNotFoundError:
            return


def registry() -> Any:
    import importlib

    return importlib.import_module("winreg")  # only Windows has it


def autostart(root: Path | None = None, *, without_icon: bool = False) -> Autostart:
    """Return this system's way for a workspace; `without_icon`: for the resident alone, as a
    service."""
    if sys.platform == "win32":
        return RunKey(root)
    if sys.platform == "darwin":
        return LaunchAgent(Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist", root)

    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    if without_icon:
        return SystemdUnit(config / "systemd" / "user" / "heartbeat.service", root)

    return FileAutostart(config / "autostart" / "heartbeat.desktop", root)
