"""What the next request may use, which is decided before it is sent; and what becomes of it."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.adapters.clock import SystemClock
from core.adapters.waiting.cancellation import CancelSwitch
from core.agent.choose import Access
from core.agent.conversation import (
    LONGEST_ANSWER,
    SHORTEST_ANSWER,
    Bounds,
    Conversation,
    Stopped,
    Subject,
    answer_allowed,
    tokens_of,
)
from core.agent.wire import failures
from core.agent.wire.values import Answer, UserTurn
from core.model.agent import BatchEnding, Limits, ModelChoice, Usage
from core.model.http import NoAnswer, RawAnswer
from core.model.light_dataclass import replace
from core.model.settings import Price
from core.rules.prices import cost_of
from core.rules.providers.openai import OPENAI
from tests.fakes.model import FakeModelApi

PLENTY = Limits(requests=12, tokens=60_000, time=timedelta(minutes=5))


def free(_usage: Usage) -> float | None:
    return None


def dear(usage: Usage) -> float:
    return usage.input_tokens * 1e-6 + usage.output_tokens * 5e-6


def test_far_from_all_limits_an_answer_may_have_its_full_length() -> None:
    assert answer_allowed(PLENTY, Usage(), 0.0, Usage(input_tokens=1000), free) == LONGEST_ANSWER


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
    stopped = answer_allowed(PLENTY, used, seconds, Usage(input_tokens=900), free)
    assert isinstance(stopped, Stopped)
    assert stopped.ending is BatchEnding.OUT_OF_BUDGET
    assert words in stopped.problem.message


def test_just_below_every_limit_a_request_is_still_allowed() -> None:
    used = Usage(requests=11, input_tokens=60_000 - 900 - SHORTEST_ANSWER)
    assert answer_allowed(PLENTY, used, 299.9, Usage(input_tokens=900), free) == SHORTEST_ANSWER


def test_without_a_price_the_budget_is_ignored() -> None:
    assert (
        answer_allowed(
            Limits(12, 60_000, timedelta(minutes=5), usd=0.0),
            Usage(),
            0.0,
            Usage(input_tokens=900),
            free,
        )
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
    used = replace(used, usd=dear(used))

    allowed = answer_allowed(limits, used, 0.0, Usage(input_tokens=next_input), dear)

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


# -- asking ----------------------------------------------------------------------------------------

KEY = "sk-test-canary-7f3a9c"
ASK = UserTurn(text="Tidy the desk.")


def said(text: str, reason: str = "stop") -> RawAnswer:
    choice = {"message": {"content": text}, "finish_reason": reason}
    return RawAnswer(200, {}, json.dumps({"choices": [choice]}).encode())


def used_tokens(count: int) -> bytes:
    choice = {"message": {"content": "Done."}, "finish_reason": "stop"}
    usage = {"prompt_tokens": count, "completion_tokens": 10}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def failed(status: int, **headers: str) -> RawAnswer:
    return RawAnswer(status, headers, b"{}")


@pytest.fixture
def switch() -> Iterator[CancelSwitch]:
    made = CancelSwitch()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "FIRST_PAUSE", 0.001)


def conversation(api: FakeModelApi, switch: CancelSwitch, limits: Limits = PLENTY) -> Conversation:
    access = Access(ModelChoice("openai", "gpt", "", "https://one.example/v1"), OPENAI.wire, KEY)
    bounds = Bounds(limits, free, switch, SystemClock())
    return Conversation(access, api, Subject("Be brief."), bounds)


def test_a_request_goes_to_the_address_of_the_choice_with_its_key(switch: CancelSwitch) -> None:
    api = FakeModelApi(said("Done."))
    answer = conversation(api, switch).ask(ASK)

    assert isinstance(answer, Answer)
    assert answer.text == "Done."
    [sent] = api.sent
    assert sent.url == "https://one.example/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert timedelta(0) < sent.timeout <= PLENTY.time


def test_every_request_repeats_what_was_said(switch: CancelSwitch) -> None:
    api = FakeModelApi(said("What?"), said("Done."))
    talk = conversation(api, switch)
    talk.ask(ASK)
    talk.ask(UserTurn(text="The desk."))

    roles = [one["role"] for one in json.loads(api.sent[1].body)["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_each_request_is_priced_on_its_own(switch: CancelSwitch) -> None:
    """Two short requests do not cost what one long request does."""
    price = Price(1.0, 1.0, above=((150, Price(10.0, 10.0)),))
    counted = [RawAnswer(200, {}, used_tokens(100)) for _ in range(2)]
    access = Access(ModelChoice("openai", "gpt", "", "https://one.example/v1"), OPENAI.wire, KEY)
    bounds = Bounds(PLENTY, lambda usage: cost_of(usage, price), switch, SystemClock())
    talk = Conversation(access, FakeModelApi(*counted), Subject("Be brief."), bounds)
    talk.ask(ASK)
    talk.ask(ASK)

    assert (talk.used.requests, talk.used.input_tokens) == (2, 200)
    assert talk.used.usd == pytest.approx(220e-6)
    assert cost_of(talk.used, price) == pytest.approx(2200e-6)  # twin: all of it as one request


def test_a_name_that_is_not_utf_8_does_not_keep_the_rest_from_being_read(
    switch: CancelSwitch,
) -> None:
    api = FakeModelApi(said("Done."))
    conversation(api, switch).ask(UserTurn(text="Read a\udcff.txt"))
    assert "Read a?.txt" in api.sent[0].body.decode()


def test_a_connection_that_was_never_made_is_tried_again(switch: CancelSwitch) -> None:
    api = FakeModelApi(NoAnswer("refused", ("no_connection",)), said("Done."))
    assert isinstance(conversation(api, switch).ask(ASK), Answer)
    assert len(api.sent) == 2


def test_a_connection_that_broke_later_is_not(switch: CancelSwitch) -> None:
    """The model may have answered already, and that costs money."""
    api = FakeModelApi(NoAnswer("cut", ("RemoteProtocolError",)), said("Done."))
    stopped = conversation(api, switch).ask(ASK)
    assert isinstance(stopped, Stopped)
    assert stopped.ending is BatchEnding.UNREACHABLE
    assert len(api.sent) == 1


def test_cancelled_during_a_pause_nothing_more_is_sent(switch: CancelSwitch) -> None:
    api = FakeModelApi(failed(500), said("Done."))
    api.meanwhile = lambda _: None
    talk = conversation(api, switch)
    api.answers.insert(0, failed(503))

    def cancel_after_two(_: object) -> None:
        if len(api.sent) == 2:
            switch.set()

    api.meanwhile = cancel_after_two
    stopped = talk.ask(ASK)

    assert isinstance(stopped, Stopped)
    assert stopped.ending is BatchEnding.CANCELLED
    assert len(api.sent) == 2


def test_a_request_that_was_given_up_counts_as_sent(switch: CancelSwitch) -> None:
    talk = conversation(FakeModelApi(None), switch)
    stopped = talk.ask(ASK)
    assert isinstance(stopped, Stopped)
    assert talk.used.requests == 1
    assert talk.used.input_tokens > 0


def test_an_answer_that_its_limits_cut_short_is_not_taken_for_a_whole_one(
    switch: CancelSwitch,
) -> None:
    little = Limits(12, 600, timedelta(minutes=5))
    stopped = conversation(FakeModelApi(said("Half of", "length")), switch, little).ask(ASK)
    assert isinstance(stopped, Stopped)
    assert stopped.ending is BatchEnding.OUT_OF_BUDGET
