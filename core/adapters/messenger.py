"""Brings a message to the person: on the desktop, or through a channel of the settings."""

from collections.abc import Callable

from core.adapters.channels import Channels
from core.adapters.desktop_notifications import show_on_desktop
from core.model.announcements import Message
from core.model.report import Notice

DESKTOP = "desktop"


class SystemMessenger:
    """The `Messenger` port. `to_tray` leaves a message to the tray, and says whether there is one."""

    def __init__(self, channels: Channels, to_tray: Callable[[Message], bool]) -> None:
        self._channels = channels
        self._to_tray = to_tray

    def send(self, channel: str, notice: Notice, urgency: str = "normal", trouble: str = "") -> str:
        if channel != DESKTOP:
            return self._channels.send(channel, notice, urgency)
        # Only what has buttons goes to the tray: whoever sends anything else learns whether it was shown.
        if trouble and self._to_tray(Message(notice, urgency, trouble)):
            return ""
        return show_on_desktop(notice, urgency)
