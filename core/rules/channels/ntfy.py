"""ntfy: a message to everyone who has subscribed to a topic."""

import json

from core.model.http import Request
from core.model.report import Notice, Urgency
from core.rules.channels.record import (
    TIMEOUT,
    ChannelType,
    Keys,
    Secret,
    authorization,
    server_of,
)

PRIORITIES = {Urgency.LOW: 2, Urgency.NORMAL: 3, Urgency.CRITICAL: 5}


def _compose(keys: Keys, notice: Notice, urgency: Urgency, secret: Secret) -> Request:
    message = {
        "topic": keys["topic"],
        "title": notice.title,
        "message": notice.message,
        "priority": PRIORITIES[urgency],
    }
    server = server_of(keys, "https://ntfy.sh")
    return Request("POST", server, authorization(keys, secret), json.dumps(message), TIMEOUT)


NTFY = ChannelType("ntfy", ("topic",), ("server", "token"), _compose)
