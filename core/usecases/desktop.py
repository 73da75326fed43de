"""What happens on the person's desktop: editor, terminal, dialogs, notifications, start at
login."""

from pathlib import Path
from typing import TYPE_CHECKING

from core.model.announcements import Message
from core.model.errors import HeartbeatError
from core.model.report import Notice, NoticeKind
from core.rules.providers import with_keys
from core.services import Services
from core.usecases.keys import end_model_troubles, set_key
from core.usecases.reading import read_workspace
from core.usecases.workspaces import named_folder, open_workspace

if TYPE_CHECKING:
    from core.adapters.desktop.autostart import Autostart


def open_heartbeat_file(services: Services) -> None:
    """Open HEARTBEAT.md in the person's editor."""
    services.desktop.open_in_editor(read_workspace(services).file)


def open_text(services: Services, name: str, text: str) -> None:
    """Open a text that the program wrote in the person's editor."""
    services.desktop.open_in_editor(services.write_receipt(name, text))


def approve_in_terminal(services: Services) -> None:
    """Open a terminal that shows what waits and asks for approval."""
    services.desktop.open_terminal(services.heartbeat_command("approve"))


def ask_for_key(services: Services) -> str | None:
    """Ask in dialogs of the desktop, or in a terminal if it has none. Return a sentence about the
    result; None if the person gave no key, or sees the answer in the terminal."""
    desktop = services.desktop
    if not desktop.has_dialogs():
        desktop.open_terminal(services.heartbeat_command("key", "set"))
        return None

    name = desktop.choose("Which provider is the key for?", with_keys())
    value = desktop.ask_secret(f"API key for {name}:") if name else None
    if not name or value is None:
        return None

    said = set_key(services, name, value)
    end_model_troubles(services, name)
    return said


def announce(services: Services, title: str, words: str) -> bool:
    """Show it through the tray, or else on the desktop; whether that was possible."""
    message = Message(Notice(NoticeKind.PROBLEM, title, words))
    return services.leave_to_tray(message) or not services.desktop.show(message.notice)


def workspace_of_entry(given: str | None, *, without_icon: bool) -> Services:
    """The workspace whose entry is to be removed. Its folder may be gone: the entry is what is
    left."""
    named = named_folder(given)
    if named and not named.is_dir():
        services = Services(named)
        if services.autostart(without_icon=without_icon).is_ours():
            return services

    return open_workspace(given)


def entries_left_behind(services: Services) -> "list[Autostart]":
    """What still starts the resident at login for the path that this workspace was moved from."""
    old = services.identity.moved_from()
    if old is None or Path(old).is_dir():
        return []

    entries = (Services(Path(old)).autostart(without_icon=one) for one in (False, True))
    return [one for one in entries if one.is_ours()]


def set_autostart(services: Services, *, wanted: bool, without_icon: bool = False) -> None:
    here = services.autostart(without_icon=without_icon)
    if wanted:
        if not str(services.root).isprintable():  # a line end would be a line of the desktop's file
            raise HeartbeatError(
                "The name of this folder has characters that cannot be shown.",
                "Give it another name.",
            )
        left = entries_left_behind(services)
        for entry in left:
            entry.off()
        if left:  # the new entry may have the name that was theirs
            here = services.autostart(without_icon=without_icon)
        here.on(services.autostart_command(without_icon=without_icon))
    else:
        here.off()

    services.wake_resident()
