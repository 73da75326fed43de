"""A webhook: the message as JSON to an address of the person's choice."""

import json

from core.model.http import Request
from core.model.report import Notice, Urgency
from core.rules.channels.record import TIMEOUT, ChannelType, Keys, Secret, authorization


def _compose(keys: Keys, notice: Notice, _urgency: Urgency, secret: Secret) -> Request:
    headers = {"Content-Type": "application/json", **authorization(keys, secret)}
    message = {"title": notice.title, "message": notice.message, "kind": notice.kind}
    return Request("POST", str(keys["url"]), headers, json.dumps(message), TIMEOUT)


WEBHOOK = ChannelType("webhook", ("url",), ("token",), _compose)
