"""Sends messages over the channels of the settings. The settings name their secrets; the values
come from the keyring."""

from collections.abc import Callable, Mapping
from typing import assert_never

from core.adapters.messages.mail import send_mail
from core.model.errors import HeartbeatError
from core.model.http import Answer, NoAnswer, Request
from core.model.report import Notice, NotSent, Urgency
from core.ports.outside import Http
from core.rules.channels import CHANNEL_TYPES, Mail
from core.rules.redacting import without_secrets


class Channels:
    """The configured `[channels.NAME]`; `secret` gives the value of a keyring name."""

    def __init__(
        self,
        configured: Mapping[str, Mapping[str, object]],
        http: Http,
        secret: Callable[[str], str],
    ) -> None:
        self._configured = configured
        self._http = http
        self._keyring = secret
        self._used: dict[str, str] = {}

    def send(self, channel: str, notice: Notice, urgency: Urgency) -> NotSent | None:
        keys = self._configured.get(channel)
        if keys is None:
            return NotSent(
                f"there is no [channels.{channel}] in config.toml", ("no_channel", channel)
            )

        kind = CHANNEL_TYPES.get(str(keys.get("type", "")))
        if kind is None:
            types = ", ".join(CHANNEL_TYPES)
            reason = f"config.toml needs a type in [channels.{channel}]: {types}"
            return NotSent(reason, ("no_type", channel))

        missing = [key for key in kind.required_keys if not keys.get(key)]
        if missing:
            reason = f"config.toml needs `{missing[0]}` in [channels.{channel}]"
            return NotSent(reason, ("no_key", channel, missing[0]))

        try:
            problem = self._deliver(kind.compose(keys, notice, urgency, self._secret))
        except HeartbeatError as error:
            return NotSent(error.message.rstrip("."), (channel, *error.cause))

        if problem is None:
            return None

        # The reason may contain an address with a token in it.
        cause = tuple(without_secrets(part, self._used) for part in problem.cause)
        return NotSent(without_secrets(problem.reason, self._used), cause)

    def _deliver(self, composed: Request | Mail) -> NotSent | None:
        match composed:
            case Request():
                return _refusal(self._http.send(composed))
            case Mail():
                return send_mail(composed)
            case other:
                assert_never(other)

    def _secret(self, name: str) -> str:
        self._used[name] = self._keyring(name)
        return self._used[name]


def _refusal(answer: Answer | NoAnswer) -> NotSent | None:
    match answer:
        case NoAnswer(reason, cause):
            return NotSent(reason, cause)
        case Answer(status, _) if 200 <= status < 300:
            return None
        case Answer(status, _):
            return NotSent(f"the server answered {status}", ("status", str(status)))
        case other:
            assert_never(other)
