"""The person's desktop: editor, terminal, questions, notifications, login, keys."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.bootstrap.places import own_command, read_config, state_folder, wake_resident
from core.bootstrap.reading import read_workspace
from core.model.errors import HeartbeatError

if TYPE_CHECKING:
    from core.adapters.autostart import Autostart
    from core.engine.keys import Keys
    from core.model.report import Notice


def open_file(root: Path) -> None:
    """Open the workspace's HEARTBEAT.md in the person's editor."""
    from core.adapters.opener import open_in_editor

    open_in_editor(read_workspace(root).file)


def open_text(root: Path, name: str, text: str) -> None:
    """Open a text of ours the same way."""
    from core.adapters.opener import open_in_editor
    from core.adapters.receipt_files import write_receipt

    open_in_editor(write_receipt(state_folder(root) / "receipts", name, text))


def open_terminal(command: Sequence[str]) -> None:
    from core.adapters.terminal import open_terminal

    open_terminal(command)


def has_dialogs() -> bool:
    from core.adapters.dialogs import has_dialogs

    return has_dialogs()


def choose(text: str, options: Sequence[str]) -> str | None:
    from core.adapters.dialogs import choose

    return choose(text, options)


def ask_secret(text: str) -> str | None:
    from core.adapters.dialogs import ask_secret

    return ask_secret(text)


def show_on_desktop(notice: "Notice") -> str:
    """Show a notification without a tray; returns why that was not possible, or nothing."""
    from core.adapters.desktop_notifications import show_on_desktop

    return show_on_desktop(notice)


def autostart(*, without_icon: bool = False) -> "Autostart":
    from core.adapters.autostart import autostart

    return autostart(without_icon=without_icon)


def autostart_command(root: Path, *, without_icon: bool = False) -> list[str]:
    return own_command("tray_app.cli", "--workspace", str(root), "daemon" if without_icon else "tray")


def starts_at_login(root: Path) -> bool:
    here = autostart()
    return here.written() == here.wanted(autostart_command(root))


def set_autostart(root: Path, *, wanted: bool, without_icon: bool = False) -> None:
    here = autostart(without_icon=without_icon)
    if wanted:
        if not str(root).isprintable():  # a line end in it would be a line of the desktop's file
            raise HeartbeatError("The name of this folder has signs that cannot be shown.", "Give it another name.")
        here.on(autostart_command(root, without_icon=without_icon))
    else:
        here.off()
    wake_resident(root)


def keys() -> "Keys":
    from core.adapters import folders
    from core.adapters.key_names import KeyNames
    from core.adapters.secret_store import KeyringSecrets
    from core.adapters.web import Web
    from core.engine.keys import Keys

    return Keys(KeyringSecrets(), Web(), KeyNames(folders.state_folder() / "key-names.json"), os.environ)


def set_key(name: str, value: str) -> str:
    """Store a key, once its provider has had a say; what came of it."""
    agent = read_config().agent
    return keys().set(name, value, agent.base_url if agent.provider == name else None)


def has_desktop() -> bool:
    """Whether there is a session that could show an icon."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
