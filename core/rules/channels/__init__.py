"""The types of channels over which messages leave the machine: one table. To add one, write its
record in a file here and name it below; the settings and the sending follow."""

from core.rules.channels.ntfy import NTFY
from core.rules.channels.record import ChannelType, Mail
from core.rules.channels.smtp import SMTP
from core.rules.channels.telegram import TELEGRAM
from core.rules.channels.webhook import WEBHOOK

__all__ = ["CHANNEL_TYPES", "ChannelType", "Mail"]

CHANNEL_TYPES: dict[str, ChannelType] = {one.name: one for one in (NTFY, TELEGRAM, SMTP, WEBHOOK)}
