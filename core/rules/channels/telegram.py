"""Telegram: a message that a bot writes in a chat."""

import json

from core.model.http import Request
from core.model.report import Notice, Urgency
from core.rules.channels.record import TIMEOUT, ChannelType, Keys, Secret, server_of


def _compose(keys: Keys, notice: Notice, _urgency: Urgency, secret: Secret) -> Request:
    token = secret(str(keys["token"]))
    url = f"{server_of(keys, 'https://api.telegram.org')}/bot{token}/sendMessage"
    message = {"chat_id": keys["chat"], "text": f"{notice.title}\n{notice.message}"}
    headers = {"Content-Type": "application/json"}
    return Request("POST", url, headers, json.dumps(message), TIMEOUT)


TELEGRAM = ChannelType("telegram", ("chat", "token"), ("server",), _compose)
