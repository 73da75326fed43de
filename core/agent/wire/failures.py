"""Why a request failed, and whether it is worth sending again. Pure.

Both protocols answer with an HTTP status and a JSON object; the servers that others wrote do so
more or less.
"""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from core.agent.wire.values import Failure, Trouble

MOST_RETRIES = 2
FIRST_PAUSE = 0.5  # seconds; it doubles
LONGEST_PAUSE = 20.0  # seconds; a provider that wants a longer one is asked in a later beat
JITTER = 0.25  # the share by which a pause may be shorter, so that not everybody comes back at once
LONGEST_WORDS = 2000  # characters that are read of an error without JSON

WORTH_RETRYING = frozenset({408, 409, 425, 429})  # and every error of the server
# What providers write into `code`, `type` or the message, in the statuses that they share.
NO_CREDIT = ("insufficient_quota", "billing", "credit balance")
TOO_LONG = (
    "context_length_exceeded",
    "exceed_context_size",
    "prompt is too long",
    "maximum context length",
    "context window",
    "context size",
)
NO_MODEL = ("model_not_found",)
BY_STATUS = {
    401: Trouble.KEY,
    402: Trouble.CREDIT,
    403: Trouble.KEY,
    404: Trouble.NO_MODEL,
    413: Trouble.TOO_LONG,
    429: Trouble.PAUSE,
}


def failure_of(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> Failure:
    """What a response that is not an answer means. The names of the headers are in lower case."""
    kind, said = _read(body)
    trouble = _trouble(status, f"{kind} {said}".lower())
    return Failure(
        trouble,
        said,
        status,
        _retry_after(headers, now),
        _may_retry(status, trouble, headers),
    )


def _trouble(status: int, words: str) -> Trouble:
    by_words = (
        (Trouble.CREDIT, NO_CREDIT),
        (Trouble.TOO_LONG, TOO_LONG),
        (Trouble.NO_MODEL, NO_MODEL),
    )
    if 400 <= status < 500:
        for trouble, marks in by_words:
            if any(mark in words for mark in marks):
                return trouble

    if status in BY_STATUS:
        return BY_STATUS[status]
    if status < 400:
        return Trouble.REDIRECT

    return Trouble.SERVER if status >= 500 or status in WORTH_RETRYING else Trouble.REFUSED


def _may_retry(status: int, trouble: Trouble, headers: Mapping[str, str]) -> bool:
    if headers.get("x-should-retry") in ("true", "false"):  # both providers may say so
        return headers["x-should-retry"] == "true"

    is_for_nothing = trouble in (Trouble.CREDIT, Trouble.TOO_LONG, Trouble.NO_MODEL)
    return (status in WORTH_RETRYING or status >= 500) and not is_for_nothing


def _retry_after(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """How long the provider asks us to wait: in seconds, or until a date."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return timedelta(milliseconds=milliseconds)

    written = headers.get("retry-after", "")
    seconds = _number(written)
    if seconds is not None:
        return timedelta(seconds=seconds)

    try:
        until = parsedate_to_datetime(written)
        return max(timedelta(0), until - now)
    except (ValueError, TypeError, OverflowError):  # not a date, or one without a zone
        return None


def _number(written: str | None) -> float | None:
    """A number that can be a pause; a year is longer than any."""
    try:
        number = float(written or "")
    except ValueError:
        return None

    return number if 0 <= number <= 365 * 24 * 3600 * 1000 else None


def _read(body: bytes) -> tuple[str, str]:
    """The kind of error, and the provider's own words."""
    text = body[:LONGEST_WORDS].decode(errors="replace")
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        is_page = text.lstrip().startswith("<")  # of a proxy: nobody wants to read it
        return "", "" if is_page else text

    if not isinstance(answer, dict):
        return "", ""

    error = answer.get("error", answer)
    if isinstance(error, str):
        return "", error
    if not isinstance(error, dict):
        return "", ""

    kind = " ".join(str(error.get(name) or "") for name in ("type", "code"))
    message = error.get("message")
    return kind, message if isinstance(message, str) else ""


def pause_before_retry(failure: Failure, retries: int, chance: float) -> float | None:
    """How many seconds to wait before the same request is sent again; None: it is not worth it.
    `chance` is between 0 and 1."""
    if not failure.may_retry or retries >= MOST_RETRIES:
        return None

    pause = FIRST_PAUSE * 2.0**retries
    if failure.retry_after is not None:
        pause = max(pause, failure.retry_after.total_seconds())
        # A provider that names a time means it: not earlier, but a little later.
        pause *= 1 + JITTER * chance
    else:
        pause *= 1 - JITTER * chance

    return pause if pause <= LONGEST_PAUSE else None
