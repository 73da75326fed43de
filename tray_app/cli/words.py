"""Instants, durations and amounts as the commands say them."""

from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from core.rules.printable import for_terminal
from core.rules.timing.durations import duration_words
from core.rules.timing.instant_words import instant_words

if TYPE_CHECKING:
    from core.model.agent import Usage
    from core.model.diagnostic import Problem
    from core.model.errors import HeartbeatError


def counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def instant_or_never(when: datetime | None, now: datetime) -> str:
    """An instant in the zone of `now`, as short as it is clear; "never" for None."""
    return instant_words(when.astimezone(now.tzinfo), now) if when else "never"


def exact_instant(when: datetime | None, now: datetime) -> str:
    """The same for a column of instants: all of them have their seconds."""
    return instant_words(when.astimezone(now.tzinfo), now, to_the_second=True) if when else "never"


def clock_words(instant: datetime, now: datetime) -> str:
    """The time of day, with its seconds; with the date where that is not today."""
    local = instant.astimezone(now.tzinfo)
    return f"{local:%H:%M:%S}" if local.date() == now.date() else exact_instant(local, now)


def distance(when: datetime, now: datetime) -> str:
    """ "in 20 min", "4 s ago", "now"."""
    apart = when - now
    if abs(apart) < timedelta(seconds=1):
        return "now"

    return f"in {duration_words(apart)}" if apart > timedelta() else f"{duration_words(-apart)} ago"


def instant_and_distance(when: datetime | None, now: datetime) -> str:
    return f"{instant_or_never(when, now)} ({distance(when, now)})" if when else "never"


def zone_words(now: datetime, system: tzinfo) -> list[str]:
    """Which zone the times of an answer are in, where that is not the system's."""
    is_same = now.utcoffset() == now.astimezone(system).utcoffset()
    return [] if is_same else [f"Times are in {now.tzinfo}."]


def trouble_words(trouble: "HeartbeatError | None") -> list[str]:
    """Why the settings cannot be read, and what to do."""
    if trouble is None:
        return []

    return [f"The settings cannot be read: {for_terminal(f'{trouble.message} {trouble.hint}')}"]


def refusal_words(problem: "Problem | None") -> list[str]:
    """Why HEARTBEAT.md is refused. Every command says it while that lasts; a notice comes once."""
    return [f"HEARTBEAT.md is not read: {for_terminal(problem.message)}"] if problem else []


def approval_words(waiting: int) -> list[str]:
    """How much waits for approval, including what is not due yet."""
    return [f"{waiting} waiting for your approval: heartbeat approve"] if waiting else []


def until(end: datetime | None, now: datetime) -> str:
    """The end of a pause."""
    return f"until {instant_or_never(end, now)}" if end else "until you resume it"


def dollars(amount: float) -> str:
    """Small amounts have more decimal places."""
    return f"{amount:.2f} USD" if amount >= 0.1 or amount == 0 else f"{amount:.4f} USD"


def usage_words(usage: "Usage") -> str:
    """How much a model was asked, and what it cost."""
    requests = "1 request" if usage.requests == 1 else f"{usage.requests} requests"
    cached = f" ({usage.cache_read_tokens:,} from a cache)" if usage.cache_read_tokens else ""
    cost = dollars(usage.usd) if usage.usd is not None else "no price is known"

    return (
        f"{requests}, {usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out, {cost}"
    )


def usage_json(usage: "Usage | None") -> dict[str, object]:
    """All zero if no model was used; `usd` is null if no price is known."""
    if usage is None:
        return {"requests": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0}
    return {
        "requests": usage.requests,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "usd": usage.usd,
    }
