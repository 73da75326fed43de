"""A new type of channel is one record and one line in one table. These tests add one and send a
message over it."""

import json
from dataclasses import fields

import pytest

from core.adapters.messages.channels import Channels
from core.model.errors import HeartbeatError
from core.model.http import Answer, Request
from core.model.report import Notice, NoticeKind, NotSent, Urgency
from core.ports.processes import Cancellation
from core.rules import channels
from core.rules.channels.record import (
    TIMEOUT,
    ChannelType,
    Keys,
    Mail,
    Secret,
    authorization,
)
from core.rules.settings.reading import read_settings

NOTICE = Notice(NoticeKind.FAILURE, "backup failed", "exit code 3")


def compose(keys: Keys, notice: Notice, urgency: Urgency, secret: Secret) -> Request:
    body = json.dumps({"room": keys["room"], "text": notice.message, "loud": urgency.level})
    return Request("PUT", "https://matrix.example/send", authorization(keys, secret), body, TIMEOUT)


MATRIX = ChannelType("matrix", ("room",), ("token",), compose)


class Web:
    def __init__(self, status: int) -> None:
        self.sent: list[Request] = []
        self._status = status

    def send(self, request: Request, cancelled: Cancellation | None = None) -> Answer:
        self.sent.append(request)
        return Answer(self._status, "")


def configured(**keys: str) -> dict[str, object]:
    return {"channels": {"phone": {"type": "matrix", **keys}}}


def test_a_record_in_the_table_is_all_that_a_channel_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(channels.CHANNEL_TYPES, MATRIX.name, MATRIX)
    settings = read_settings(configured(room="!1", token="matrix-token"), "config.toml")
    web = Web(200)
    sender = Channels(settings.channels, web, {"matrix-token": "mx-1234567890"}.__getitem__)

    assert sender.send("phone", NOTICE, Urgency.CRITICAL) is None

    (request,) = web.sent
    assert (request.method, request.url) == ("PUT", "https://matrix.example/send")
    assert request.headers == {"Authorization": "Bearer mx-1234567890"}
    assert json.loads(request.body) == {"room": "!1", "text": "exit code 3", "loud": 2}


def test_its_keys_are_checked_with_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(HeartbeatError, match="is one of ntfy, telegram, smtp, webhook"):
        read_settings(configured(room="!1"), "config.toml")

    monkeypatch.setitem(channels.CHANNEL_TYPES, MATRIX.name, MATRIX)
    with pytest.raises(HeartbeatError, match="has no room"):
        read_settings(configured(), "config.toml")
    with pytest.raises(HeartbeatError, match="`rom` is not a setting"):
        read_settings(configured(rom="!1"), "config.toml")


def test_a_type_that_is_not_in_the_table_is_sent_nowhere() -> None:
    web = Web(200)
    problem = Channels({"phone": {"type": "matrix", "url": "https://x.example"}}, web, str).send(
        "phone", NOTICE, Urgency.NORMAL
    )
    assert problem == NotSent(
        "config.toml needs a type in [channels.phone]: ntfy, telegram, smtp, webhook",
        ("no_type", "phone"),
    )
    assert web.sent == []


@pytest.mark.parametrize("urgency", Urgency)
@pytest.mark.parametrize("name", channels.CHANNEL_TYPES)
def test_every_channel_knows_every_urgency(name: str, urgency: Urgency) -> None:
    kind = channels.CHANNEL_TYPES[name]
    keys = dict.fromkeys(kind.required_keys, "x")
    assert isinstance(kind.compose(keys, NOTICE, urgency, str), Request | Mail)


def test_a_field_that_is_forgotten_is_named() -> None:
    for forgotten in fields(ChannelType):
        others = {one.name: None for one in fields(ChannelType) if one.name != forgotten.name}
        with pytest.raises(TypeError, match=forgotten.name):
            ChannelType(**others)  # type: ignore[arg-type]  # None for each: only the missing one counts
