"""Delivers a message to the person: on the desktop, or through a channel of the settings."""

from collections.abc import Callable

from core.adapters.messages.channels import Channels
from core.adapters.messages.desktop import show_on_desktop
from core.model.announcements import Message, named_notice
from core.model.report import Notice, NotSent, Urgency
from core.model.settings import DESKTOP
from core.model.trouble import TroubleKey


class SystemMessenger:
    """The `Messenger` port. `to_tray` leaves a message to the tray, and returns whether there is a
    tray. `workspace` is the name that every message carries; the tray adds it by itself."""

    def __init__(
        self, channels: Channels, to_tray: Callable[[Message], bool], workspace: str
    ) -> None:
        self._channels = channels
        self._to_tray = to_tray
        self._workspace = workspace

    def send(
        self, channel: str, notice: Notice, urgency: Urgency, trouble: TroubleKey | None = None
    ) -> NotSent | None:
        if channel != DESKTOP:
            return self._channels.send(channel, named_notice(notice, self._workspace), urgency)

        # Only the tray can show buttons. Everything else is shown from here, where the result is
        # known.
        if trouble and self._to_tray(Message(notice, urgency, trouble)):
            return None

        return show_on_desktop(named_notice(notice, self._workspace), urgency)
