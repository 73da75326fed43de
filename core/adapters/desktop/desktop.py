"""The person's desktop as one thing: its editor, its terminal, its dialogs, its notifications."""

from collections.abc import Sequence
from pathlib import Path

from core.adapters.desktop import dialogs
from core.adapters.desktop.editor import open_in_editor
from core.adapters.desktop.terminal import open_terminal
from core.adapters.messages.desktop import show_on_desktop
from core.model.report import Notice, NotSent


class Desktop:
    def open_in_editor(self, path: Path) -> None:
        open_in_editor(path)

    def open_terminal(self, command: Sequence[str]) -> None:
        open_terminal(command)

    def has_dialogs(self) -> bool:
        return dialogs.has_dialogs()

    def choose(self, text: str, options: Sequence[str]) -> str | None:
        """None if the person closed the dialog."""
        return dialogs.choose(text, options)

    def ask_secret(self, text: str) -> str | None:
        """None if the person closed the dialog."""
        return dialogs.ask_secret(text)

    def show(self, notice: Notice) -> NotSent | None:
        return show_on_desktop(notice)
