"""What the next request may use, which is decided before it is sent."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.conversation import (
    LONGEST_ANSWER,
    SHORTEST_ANSWER,
    Stopped,
    answer_allowed,
    tokens_of,
)
from core.model.agent import BatchEnding, Limits, Usage

PLENTY = Limits(requests=12, tokens=60_000, time=timedelta(minutes=5))


def free(_usage: Usage) -> float | None:
    return None


def dear(usage: Usage) -> float:
    return usage.input_tokens * 1e-6 + usage.output_tokens * 5e-6


def test_far_from_all_limits_an_answer_may_have_its_full_length() -> None:
    assert answer_allowed(PLENTY, Usage(), 0.0, 1000, free) == LONGEST_ANSWER


@pytest.mark.parametrize(
    ("used", "seconds", "words"),
    [
        (Usage(requests=12), 0.0, "12 requests"),
        (Usage(), 300.0, "5 minutes"),
        (Usage(input_tokens=50_000, output_tokens=9_000), 0.0, "60000 tokens"),
    ],
)
def test_each_limit_forbids_the_next_request_and_is_named(
    used: Usage, seconds: float, words: str
) -> None:
    stopped = answer_allowed(PLENTY, used, seconds, 900, free)
    assert isinstance(stopped, Stopped)
    assert stopped.ending is BatchEnding.OUT_OF_BUDGET
    assert words in stopped.problem.message


def test_just_below_every_limit_a_request_is_still_allowed() -> None:
    used = Usage(requests=11, input_tokens=60_000 - 900 - SHORTEST_ANSWER)
    assert answer_allowed(PLENTY, used, 299.9, 900, free) == SHORTEST_ANSWER


def test_without_a_price_the_budget_is_ignored() -> None:
    assert (
        answer_allowed(Limits(12, 60_000, timedelta(minutes=5), usd=0.0), Usage(), 0.0, 900, free)
        == LONGEST_ANSWER
    )


@given(
    left=st.floats(0, 1),
    tokens=st.integers(0, 100_000),
    used=st.builds(
        Usage,
        requests=st.integers(0, 15),
        input_tokens=st.integers(0, 100_000),
        output_tokens=st.integers(0, 100_000),
    ),
    next_input=st.integers(0, 100_000),
)
def test_an_allowed_answer_never_exceeds_a_limit(
    left: float, tokens: int, used: Usage, next_input: int
) -> None:
    limits = Limits(12, tokens, timedelta(minutes=5), left)

    allowed = answer_allowed(limits, used, 0.0, next_input, dear)

    if isinstance(allowed, int):
        assert SHORTEST_ANSWER <= allowed <= LONGEST_ANSWER
        assert used.requests < limits.requests
        after = used + Usage(1, next_input, allowed)
        assert after.input_tokens + after.output_tokens <= tokens
        assert dear(after) <= left + 1e-9
    else:
        short = used + Usage(1, next_input, SHORTEST_ANSWER)
        assert (
            used.requests >= limits.requests
            or short.input_tokens + short.output_tokens > tokens
            or dear(short) > left - 1e-5  # never too early either
        )


@given(st.text())
def test_a_text_has_at_least_one_token(text: str) -> None:
    assert 1 <= tokens_of(text) <= len(text) + 1
