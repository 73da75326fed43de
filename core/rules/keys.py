"""Names of keys and secrets, and how a provider is asked whether a key is good. Pure."""

import json
from datetime import timedelta
from enum import StrEnum

from core.model.errors import HeartbeatError
from core.model.http import Answer, NoAnswer, Request
from core.model.value import dataclass

PROVIDERS = ("anthropic", "openai", "openai-compatible")
VARIABLES = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
PUBLIC = {"anthropic": "https://api.anthropic.com/v1", "openai": "https://api.openai.com/v1"}
RESERVED = ("approval-seal", "doctor-probe")  # the program's own entries
LONGEST_NAME, LONGEST_KEY = 64, 8192
PATIENCE = timedelta(seconds=10)


class Standing(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class KeyCheck:
    standing: Standing
    words: str


def good_name(name: str) -> str:
    """The name, or a HeartbeatError that says what is wrong with it."""
    if name in RESERVED:
        raise HeartbeatError(f"`{name}` is an entry of Heartbeat's own.", "Choose another name.")
    if not 0 < len(name) <= LONGEST_NAME or not all(sign.isalnum() or sign in "._-" for sign in name):
        raise HeartbeatError(
            "That is no name for a key.", "Use letters, digits, `.`, `_` and `-`, such as `anthropic` or `my-token`."
        )
    return name


def good_key(value: str) -> str:
    """What was typed or pasted, without the space around it."""
    key = value.strip()
    if not key:
        raise HeartbeatError("Nothing was typed, so nothing was stored.", "Run it again and paste the key.")
    if not key.isprintable() or len(key) > LONGEST_KEY:
        raise HeartbeatError("That is no key: it has line ends or is too long.", "Paste the key alone.")
    return key


def check_request(provider: str, key: str, base_url: str | None) -> Request | None:
    """One cheap question, the list of models; None where there is nobody to ask."""
    base = (base_url or PUBLIC.get(provider, "")).rstrip("/")
    if provider not in (*PROVIDERS, "ollama") or not base:
        return None
    if provider == "anthropic":
        base = base if base.endswith("/v1") else f"{base}/v1"
        headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    else:
        headers = {"authorization": f"Bearer {key}"} if key else {}
    return Request("GET", f"{base}/models", headers, timeout=PATIENCE)


def read_check(provider: str, answer: Answer | NoAnswer) -> KeyCheck:
    match answer:
        case Answer(200, body) if _is_json(body):
            return KeyCheck(Standing.ACCEPTED, f"{provider} accepts it.")
        case Answer(401 | 403 as status, _):
            return KeyCheck(Standing.REFUSED, f"{provider} refuses this key (status {status}).")
        case Answer(status, _):
            return KeyCheck(Standing.UNKNOWN, f"{provider} could not say whether it is good (status {status}).")
        case NoAnswer(reason):
            return KeyCheck(Standing.UNKNOWN, f"{provider} could not be asked whether it is good: {reason}.")


def _is_json(body: str) -> bool:
    """A page to log in to some network is an answer too, and no word of the provider's."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def last_four(value: str) -> str:
    """Enough to tell keys apart; of a short secret nothing is shown."""
    return f"…{value[-4:]}" if len(value) >= 12 else "…"
