"""What core.ports.Agent promises, asked of the real one, whose provider is a scripted server on
this machine, and of the fake. How each provider is spoken to is in tests/models."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Protocol

import pytest

from core.adapters.waiting.cancellation import CancelSwitch
from core.agent.agent import LanguageModel
from core.model.agent import (
    Batch,
    BatchEnding,
    BatchResult,
    BatchTask,
    JudgeResult,
    Limits,
    ModelChoice,
    NoModel,
    Question,
    Usage,
)
from core.model.diagnostic import Problem
from core.model.evidence import Act, Claim, Judgement, Said
from core.model.occurrence import Verdict
from core.model.settings import AgentSettings, Settings
from core.ports.model import Agent
from tests.fakes.model import CHOICE, NONE, USED, FakeAgent
from tests.fakes.outside import FakeSecrets
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.world import FakeModelWorld
from tests.model_server import Call, Drip, Fail, ModelServer, Received, Say

BATCH = Batch(
    datetime(2026, 11, 16, 9, 0, tzinfo=UTC),
    tasks=(BatchTask("tidy", "Tidy the desk", required=True),),
)
EMPTY = Batch(BATCH.now, context="Be kind.")
QUESTIONS = (
    Question("tidy", "Tidy the desk", "desk_tidy", "claimed: done"),
    Question("mail", "Send the mail", "mail_sent", "claimed: done"),
)
PLENTY = Limits(requests=12, tokens=60_000, time=timedelta(minutes=5), usd=1.0)
USED_UP = {
    "requests": Limits(0, PLENTY.tokens, PLENTY.time, PLENTY.usd),
    "tokens": Limits(PLENTY.requests, 0, PLENTY.time, PLENTY.usd),
    "time": Limits(PLENTY.requests, PLENTY.tokens, timedelta(), PLENTY.usd),
    "money": Limits(PLENTY.requests, PLENTY.tokens, PLENTY.time, 0.0),
}

pytestmark = pytest.mark.timeout(120)


class Model(Protocol):
    """An agent, and a hand on the model behind it."""

    agent: Agent

    def has_none(self) -> None:
        """No model is set up."""
        ...

    def tidies(self) -> None:
        """It reports the task and says `All tidy.`"""
        ...

    def is_cancelled_after_its_report(self, switch: CancelSwitch) -> None:
        """It reports the task; the person cancels while the next answer is under way."""
        ...

    def fails(self) -> None:
        """The provider answers with an error."""
        ...

    def judges(self, *verified: str) -> None:
        """It says that these tasks are verified."""
        ...

    def is_cancelled_while_it_judges(self, switch: CancelSwitch) -> None: ...

    def requests(self) -> int:
        """How often it was asked anything."""
        ...


class ModelOnServer:
    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._secrets = FakeSecrets()
        self._secrets.kept = {"anthropic": "sk-test-canary-7f3a9c"}
        server.play()
        settings = Settings(
            agent=AgentSettings("anthropic", "scripted", server.base_url("anthropic"))
        )
        self.agent: Agent = LanguageModel(
            FakeModelWorld(settings, self._secrets),
            lambda _batch: FakeToolbox(),
            lambda _choice, usage: (usage.input_tokens + usage.output_tokens) / 1_000_000,
        )

    def has_none(self) -> None:
        self._secrets.kept = {}

    def tidies(self) -> None:
        self._server.play(self._report(), Say("All tidy."))

    def is_cancelled_after_its_report(self, switch: CancelSwitch) -> None:
        self._server.play(self._report(), EndlessAnswer(switch))

    def fails(self) -> None:
        self._server.play(*[Fail(400)] * 5)

    def judges(self, *verified: str) -> None:
        answers = [{"task_id": task, "verdict": "verified"} for task in verified]
        self._server.play(Say("", (Call("answer", {"answers": answers}),)))

    def is_cancelled_while_it_judges(self, switch: CancelSwitch) -> None:
        self._server.play(EndlessAnswer(switch))

    def requests(self) -> int:
        return len(self._server.received)

    @staticmethod
    def _report() -> Say:
        report = {"task_id": "tidy", "outcome": "done", "result": "tidied"}
        return Say("", (Call("report_task", report),))


class EndlessAnswer:
    """An answer that never ends; it is cancelled when it has begun."""

    def __init__(self, switch: CancelSwitch) -> None:
        self._switch = switch

    def __call__(self, _received: Received) -> Drip:
        self._switch.set()
        return Drip()


class FakeModel:
    def __init__(self) -> None:
        self._fake = FakeAgent(CHOICE)
        self.agent: Agent = self._fake
        self._done = BatchResult(
            BatchEnding.FINISHED,
            {"tidy": Claim(Said.DONE, "tidied")},
            (Act("report_task", "Noted.", could_do_it=False),),
            "All tidy.",
            usage=USED,
        )

    def has_none(self) -> None:
        self._fake.chosen = NONE

    def tidies(self) -> None:
        self._fake.script = lambda _: self._done

    def is_cancelled_after_its_report(self, switch: CancelSwitch) -> None:
        def work(_: Batch) -> BatchResult:
            switch.set()
            return self._done

        self._fake.script = work

    def fails(self) -> None:
        problem = Problem("The provider answered with 400.", "")
        failed = BatchResult(BatchEnding.UNREACHABLE, usage=Usage(1), problem=problem)
        self._fake.script = lambda _: failed
        self._fake.judge_script = lambda _: JudgeResult(usage=Usage(1), problem=problem)

    def judges(self, *verified: str) -> None:
        judgements = {task: Judgement(Verdict.VERIFIED) for task in verified}
        self._fake.judge_script = lambda _: JudgeResult(judgements, USED)

    def is_cancelled_while_it_judges(self, switch: CancelSwitch) -> None:
        def judge(_: object) -> JudgeResult:
            switch.set()
            return JudgeResult({"tidy": Judgement(Verdict.VERIFIED)}, USED)

        self._fake.judge_script = judge

    def requests(self) -> int:
        return len(self._fake.batches) + self._fake.judge_calls


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture(params=["real", "fake"])
def model(request: pytest.FixtureRequest) -> Model:
    if request.param == "fake":
        return FakeModel()

    return ModelOnServer(request.getfixturevalue("server"))


@pytest.fixture
def switch() -> Iterator[CancelSwitch]:
    made = CancelSwitch()
    yield made
    made.close()


# -- before anything is sent -----------------------------------------------------------------------


def test_which_model_it_would_be_is_said_with_the_reason_and_nothing_is_sent(model: Model) -> None:
    choice = model.agent.choice()
    assert isinstance(choice, ModelChoice)
    assert choice.provider == "anthropic"
    assert choice.reason
    assert model.agent.choice() == choice
    assert model.requests() == 0


def test_the_prompt_shows_what_would_be_said_and_nothing_is_sent(model: Model) -> None:
    assert "Tidy the desk" in model.agent.prompt(BATCH)
    assert model.requests() == 0


def test_without_a_model_it_is_said_why_and_what_to_do(model: Model, switch: CancelSwitch) -> None:
    model.has_none()
    choice = model.agent.choice()
    assert isinstance(choice, NoModel)
    assert choice.hint

    result = model.agent.work(BATCH, PLENTY, switch)
    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem
    assert choice.reason in result.problem.full_text
    judged = model.agent.judge(QUESTIONS, PLENTY, switch)
    assert judged.judgements == {}
    assert judged.problem
    assert choice.reason in judged.problem.full_text
    assert (result.usage, judged.usage, model.requests()) == (Usage(), Usage(), 0)


# -- a batch ---------------------------------------------------------------------------------------


def test_what_it_reported_did_said_and_used_comes_back(model: Model, switch: CancelSwitch) -> None:
    model.tidies()
    result = model.agent.work(BATCH, PLENTY, switch)
    assert (result.ending, result.problem) == (BatchEnding.FINISHED, None)
    assert result.reports == {"tidy": Claim(Said.DONE, "tidied")}
    assert [(act.what.split()[0], act.could_do_it) for act in result.acts] == [
        ("report_task", False)
    ]
    assert result.text == "All tidy."
    assert result.usage.requests == model.requests() > 0
    assert result.usage.input_tokens > 0
    assert result.usage.output_tokens > 0


def test_an_empty_batch_is_finished_and_nobody_is_asked(model: Model, switch: CancelSwitch) -> None:
    assert model.agent.work(EMPTY, PLENTY, switch) == BatchResult(BatchEnding.FINISHED)
    assert model.requests() == 0


@pytest.mark.parametrize("limit", USED_UP)
def test_no_request_is_made_beyond_a_limit(model: Model, switch: CancelSwitch, limit: str) -> None:
    result = model.agent.work(BATCH, USED_UP[limit], switch)
    assert result.ending is BatchEnding.OUT_OF_BUDGET
    assert result.problem
    assert (result.usage.requests, model.requests()) == (0, 0)


def test_cancelled_beforehand_nobody_is_asked(model: Model, switch: CancelSwitch) -> None:
    switch.set()
    result = model.agent.work(BATCH, PLENTY, switch)
    assert result.ending is BatchEnding.CANCELLED
    assert (result.usage.requests, model.requests()) == (0, 0)


def test_cancelled_under_way_it_ends_at_once_and_what_was_reported_counts(
    model: Model, switch: CancelSwitch
) -> None:
    model.is_cancelled_after_its_report(switch)
    result = model.agent.work(BATCH, PLENTY, switch)
    assert (result.ending, result.text) == (BatchEnding.CANCELLED, "")
    assert result.problem
    assert set(result.reports) == {"tidy"}
    assert result.usage.requests == model.requests()


def test_a_provider_that_fails_ends_in_a_value(model: Model, switch: CancelSwitch) -> None:
    model.fails()
    result = model.agent.work(BATCH, PLENTY, switch)
    assert (result.ending, result.reports, result.text) == (BatchEnding.UNREACHABLE, {}, "")
    assert result.problem
    assert result.usage.requests == model.requests() == 1


# -- the judge -------------------------------------------------------------------------------------


def test_the_judge_answers_all_questions_in_one_call(model: Model, switch: CancelSwitch) -> None:
    model.judges("tidy", "mail")
    result = model.agent.judge(QUESTIONS, PLENTY, switch)
    assert {task: one.verdict for task, one in result.judgements.items()} == {
        "tidy": Verdict.VERIFIED,
        "mail": Verdict.VERIFIED,
    }
    assert result.problem is None
    assert result.usage.requests == model.requests() == 1


def test_a_judgement_about_another_task_does_not_count(model: Model, switch: CancelSwitch) -> None:
    model.judges("tidy", "stranger")
    assert set(model.agent.judge(QUESTIONS, PLENTY, switch).judgements) == {"tidy"}


def test_without_a_question_the_judge_is_not_asked(model: Model, switch: CancelSwitch) -> None:
    assert model.agent.judge((), PLENTY, switch) == JudgeResult()
    assert model.requests() == 0


@pytest.mark.parametrize("limit", USED_UP)
def test_the_judge_is_not_asked_beyond_a_limit(
    model: Model, switch: CancelSwitch, limit: str
) -> None:
    model.judges("tidy")
    result = model.agent.judge(QUESTIONS, USED_UP[limit], switch)
    assert result.judgements == {}
    assert result.problem
    assert (result.usage.requests, model.requests()) == (0, 0)


def test_a_judge_that_is_cancelled_beforehand_is_not_asked(
    model: Model, switch: CancelSwitch
) -> None:
    model.judges("tidy")
    switch.set()
    result = model.agent.judge(QUESTIONS, PLENTY, switch)
    assert result.judgements == {}
    assert result.problem
    assert model.requests() == 0


def test_a_judge_that_is_cancelled_under_way_gives_no_judgement(
    model: Model, switch: CancelSwitch
) -> None:
    model.is_cancelled_while_it_judges(switch)
    result = model.agent.judge(QUESTIONS, PLENTY, switch)
    assert result.judgements == {}
    assert result.problem
    assert result.usage.requests == model.requests() == 1


def test_a_judge_that_fails_gives_no_judgement_and_says_why(
    model: Model, switch: CancelSwitch
) -> None:
    model.fails()
    result = model.agent.judge(QUESTIONS, PLENTY, switch)
    assert result.judgements == {}
    assert result.problem
    assert result.usage.requests == model.requests() == 1
