"""Moments, durations and amounts as the commands say them."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from core.rules.timing.durations import duration_words
from core.rules.timing.moments import moment_text
from tray_app.cli.main import harmless

if TYPE_CHECKING:
    from core.model.agent import Usage


def moment(when: datetime | None, now: datetime) -> str:
    """A moment in the zone of `now`, as short as it is clear; nothing: "never"."""
    return moment_text(when.astimezone(now.tzinfo), now) if when else "never"


def distance(when: datetime, now: datetime) -> str:
    """ "in 20 min", "4 s ago", "now"."""
    apart = when - now
    if abs(apart) < timedelta(seconds=1):
        return "now"
    return f"in {duration_words(apart)}" if apart > timedelta() else f"{duration_words(-apart)} ago"


def moment_and_distance(when: datetime | None, now: datetime) -> str:
    return f"{moment(when, now)} ({distance(when, now)})" if when else "never"


def refusal_words(why: str) -> list[str]:
    """Said by every command for as long as it is so: a notice comes once."""
    return [f"HEARTBEAT.md is not read: {harmless(why)}"] if why else []


def approval_words(waiting: int) -> list[str]:
    """Also where nothing of it is due yet."""
    return [f"{waiting} cannot run before you approve: heartbeat approve"] if waiting else []


def until(end: datetime | None, now: datetime) -> str:
    """The end of a pause."""
    return f"until {moment(end, now)}" if end else "until you resume it"


def dollars(amount: float) -> str:
    """Small amounts with as many places as they need."""
    return f"{amount:.2f} USD" if amount >= 0.1 or amount == 0 else f"{amount:.4f} USD"


def usage_words(usage: "Usage") -> str:
    """What a model was asked and what that cost."""
    requests = "1 request" if usage.requests == 1 else f"{usage.requests} requests"
    cached = f" ({usage.cache_read_tokens:,} from a cache)" if usage.cache_read_tokens else ""
    cost = dollars(usage.usd) if usage.usd is not None else "no price is known"
    return f"{requests}, {usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out, {cost}"


def usage_json(usage: "Usage | None") -> dict[str, object]:
    """Without a model nothing is used, and that costs nothing; `usd` is null where no price is known."""
    if usage is None:
        return {"requests": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0}
    return {
        "requests": usage.requests,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "usd": usage.usd,
    }
