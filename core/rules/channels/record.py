"""What a type of channel is: one record. Pure: it composes what is sent, and an adapter sends it.

Law: the keys of its table in config.toml are part of the record, so that a mistake in them is
found when the settings are read, and not when there is something to announce.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta

from core.model.http import Request
from core.model.light_dataclass import light_dataclass
from core.model.report import Notice, Urgency

# For the whole request: a beat that should end waits for the message that it is sending.
TIMEOUT = timedelta(seconds=10)

Keys = Mapping[str, object]  # of `[channels.NAME]`
Secret = Callable[[str], str]  # the value of a keyring name; HeartbeatError if there is none


@light_dataclass(frozen=True, slots=True)
class Mail:
    """A mail, and the server to send it with."""

    host: str
    port: str  # as the person wrote it; empty: the usual one
    security: str  # tls, starttls, or anything else for none
    user: str  # empty: without a login
    password: str
    sender: str
    recipient: str
    subject: str
    text: str


@light_dataclass(frozen=True, slots=True)
class ChannelType:
    name: str  # the `type` in config.toml
    required_keys: tuple[str, ...]
    optional_keys: tuple[str, ...]
    compose: Callable[[Keys, Notice, Urgency, Secret], Request | Mail]


def authorization(keys: Keys, secret: Secret) -> dict[str, str]:
    """The header for a `token`, which is a name in the keyring."""
    name = keys.get("token")
    return {"Authorization": f"Bearer {secret(str(name))}"} if name else {}


def server_of(keys: Keys, usual: str) -> str:
    return str(keys.get("server") or usual).rstrip("/")
