"""What an answer that is an error means, and when the request is sent again."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.wire.failures import (
    LONGEST_PAUSE,
    MOST_RETRIES,
    failure_of,
    pause_before_retry,
)
from core.agent.wire.values import Failure, Trouble

NOW = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)


def failure(status: int, body: Any = None, **headers: str) -> Failure:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return failure_of(status, named, json.dumps(body).encode(), NOW)


def anthropic(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


def openai(code: str | None, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "code": code}}


@pytest.mark.parametrize(
    ("status", "body", "trouble", "may_retry"),
    [
        (401, anthropic("authentication_error", "invalid x-api-key"), Trouble.KEY, False),
        (403, anthropic("permission_error", "not yours"), Trouble.FORBIDDEN, False),
        (402, None, Trouble.CREDIT, False),
        (
            400,
            anthropic("invalid_request_error", "Your credit balance is too low to access the API"),
            Trouble.CREDIT,
            False,
        ),
        (429, openai("insufficient_quota", "You exceeded your quota"), Trouble.CREDIT, False),
        (429, anthropic("rate_limit_error", "Slow down"), Trouble.PAUSE, True),
        (404, anthropic("not_found_error", "model: claude-0"), Trouble.NO_MODEL, False),
        (400, openai("model_not_found", "No such model"), Trouble.NO_MODEL, False),
        (
            400,
            anthropic("invalid_request_error", "prompt is too long: 212345 tokens > 200000"),
            Trouble.TOO_LONG,
            False,
        ),
        (400, openai("context_length_exceeded", "Too much"), Trouble.TOO_LONG, False),
        (
            400,
            {"error": {"code": 400, "type": "exceed_context_size_error", "message": "no"}},
            Trouble.TOO_LONG,
            False,
        ),
        (413, None, Trouble.TOO_LONG, False),
        (400, openai(None, "Unknown parameter"), Trouble.REFUSED, False),
        (422, None, Trouble.REFUSED, False),
        (408, None, Trouble.SERVER, True),
        (409, None, Trouble.SERVER, True),
        (500, None, Trouble.SERVER, True),
        (503, None, Trouble.SERVER, True),
        (529, anthropic("overloaded_error", "Overloaded"), Trouble.SERVER, True),
        (500, openai(None, "context window of the worker is gone"), Trouble.SERVER, True),
        (302, None, Trouble.REDIRECT, False),
        (204, None, Trouble.REDIRECT, False),
    ],
)
def test_each_error_has_its_meaning(
    status: int, body: Any, trouble: Trouble, may_retry: bool
) -> None:
    found = failure(status, body)
    assert (found.trouble, found.may_retry, found.status) == (trouble, may_retry, status)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (anthropic("api_error", "It broke."), "It broke."),
        (openai(None, "It broke."), "It broke."),
        ({"message": "It broke."}, "It broke."),
        ({"error": "It broke."}, "It broke."),
        ({"error": {"message": 7}}, ""),
        ({"error": None}, ""),
        ([1], ""),
    ],
)
def test_the_providers_own_words_are_kept(body: Any, said: str) -> None:
    assert failure(500, body).said == said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"upstream is gone", "upstream is gone"),
        (b"<html>504</html>", ""),
        (b"", ""),
        (b"\xff", "\ufffd"),
        (b"[" * 100_000, "[" * 2000),
    ],
)
def test_an_error_that_is_not_json_is_kept_unless_it_is_a_page(body: bytes, said: str) -> None:
    assert failure_of(502, {}, body, NOW).said == said


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "37"}, 37),
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after_ms": "250", "retry_after": "9"}, 0.25),
        ({"retry_after": "Wed, 18 Nov 2026 09:01:00 GMT"}, 60),
        ({"retry_after": "Wed, 18 Nov 2026 08:00:00 GMT"}, 0),
        ({"retry_after": "-1"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "inf"}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "Wed, 18 Nov 2026 09:01:00"}, None),
        ({}, None),
    ],
)
def test_the_pause_that_is_asked_for(headers: dict[str, str], seconds: float | None) -> None:
    expected = None if seconds is None else timedelta(seconds=seconds)
    assert failure(429, **headers).retry_after == expected


def test_the_provider_may_say_itself_whether_a_retry_helps() -> None:
    assert not failure(500, x_should_retry="false").may_retry
    assert failure(400, x_should_retry="true").may_retry
    assert failure(500, x_should_retry="perhaps").may_retry


PASSING = Failure(Trouble.SERVER, "", 500, may_retry=True)


def test_pauses_double_and_end() -> None:
    pauses = [pause_before_retry(PASSING, retries, 0.0) for retries in range(MOST_RETRIES + 1)]
    assert pauses == [0.5, 1.0, None]


def test_what_is_for_nothing_is_not_sent_again() -> None:
    assert pause_before_retry(Failure(Trouble.KEY, "", 401), 0, 0.0) is None


def test_a_pause_that_is_longer_than_a_beat_waits_is_left_to_the_next_beat() -> None:
    long = Failure(Trouble.PAUSE, "", 429, timedelta(seconds=21), may_retry=True)
    assert pause_before_retry(long, 0, 0.0) is None


@given(
    retries=st.integers(0, MOST_RETRIES - 1),
    chance=st.floats(0, 1),
    asked=st.none() | st.floats(0, 40),
)
def test_a_pause_is_never_shorter_than_what_is_asked_for_nor_longer_than_allowed(
    retries: int, chance: float, asked: float | None
) -> None:
    wanted = None if asked is None else timedelta(seconds=asked)
    pause = pause_before_retry(
        Failure(Trouble.PAUSE, "", 429, wanted, may_retry=True), retries, chance
    )

    if pause is None:
        assert asked is not None
        assert asked * 1.25 > LONGEST_PAUSE - 1e-6
    else:
        assert 0.25 < pause <= LONGEST_PAUSE
        assert wanted is None or pause >= wanted.total_seconds()
