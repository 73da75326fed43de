"""Brings a message to the person: on the desktop, or through a channel of the settings."""

from core.adapters.channels import Channels
from core.adapters.desktop_notifications import show_on_desktop
from core.model.report import Notice

DESKTOP = "desktop"


class SystemMessenger:
    """The `Messenger` port."""

    def __init__(self, channels: Channels) -> None:
        self._channels = channels

    def send(self, channel: str, notice: Notice, urgency: str = "normal") -> str:
        return show_on_desktop(notice, urgency) if channel == DESKTOP else self._channels.send(channel, notice, urgency)
