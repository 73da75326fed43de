"""The language model with the real client libraries, both protocols and a scripted server.

All in one module, because importing the libraries takes seconds.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelRequest, ModelResponse

from core.adapters.clock import SystemClock
from core.adapters.model_api import HttpxModelApi
from core.adapters.waiting.cancellation import CancelSwitch
from core.agent import tool_loop
from core.agent.agent import LanguageModel
from core.agent.choose import Access
from core.agent.tool import Toolbox
from core.agent.wire import failures
from core.model.agent import (
    Batch,
    BatchEnding,
    BatchResult,
    BatchTask,
    Limits,
    ModelChoice,
    Question,
    Usage,
)
from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.model.evidence import Said
from core.model.occurrence import Verdict
from core.model.settings import AgentSettings, Settings, VerifierSettings
from core.rules.providers import PROVIDERS as PROVIDERS_BY_NAME
from core.rules.providers import Program, key_variables
from tests.fakes.outside import FakeSecrets
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.world import FakeModelWorld
from tests.model_server import Call, Cut, Drip, Fail, Garbage, ModelServer, Odd, Received, Say
from tests.models.vendor_clients import model_of, web_client

PROVIDERS = ("anthropic", "openai", "openai-compatible", "ollama")
KEY = "sk-test-canary-7f3a9c"
PLENTY = Limits(requests=12, tokens=60_000, time=timedelta(minutes=5))
BATCH = Batch(
    datetime(2026, 11, 16, 9, 0, tzinfo=UTC),
    tasks=(BatchTask("tidy", "Tidy the desk", required=True),),
)
DONE = Call("report_task", {"task_id": "tidy", "outcome": "done", "result": "tidied"})

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "FIRST_PAUSE", 0.001)


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def cancel() -> Iterator[CancelSwitch]:
    switch = CancelSwitch()
    yield switch
    switch.close()


class HurriedClock(SystemClock):
    """Jumps ahead by five minutes when the second request has arrived."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server

    def monotonic(self) -> float:
        return super().monotonic() + (300 if len(self._server.received) > 1 else 0)


class Stage:
    """A configured model, and what it works with."""

    def __init__(self, server: ModelServer, provider: str, cancel: CancelSwitch) -> None:
        self.server = server
        self.provider = provider
        self.cancel = cancel
        self.toolbox = FakeToolbox()
        self.secrets = FakeSecrets()
        self.secrets.kept = dict.fromkeys(PROVIDERS, KEY)
        self.price: Callable[[ModelChoice, Usage], float | None] = lambda _choice, _usage: None
        self.verifier = VerifierSettings()
        self.clock = SystemClock()

    def model(self) -> LanguageModel:
        agent = AgentSettings(self.provider, "scripted", self.server.base_url(self.provider))
        settings = Settings(agent=agent, verifier=self.verifier)
        toolbox: Callable[[Batch], Toolbox] = lambda _batch: self.toolbox  # noqa: E731 - short
        api = HttpxModelApi(self.clock.monotonic)
        world = FakeModelWorld(settings, self.secrets, clock=self.clock, model_api=api)
        return LanguageModel(world, toolbox, lambda *both: self.price(*both))

    def work(self, limits: Limits = PLENTY, batch: Batch = BATCH) -> BatchResult:
        return self.model().work(batch, limits, self.cancel)


@pytest.fixture(params=PROVIDERS)
def stage(server: ModelServer, cancel: CancelSwitch, request: pytest.FixtureRequest) -> Stage:
    return Stage(server, request.param, cancel)


@pytest.fixture(params=["anthropic", "openai"])
def either(server: ModelServer, cancel: CancelSwitch, request: pytest.FixtureRequest) -> Stage:
    """One provider per protocol, for tests in which the provider makes no difference."""
    return Stage(server, request.param, cancel)


def tool_results(received: Received) -> list[str]:
    """The results of its calls that the model got in the last turn, in either protocol."""
    results: list[str] = []
    for message in reversed(received.body["messages"]):
        if message["role"] == "tool":
            results.append(message["content"])
        elif message["role"] == "user" and isinstance(message["content"], list):
            results += [
                _text(block["content"])
                for block in message["content"]
                if block["type"] == "tool_result"
            ][::-1]
            break
        else:
            break
    return results[::-1]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


# -- the loop --------------------------------------------------------------------------------------


def test_a_model_uses_its_tools_reports_and_ends_with_a_message(stage: Stage) -> None:
    stage.server.play(
        Say("", (Call("write_note", {"line": "clean"}),)), Say("", (DONE,)), Say("All tidy.")
    )

    result = stage.work()

    assert result.ending is BatchEnding.FINISHED, result.problem
    assert result.text == "All tidy."
    assert result.reports["tidy"].said is Said.DONE
    assert [act.what.split()[0] for act in result.acts] == ["write_note", "report_task"]
    assert stage.toolbox.notes == ["clean"]
    assert stage.toolbox.closed
    assert result.usage.requests == len(stage.server.received) == 3
    assert result.usage.input_tokens > 100
    assert result.usage.output_tokens > 0


def test_an_answer_that_reports_the_last_task_ends_the_batch(either: Stage) -> None:
    either.toolbox = FakeToolbox(tasks=("tidy",))
    either.server.play(Say("", (Call("write_note", {"line": "clean"}),)), Say("", (DONE,)))

    result = either.work()

    assert (result.ending, result.text) == (BatchEnding.FINISHED, "")
    assert result.reports["tidy"].said is Said.DONE
    assert len(either.server.received) == 2


def test_a_report_with_words_beside_it_does_not_end_it(either: Stage) -> None:
    """They may be for the person."""
    either.toolbox = FakeToolbox(tasks=("tidy",))
    either.server.play(Say("The disk is full.", (DONE,)), Say("The disk is full."))

    assert either.work().text == "The disk is full."


def test_half_of_an_answer_is_not_carried_out(either: Stage) -> None:
    cut = Say("", (Call("write_note", {"line": "half of a li"}),), cut_short=True)
    either.server.play(cut, Say("", (Call("write_note", {"line": "a line"}),)), Say("done"))

    result = either.work()

    assert either.toolbox.notes == ["a line"]
    assert result.text == "done"
    assert "cut off" in tool_results(either.server.received[1])[0]


def test_half_of_a_message_looks_like_one(either: Stage) -> None:
    either.server.play(Say("Your disk is", cut_short=True))
    result = either.work()
    assert (result.ending, result.text) == (BatchEnding.FINISHED, "Your disk is …")


def test_a_model_that_refuses_is_not_a_model_that_has_finished(either: Stage) -> None:
    """Nothing is held against the tasks, and the person is told what to do."""
    either.server.play(Say("I cannot help with that.", refused=True))
    result = either.work()
    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem
    assert "will not do what is due: I cannot help with that" in result.problem.message
    assert "Reword" in result.problem.hint
    assert result.usage.input_tokens > 0


def test_an_error_that_looks_like_an_answer_is_an_error(either: Stage) -> None:
    limited = {"error": {"message": "Rate limit exceeded", "code": 429}}
    either.server.play(Odd(json.dumps(limited)), Odd(json.dumps(limited)), Say("done"))
    assert either.work().text == "done"


def test_a_report_beside_other_calls_does_not_end_it(either: Stage) -> None:
    """The model has not seen yet whether they worked, and may take the report back."""
    either.toolbox = FakeToolbox(tasks=("tidy",))
    failed = Call("report_task", {"task_id": "tidy", "outcome": "failed", "result": "no space"})
    both = Say("", (Call("write_note", {"line": "clean"}), DONE))
    either.server.play(both, Say("", (failed,)))

    result = either.work()

    assert result.reports["tidy"].said is Said.FAILED
    assert len(either.server.received) == 2


def test_a_correction_that_is_refused_does_not_end_it(either: Stage) -> None:
    """Otherwise the claim that the model wanted to take back would stand."""
    either.toolbox = FakeToolbox(tasks=("tidy",))
    both = Say("", (Call("write_note", {"line": "clean"}), DONE))
    wrong = Call("report_task", {"task_id": "tidy", "outcome": "failed", "why": "no space"})
    right = Call("report_task", {"task_id": "tidy", "outcome": "failed", "result": "no space"})
    either.server.play(both, Say("", (wrong,)), Say("", (right,)))

    assert either.work().reports["tidy"].said is Said.FAILED


def test_what_was_used_counts_although_something_unforeseen_happens(
    either: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("a bug")

    either.server.play(Say("", (Call("write_note", {"line": "clean"}),)), Say("done"))
    monkeypatch.setattr(tool_loop.ToolCalls, "run", break_down)

    result = either.work()

    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem
    assert "a bug" in result.problem.message
    assert result.usage.requests == 1
    assert result.usage.input_tokens > 0


def test_a_report_that_is_refused_does_not_end_it(either: Stage) -> None:
    either.toolbox = FakeToolbox(tasks=("tidy",))
    either.server.play(Say("", (Call("report_task", {"task_id": "tidy"}),)), Say("", (DONE,)))
    assert either.work().reports["tidy"].said is Said.DONE


def test_the_first_request_contains_exactly_what_prompt_shows(either: Stage) -> None:
    either.server.play(Say("HEARTBEAT_OK"))
    either.work()

    [first] = either.server.received
    shown = either.model().prompt(BATCH)
    system, _, rest = shown.partition("\n\n[User]\n")
    user, _, tools = rest.partition("\n\n[Tools]\n")

    assert system.removeprefix("[System]\n") in _all_text(first.body)
    assert user in _all_text(first.body)
    assert all(tool.name in tools for tool in either.toolbox.tools())


def _all_text(body: object) -> str:
    if isinstance(body, Mapping):
        return "\n".join(_all_text(one) for one in body.values())
    if isinstance(body, Sequence) and not isinstance(body, str):
        return "\n".join(_all_text(one) for one in body)
    return str(body)


def test_the_schema_of_a_tool_is_sent_unchanged(stage: Stage) -> None:
    """A library that adds additionalProperties: false would prevent every fact."""
    stage.server.play(Say("ok"))
    stage.work()

    [request] = stage.server.received
    sent = (
        {tool["name"]: tool["input_schema"] for tool in request.body["tools"]}
        if "system" in request.body
        else {
            tool["function"]["name"]: tool["function"]["parameters"]
            for tool in request.body["tools"]
        }
    )
    for tool in stage.toolbox.tools():
        assert sent[tool.name].get("required") == tool.parameters.get("required")
        assert "additionalProperties" not in json.dumps(sent[tool.name])


def test_all_calls_of_one_answer_run_in_order_and_are_answered(stage: Stage) -> None:
    lines = [Call("write_note", {"line": str(number)}) for number in range(5)]
    stage.server.play(Say("", tuple(lines)), Say("done"))

    stage.work()

    assert stage.toolbox.notes == ["0", "1", "2", "3", "4"]
    assert tool_results(stage.server.received[1]) == ["Written."] * 5


def test_an_answer_with_too_many_calls_runs_only_the_first(either: Stage) -> None:
    many = tuple(Call("write_note", {"line": str(number)}) for number in range(40))
    either.server.play(Say("", many), Say("done"))

    either.work()

    assert len(either.toolbox.notes) == 16
    assert len(tool_results(either.server.received[1])) == 40


@pytest.mark.parametrize("arguments", ["{bad", "[1, 2]", '"text"', ""])
def test_arguments_that_are_not_an_object_are_answered_with_the_schema(
    either: Stage, arguments: str
) -> None:
    either.server.play(Say("", (Call("write_note", arguments),)), Say("", (DONE,)), Say("done"))

    result = either.work()

    assert result.ending is BatchEnding.FINISHED, result.problem
    assert either.toolbox.notes == []
    assert "line" in tool_results(either.server.received[1])[0], "what it takes"
    assert "tidy" in result.reports


def test_a_call_of_an_unknown_tool_is_answered_with_the_known_ones(either: Stage) -> None:
    either.server.play(Say("", (Call("approve_everything", {}),)), Say("done"))

    either.work()

    assert (
        "report_task, write_note, measure, read_notes" in tool_results(either.server.received[1])[0]
    )
    assert either.toolbox.acts == [], "nothing was done, so there is nothing to record"


def test_the_third_identical_call_in_a_row_is_refused(either: Stage) -> None:
    same = Say("", (Call("write_note", {"line": "again"}),))
    either.server.play(same, same, same, Say("done"))

    either.work()

    assert either.toolbox.notes == ["again", "again"]
    assert "very call" in tool_results(either.server.received[3])[0]
    assert len(either.toolbox.acts) == 2, "the refused call is not recorded"


def test_an_identical_call_runs_again_after_something_else_was_done(either: Stage) -> None:
    read = Call("read_notes")
    writes = [Call("write_note", {"line": str(number)}) for number in range(4)]
    either.server.play(*(Say("", (write, read)) for write in writes), Say("done"))

    either.work()

    assert sum(act.what.startswith("read_notes") for act in either.toolbox.acts) == 4


def test_a_model_that_never_stops_calling_ends_at_the_request_limit(either: Stage) -> None:
    either.server.play(*[Say("", (Call("read_notes"),))] * 50)

    result = either.work(Limits(requests=5, tokens=60_000, time=timedelta(minutes=5)))

    assert result.ending is BatchEnding.OUT_OF_BUDGET
    assert result.problem
    assert "5 requests" in result.problem.full_text
    assert len(either.server.received) == result.usage.requests == 5


def test_a_tool_that_raises_does_not_end_the_batch(either: Stage) -> None:
    class BrokenToolbox(FakeToolbox):
        def call(self, name: str, arguments: Mapping[str, Any]) -> str:
            raise ValueError(KEY)

    either.toolbox = BrokenToolbox()
    either.server.play(Say("", (Call("write_note", {"line": "x"}),)), Say("done"))

    result = either.work()

    assert result.ending is BatchEnding.FINISHED
    assert tool_results(either.server.received[1]) == ["The tool failed: ValueError."]


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_the_scripted_server_streams_like_the_real_ones(server: ModelServer, provider: str) -> None:
    """Command-line agents use streams; the real clients check that ours are correct."""
    server.play(Say("All tidy.", (Call("write_note", {"line": "clean"}), DONE)))

    answer = asyncio.run(_streamed(server, provider))

    assert server.received[0].body["stream"] is True
    assert answer.text == "All tidy."
    assert [(call.tool_name, call.args_as_dict()) for call in answer.tool_calls] == [
        ("write_note", {"line": "clean"}),
        ("report_task", DONE.arguments),
    ]
    assert answer.usage.output_tokens > 0


async def _streamed(server: ModelServer, provider: str) -> ModelResponse:
    choice = ModelChoice(provider, "scripted", "", server.base_url(provider))
    record = PROVIDERS_BY_NAME[provider]
    assert not isinstance(record, Program)
    async with web_client(choice.base_url) as web:
        model = model_of(Access(choice, record.wire, KEY), web)
        async with model_request_stream(model, [ModelRequest.user_text_prompt("Tidy.")]) as stream:
            async for _event in stream:
                pass
            return stream.get()


def test_a_toolbox_that_cannot_be_opened_is_a_problem_and_not_an_exception(either: Stage) -> None:
    def no_toolbox(_batch: Batch) -> Toolbox:
        raise HeartbeatError(f"The ledger cannot be read, and by the way: {KEY}")

    agent = AgentSettings(either.provider, "scripted", either.server.base_url(either.provider))
    world = FakeModelWorld(Settings(agent=agent), either.secrets)
    model = LanguageModel(world, no_toolbox, lambda *_: None)

    result = model.work(BATCH, PLENTY, either.cancel)

    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem
    assert "The ledger cannot be read" in result.problem.full_text
    assert KEY not in result.problem.full_text


# -- limits ----------------------------------------------------------------------------------------


def test_the_token_limit_is_checked_before_the_request(either: Stage) -> None:
    either.server.play()

    result = either.work(Limits(requests=12, tokens=300, time=timedelta(minutes=5)))

    assert result.ending is BatchEnding.OUT_OF_BUDGET
    assert result.problem
    assert "300 tokens" in result.problem.full_text
    assert either.server.received == []


def test_used_and_repeated_tokens_count_towards_the_token_limit(
    either: Stage,
) -> None:
    either.server.play(
        *(Say("", (Call("write_note", {"line": f"{number} {'x' * 800}"}),)) for number in range(50))
    )

    result = either.work(Limits(requests=100, tokens=10_000, time=timedelta(minutes=5)))

    assert result.ending is BatchEnding.OUT_OF_BUDGET
    assert 3 <= len(either.server.received) < 20
    assert result.usage.input_tokens + result.usage.output_tokens <= 10_000


def test_the_budget_is_checked_before_the_request(either: Stage) -> None:
    either.server.play()
    either.price = lambda _choice, usage: usage.input_tokens * 1e-6 + usage.output_tokens * 5e-6

    broke = either.work(Limits(requests=12, tokens=60_000, time=timedelta(minutes=5), usd=0.0005))

    assert broke.ending is BatchEnding.OUT_OF_BUDGET
    assert broke.problem
    assert "the daily budget" in broke.problem.full_text
    assert either.server.received == []

    enough = either.work(Limits(requests=12, tokens=60_000, time=timedelta(minutes=5), usd=0.01))
    assert enough.ending is BatchEnding.FINISHED
    assert enough.usage.usd == pytest.approx(
        enough.usage.input_tokens * 1e-6 + enough.usage.output_tokens * 5e-6
    )

    [request] = either.server.received
    longest = request.body.get("max_tokens") or request.body["max_completion_tokens"]

    assert 256 <= longest < 2000  # no more than the money pays for


def test_each_request_limits_the_answer_in_the_field_of_its_protocol(stage: Stage) -> None:
    stage.server.play(Say("ok"))
    stage.work()

    [request] = stage.server.received
    field = "max_tokens"
    other = "max_completion_tokens"
    if stage.provider == "openai":
        field, other = other, field

    assert request.body[field] == 4096
    assert other not in request.body


def test_an_endless_answer_ends_at_the_time_limit(either: Stage) -> None:
    either.server.play(Say("", (DONE,)), Drip())
    either.clock = HurriedClock(either.server)

    result = either.work()

    assert result.ending is BatchEnding.OUT_OF_BUDGET
    assert result.problem
    assert "time limit" in result.problem.full_text
    assert "tidy" in result.reports, "what was reported before still counts"


# -- cancelling ------------------------------------------------------------------------------------


def test_cancelling_ends_a_running_request_at_once(either: Stage) -> None:
    either.server.play(Drip())
    clock = SystemClock()
    cancelled_at: list[float] = []

    def cancel_when_it_arrives() -> None:
        assert either.server.arrived.wait(60)
        cancelled_at.append(clock.monotonic())
        either.cancel.set()

    person = threading.Thread(target=cancel_when_it_arrives)
    person.start()
    result = either.work()
    ended = clock.monotonic()
    person.join()

    assert result.ending is BatchEnding.CANCELLED
    assert ended - cancelled_at[0] < 30  # of the five minutes that it had
    assert either.toolbox.closed


def test_nothing_is_sent_after_a_cancellation(either: Stage) -> None:
    either.server.play()
    either.cancel.set()

    assert either.work().ending is BatchEnding.CANCELLED
    assert either.server.received == []


def test_cancelling_waits_only_briefly_for_a_running_tool(either: Stage) -> None:
    """The tool sees the same cancellation and ends; what it did is recorded."""

    def slow(_arguments: Mapping[str, Any]) -> str:
        either.cancel.set()
        return "Cancelled."

    either.toolbox = FakeToolbox(slow)
    either.server.play(Say("", (Call("write_note", {"line": "x"}),)), Say("never asked for"))

    result = either.work()

    assert result.ending is BatchEnding.CANCELLED
    assert [act.output for act in result.acts] == ["Cancelled."]
    assert len(either.server.received) == 1


# -- troubles --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "words", "attempts"),
    [
        (Fail(401), "heartbeat key set", 1),
        (Fail(403), "does not allow this", 1),
        (Fail(402), "no credit", 1),
        (Fail(404), "does not know the model scripted", 1),
        (Fail(400, "no such field"), "no such field", 1),
        (Fail(400, "prompt is too long: 250000 tokens"), "does not fit into the model", 1),
        (Fail(413), "does not fit into the model", 1),
        (Fail(408), "internal error (408)", 3),
        (Fail(409), "internal error (409)", 3),
        (Fail(429), "asks for a pause (429)", 3),
        (Fail(429, "Add money", kind="insufficient_quota"), "no credit", 1),
        (Fail(429, "Slow down; see your billing page"), "asks for a pause", 3),
        (Fail(500), "internal error (500)", 3),
        (Fail(529), "internal error (529)", 3),
        (Fail(302), "has moved (302)", 1),
        (Cut(), "closed the connection", 1),
        (Garbage(), "cannot be read", 1),
    ],
    ids=str,
)
def test_every_error_of_a_provider_is_explained_in_words(
    either: Stage, reply: Fail | Cut | Garbage, words: str, attempts: int
) -> None:
    either.server.play(Say("", (DONE,)), *[reply] * 5)

    result = either.work()

    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem
    assert words in result.problem.full_text
    assert either.provider in result.problem.full_text
    assert "tidy" in result.reports
    assert len(either.server.received) == result.usage.requests == 1 + attempts


def test_after_an_error_that_passes_the_batch_goes_on(either: Stage) -> None:
    either.server.play(Fail(529), Fail(500), Say("", (DONE,)), Fail(429), Say("All tidy."))

    result = either.work()

    assert result.ending is BatchEnding.FINISHED, result.problem
    assert result.text == "All tidy."
    assert result.usage.requests == 5, "each attempt counts towards the limit"


def test_a_retry_never_exceeds_the_request_limit(either: Stage) -> None:
    either.server.play(*[Fail(500)] * 5)

    result = either.work(Limits(requests=2, tokens=60_000, time=timedelta(minutes=5)))

    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem
    assert "internal error" in result.problem.full_text
    assert len(either.server.received) == 2


def test_a_refused_key_is_a_problem_with_what_to_do_about_it(either: Stage) -> None:
    either.server.play(Fail(401, "no such key"))

    assert either.work().problem == Problem(
        f"{either.provider} refused the key (401): no such key.",
        f"Store a valid one: heartbeat key set {either.provider}, or without a keyring set "
        f"{key_variables()[either.provider]}",
    )


def test_the_pause_that_a_provider_asks_for_is_passed_on(stage: Stage) -> None:
    """It is longer than a beat waits: the beat after it is told."""
    stage.server.play(Fail(429, retry_after="37"))
    assert stage.work().retry_after == timedelta(seconds=37)
    assert len(stage.server.received) == 1

    stage.server.play(Fail(529, retry_after="120"))
    assert stage.work().retry_after == timedelta(minutes=2)

    stage.server.play(*[Fail(500)] * 3)
    assert stage.work().retry_after is None


def test_an_unreachable_server_is_named_with_its_address(
    server: ModelServer, cancel: CancelSwitch
) -> None:
    with ModelServer() as gone:
        stage = Stage(gone, "openai-compatible", cancel)
        model = stage.model()
        address = gone.base_url("openai-compatible")

    result = model.work(BATCH, PLENTY, cancel)

    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem
    assert address in result.problem.full_text


def test_a_redirect_is_not_followed(server: ModelServer, cancel: CancelSwitch) -> None:
    """The prompt and the key are for one address."""
    with ModelServer() as elsewhere:
        for provider in ("anthropic", "openai"):
            server.play(Fail(307, location=f"{elsewhere.base_url(provider)}/v1/messages"))
            assert Stage(server, provider, cancel).work().ending is BatchEnding.UNREACHABLE
        assert elsewhere.received == []


def test_a_key_that_a_provider_repeats_is_not_shown(either: Stage) -> None:
    """Nor a part of it, if the message is too long and is cut in the middle of the key."""
    key = "canary-of-no-known-kind-7f3a9c"
    either.secrets.kept = {either.provider: key}
    for before in ("Incorrect API key provided", "Incorrect API key provided " + "x" * 160):
        either.server.play(Fail(401, f"{before}: {key}."))

        problem = either.work().problem

        assert problem
        assert "Incorrect API key provided" in problem.full_text
        assert key[:8] not in problem.full_text


def test_the_environment_decides_neither_the_address_nor_the_key(
    either: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC", "OPENAI"):
        monkeypatch.setenv(f"{name}_BASE_URL", "http://127.0.0.1:9/")
        monkeypatch.setenv(f"{name}_API_KEY", "another")

    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9/")
    either.server.play(Say("ok"))

    assert either.work().ending is BatchEnding.FINISHED
    headers = either.server.received[0].headers
    given = {"anthropic": ("x-api-key", KEY), "openai": ("authorization", f"Bearer {KEY}")}
    assert given[either.provider] in headers.items()
    assert "another" not in str(either.server.received[0])


def test_without_anything_due_no_request_is_sent(either: Stage) -> None:
    either.server.play()

    assert either.work(batch=Batch(BATCH.now)).ending is BatchEnding.FINISHED
    assert either.server.received == []
    assert either.secrets.reads == 0


# -- caches ----------------------------------------------------------------------------------------


def test_anthropic_caches_the_stable_part_until_the_next_beat(
    server: ModelServer, cancel: CancelSwitch
) -> None:
    server.play(Say("ok", cache_read=50))

    result = Stage(server, "anthropic", cancel).work()

    [request] = server.received

    assert request.body["system"][-1]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert request.body["cache_control"]["ttl"] == "5m"
    assert result.usage.cache_read_tokens == 50
    assert result.usage.input_tokens == request.size // 4


# -- the judge -------------------------------------------------------------------------------------

QUESTIONS = (
    Question("tidy", "Tidy the desk", "desk_tidy", "claimed: done\nread_notes: clean"),
    Question("mail", "Send the mail", "mail_sent", "claimed: done"),
)


def answer(task: str = "tidy", **other: Any) -> dict[str, Any]:
    return {
        "task_id": task,
        "verdict": "verified",
        "contradiction": False,
        "quote": "clean",
        "reason": "seen",
        **other,
    }


def given(stage: Stage, *answers: dict[str, Any]) -> Say:
    """In the shape that the provider is held to."""
    if stage.provider == "anthropic":
        return Say("", (Call("answer", {"answers": answers}),))
    return Say(json.dumps({"answers": answers}))


def test_the_judge_answers_all_questions_in_one_request(stage: Stage) -> None:
    answers = [
        answer(),
        answer("mail", verdict="not_verified", contradiction=True, quote="", reason="nothing sent"),
    ]
    stage.server.play(given(stage, *answers, answer("stranger")))

    result = stage.model().judge(QUESTIONS, PLENTY, stage.cancel)

    assert result.problem is None
    assert set(result.judgements) == {"tidy", "mail"}
    assert result.judgements["tidy"].verdict is Verdict.VERIFIED
    assert result.judgements["tidy"].quote == "clean"
    assert result.judgements["mail"].contradiction
    assert result.usage.requests == len(stage.server.received) == 1

    [request] = stage.server.received
    assert "» read_notes: clean" in request.text

    if stage.provider == "anthropic":
        assert request.body["tool_choice"]["type"] == "any"
    else:
        assert request.body["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    "bad",
    [
        Say("I think it was done."),
        Say("", (Call("answer", {"answers": [answer(verdict="perhaps")]}),)),
        Say("", (Call("answer", "{bad"),)),
        Say("", (Call("write_file", {}), Call("answer", {"tasks": []}))),
        Say(""),
    ],
    ids=str,
)
def test_the_judge_is_asked_again_if_its_answer_cannot_be_read(either: Stage, bad: Say) -> None:
    either.server.play(bad, given(either, answer()))
    result = either.model().judge(QUESTIONS, PLENTY, either.cancel)

    assert result.judgements["tidy"].verdict is Verdict.VERIFIED
    assert result.usage.requests == 2

    either.server.play(bad, bad, given(either, answer()))
    result = either.model().judge(QUESTIONS, PLENTY, either.cancel)

    assert result.judgements == {}
    assert result.problem
    assert result.problem.full_text == "The judge gave no readable answer."
    assert len(either.server.received) == 2


def test_a_judge_that_answers_with_json_as_text_is_understood(either: Stage) -> None:
    either.server.play(Say(json.dumps({"answers": [answer()]})))
    assert (
        either.model().judge(QUESTIONS, PLENTY, either.cancel).judgements["tidy"].verdict
        is Verdict.VERIFIED
    )


def test_two_answers_to_the_same_question_count_as_none(either: Stage) -> None:
    both = [answer(), answer(verdict="not_verified")]
    either.server.play(given(either, *both))
    assert either.model().judge(QUESTIONS, PLENTY, either.cancel).judgements == {}


def test_the_judge_may_be_another_provider_at_another_address(
    server: ModelServer, cancel: CancelSwitch
) -> None:
    with ModelServer(Say(json.dumps({"answers": [answer()]}))) as second:
        stage = Stage(server, "anthropic", cancel)
        stage.secrets.kept = {"anthropic": KEY, "openai-compatible": "the other key"}
        stage.verifier = VerifierSettings(
            "openai-compatible", "small", second.base_url("openai-compatible")
        )
        server.play()

        assert set(stage.model().judge(QUESTIONS, PLENTY, cancel).judgements) == {"tidy"}

    [request] = second.received

    assert request.body["model"] == "small"
    assert KEY not in str(request)
    assert server.received == []


@pytest.mark.parametrize("reply", [Fail(500), Cut(), Garbage()], ids=str)
def test_a_judge_that_fails_gives_no_judgement_and_says_why(
    either: Stage, reply: Fail | Cut | Garbage
) -> None:
    either.server.play(*[reply] * 3)
    result = either.model().judge(QUESTIONS, PLENTY, either.cancel)

    assert result.judgements == {}
    assert result.problem
    assert either.provider in result.problem.full_text


def test_without_questions_no_request_is_sent(either: Stage) -> None:
    either.server.play()
    assert either.model().judge((), PLENTY, either.cancel).usage.requests == 0
    assert either.server.received == []
    assert either.secrets.reads == 0
