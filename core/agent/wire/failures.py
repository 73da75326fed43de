"""Why a request failed, and whether it is worth sending again. Pure.

Both protocols answer with an HTTP status and a JSON object; the servers that others wrote do so
more or less.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from core.agent.wire.values import Failure, Trouble

MOST_RETRIES = 2
FIRST_PAUSE = 0.5  # seconds; it doubles
LONGEST_PAUSE = 20.0  # seconds; a provider that wants a longer one is asked in a later beat
JITTER = 0.25  # the share by which a pause may be shorter, so that not everybody comes back at once
LONGEST_WORDS = 2000  # characters that are read of an error without JSON

BAD_REQUEST = 400
SERVER_ERROR = 500
WORTH_RETRYING = frozenset({408, 409, 425, 429})  # and every error of the server
# What providers write into `type` or `code`.
BY_KIND = {
    "insufficient_quota": Trouble.CREDIT,
    "billing_error": Trouble.CREDIT,
    "rate_limit_exceeded": Trouble.PAUSE,
    "rate_limit_error": Trouble.PAUSE,
    "context_length_exceeded": Trouble.TOO_LONG,
    "exceed_context_size_error": Trouble.TOO_LONG,
    "model_not_found": Trouble.NO_MODEL,
}
# A bad request may be many things, and some providers say which only in a sentence.
IN_WORDS = (
    ("credit balance is too low", Trouble.CREDIT),
    ("prompt is too long", Trouble.TOO_LONG),
    ("maximum context length", Trouble.TOO_LONG),
    ("exceeds the available context size", Trouble.TOO_LONG),
    ("exceed context window", Trouble.TOO_LONG),
)
BY_STATUS = {
    401: Trouble.KEY,
    402: Trouble.CREDIT,
    403: Trouble.FORBIDDEN,
    404: Trouble.NO_MODEL,
    413: Trouble.TOO_LONG,
    429: Trouble.PAUSE,
}


def failure_of(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> Failure:
    """What a response that is not an answer means. The names of the headers are in lower case."""
    kinds, said = _read(body)
    trouble = _trouble(status, kinds, said.lower())
    return Failure(
        trouble,
        said,
        status,
        _retry_after(headers, now),
        _may_retry(status, trouble, headers),
    )


def _trouble(status: int, kinds: Sequence[str], words: str) -> Trouble:
    if 400 <= status < 500:
        known = [BY_KIND[kind] for kind in kinds if kind in BY_KIND]
        if status == BAD_REQUEST:
            known += [trouble for mark, trouble in IN_WORDS if mark in words]
        if known:
            return known[0]

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


def _read(body: bytes) -> tuple[Sequence[str], str]:
    """The kinds of error that it is said to be, and the provider's own words."""
    text = body[:LONGEST_WORDS].decode(errors="replace")
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        is_page = text.lstrip().startswith("<")  # of a proxy: nobody wants to read it
        return (), "" if is_page else text

    if not isinstance(answer, dict):
        return (), ""

    error = answer.get("error", answer)
    if isinstance(error, str):
        return (), error
    if not isinstance(error, dict):
        return (), ""

    kinds = [str(error.get(name) or "") for name in ("code", "type")]
    message = error.get("message")
    return kinds, message if isinstance(message, str) else ""


def status_in(body: bytes) -> int | None:
    """The status that fits the error in a body that came with status 200; None if it has none."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None

    error = answer.get("error") if isinstance(answer, dict) else None
    if not error:
        return None

    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else SERVER_ERROR


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
