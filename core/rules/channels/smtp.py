"""Mail, over the person's own mail server."""

from core.model.report import Notice, Urgency
from core.rules.channels.record import ChannelType, Keys, Mail, Secret


def _compose(keys: Keys, notice: Notice, _urgency: Urgency, secret: Secret) -> Mail:
    user = keys.get("user")
    return Mail(
        host=str(keys["host"]),
        port=str(keys.get("port") or ""),
        security=str(keys.get("security", "starttls")),
        user=str(user) if user else "",
        password=secret(str(keys.get("password", ""))) if user else "",
        sender=str(keys["from"]),
        recipient=str(keys["to"]),
        subject=notice.title,
        text=notice.message,
    )


SMTP = ChannelType(
    "smtp", ("host", "from", "to"), ("port", "security", "user", "password"), _compose
)
