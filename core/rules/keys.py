"""Names of keys and secrets, and how a provider is asked whether a key is good. Pure."""

import json
from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from typing import assert_never

from core.model.approval import SEAL_ENTRY
from core.model.diagnostic import PROBE_ENTRY
from core.model.errors import HeartbeatError
from core.model.http import Answer, NoAnswer, Request
from core.model.light_dataclass import light_dataclass
from core.rules.providers import PROVIDERS, AnyServer, LocalServer, Program, Service, with_keys

RESERVED = (SEAL_ENTRY, PROBE_ENTRY)  # the program's own entries
LONGEST_NAME = 64  # characters
LONGEST_KEY = 8192
TIMEOUT = timedelta(seconds=10)


class KeyState(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@light_dataclass(frozen=True, slots=True)
class KeyCheck:
    state: KeyState
    words: str


def good_name(name: str) -> str:
    """The name, or a HeartbeatError that says what is wrong with it."""
    if name in RESERVED:
        raise HeartbeatError(f"`{name}` is reserved for Heartbeat.", "Choose another name.")

    is_plain = all(character.isalnum() or character in "._-" for character in name)
    if not 0 < len(name) <= LONGEST_NAME or not is_plain:
        raise HeartbeatError(
            "That is not a name for a key.",
            "Use letters, digits, `.`, `_` and `-`, such as `anthropic` or `my-token`.",
        )

    return name


def secret_for_actions(name: str, get: Callable[[str], str | None]) -> str:
    """The value of a keyring name. The program's own entries and the keys of models are refused,
    and not even asked for."""
    if name in RESERVED or name in with_keys():
        raise HeartbeatError(
            f"`{name}` is not given to actions.",
            "Store a secret of its own: heartbeat key set NAME",
            about=f"refused {name}",
        )

    value = get(name)
    if value is None:
        raise HeartbeatError(
            f"There is no secret `{name}` in the keyring.",
            f"Store it: heartbeat key set {name}",
            about=name,
        )

    return value


def good_key(value: str) -> str:
    """What was typed or pasted, without the space around it; a HeartbeatError if it cannot be
    a key."""
    key = value.strip()
    if not key:
        raise HeartbeatError(
            "Nothing was typed, so nothing was stored.", "Run it again and paste the key."
        )
    if not key.isprintable() or len(key) > LONGEST_KEY:
        raise HeartbeatError(
            "That is not a key: it has line ends or is too long.", "Paste the key alone."
        )

    return key


def check_request(provider: str, key: str, base_url: str | None) -> Request | None:
    """A cheap request that shows whether the key is good: the list of models. None if there is
    no server to ask."""
    match PROVIDERS.get(provider):
        case Service(wire=wire, base_url=own_address):
            address = base_url or own_address
        case AnyServer(wire=wire) | LocalServer(wire=wire):
            address = base_url or ""
        case Program() | None:  # None: the name of a secret of the person's own
            return None
        case other:
            assert_never(other)

    if not address:
        return None

    return Request("GET", wire.models_url(address), wire.key_headers(key), timeout=TIMEOUT)


def read_check(provider: str, answer: Answer | NoAnswer) -> KeyCheck:
    match answer:
        case Answer(200, body) if _is_json(body):
            return KeyCheck(KeyState.ACCEPTED, f"{provider} accepts it.")
        case Answer(401 | 403 as status, _):
            return KeyCheck(KeyState.REFUSED, f"{provider} refuses this key (status {status}).")
        case Answer(status, _):
            return KeyCheck(
                KeyState.UNKNOWN, f"{provider} could not say whether it is good (status {status})."
            )
        case NoAnswer(reason):
            return KeyCheck(
                KeyState.UNKNOWN, f"{provider} could not be asked whether it is good: {reason}."
            )
        case _:
            assert_never(answer)


def _is_json(body: str) -> bool:
    """Whether the provider answered, and not the login page of some network."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False

    return True


def last_four(value: str) -> str:
    """The end of a key, enough to tell keys apart. Of a short secret nothing is shown."""
    return f"…{value[-4:]}" if len(value) >= 12 else "…"
