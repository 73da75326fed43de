"""A language model that does what a test's script says, asked through the real port; the server of
one; and a machine with models and programs of its own."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from core.adapters.model_api import LARGEST_ANSWER
from core.agent.prompt import prompt_of, shown
from core.model.agent import (
    Batch,
    BatchEnding,
    BatchResult,
    JudgeResult,
    Limits,
    ModelChoice,
    NoModel,
    Question,
    Usage,
)
from core.model.diagnostic import Problem
from core.model.http import ApiRequest, GivenUp, NoAnswer, RawAnswer
from core.ports.processes import Cancellation

CHOICE = ModelChoice("anthropic", "claude-haiku-4-5", "a test says so")
NONE = NoModel("none is set up.", "Store a key: heartbeat key set anthropic")
USED = Usage(1, 1000, 100)
CANCELLED = Problem("It was cancelled.", "")

Script = Callable[[Batch], BatchResult]
Judge = Callable[[Sequence[Question]], JudgeResult]


class FakeLocalModels:
    """A machine with servers and programs that a test puts there."""

    def __init__(self) -> None:
        self.servers: dict[str, tuple[str, ...]] = {}  # the models, by address
        self.programs: dict[str, str] = {}  # the path, by name
        self.asked: list[str] = []  # the addresses

    def models_at(self, address: str) -> tuple[str, ...] | None:
        self.asked.append(address)
        return self.servers.get(address)

    def program(self, name: str) -> str | None:
        return self.programs.get(name)


class FakeModelApi:
    """A server that answers as a test says. Without an answer it is not there; one that is None
    never comes."""

    def __init__(self, *answers: RawAnswer | NoAnswer | None) -> None:
        self.answers = list(answers)  # one per request
        self.meanwhile: Callable[[ApiRequest], None] = lambda _: None  # while it is waited for
        self.sent: list[ApiRequest] = []
        self.is_closed = False

    def post(self, request: ApiRequest, cancelled: Cancellation) -> RawAnswer | NoAnswer | GivenUp:
        if cancelled.is_set():
            return GivenUp()
        if not self.answers:
            return NoAnswer("there is no server", ("no_connection",))

        self.sent.append(request)
        answer = self.answers.pop(0)
        self.meanwhile(request)
        if cancelled.is_set() or answer is None:
            return GivenUp()
        if isinstance(answer, RawAnswer) and len(answer.body) > LARGEST_ANSWER:
            return NoAnswer("the answer is larger than 8 MiB", ("too_large",))

        return answer

    def close(self) -> None:
        self.is_closed = True


class FakeAgent:
    """One request per call: a script is asked only where a model would be."""

    def __init__(self, chosen: ModelChoice | NoModel = NONE) -> None:
        self.chosen: ModelChoice | NoModel = chosen
        self.choices = 0  # how often it was asked which model it would be
        self.batches: list[Batch] = []
        self.limits: list[Limits] = []
        self.questions: list[Question] = []
        self.judge_calls = 0
        self.script: Script = lambda _: BatchResult(BatchEnding.FINISHED, text="SKIP", usage=USED)
        self.judge_script: Judge = lambda _: JudgeResult(usage=USED)

    def choice(self) -> ModelChoice | NoModel:
        self.choices += 1
        return self.chosen

    def prompt(self, batch: Batch) -> str:
        return shown(prompt_of(batch), ())

    def work(self, batch: Batch, limits: Limits, cancelled: Cancellation) -> BatchResult:
        if batch.is_empty:
            return BatchResult(BatchEnding.FINISHED)

        not_asked = self._not_asked(limits, cancelled)
        if not_asked:
            return not_asked

        self.batches.append(batch)
        self.limits.append(limits)
        result = self.script(batch)
        if cancelled.is_set():
            return replace(result, ending=BatchEnding.CANCELLED, text="", problem=CANCELLED)

        return result

    def judge(
        self, questions: Sequence[Question], limits: Limits, cancelled: Cancellation
    ) -> JudgeResult:
        if not questions:
            return JudgeResult()

        not_asked = self._not_asked(limits, cancelled)
        if not_asked:
            return JudgeResult(problem=not_asked.problem)

        self.judge_calls += 1
        self.questions += questions
        result = self.judge_script(questions)
        if cancelled.is_set():
            return JudgeResult(usage=result.usage, problem=CANCELLED)

        asked = {question.task_id for question in questions}
        answers = {task: one for task, one in result.judgements.items() if task in asked}
        return replace(result, judgements=answers)

    def _not_asked(self, limits: Limits, cancelled: Cancellation) -> BatchResult | None:
        """Why no request can be made."""
        if isinstance(self.chosen, NoModel):
            problem = Problem(f"There is no model to ask: {self.chosen.reason}.", "")
            return BatchResult(BatchEnding.UNREACHABLE, problem=problem)
        if cancelled.is_set():
            return BatchResult(BatchEnding.CANCELLED, problem=CANCELLED)
        if min(limits.requests, limits.tokens) < 1 or limits.time <= timedelta() or limits.usd == 0:
            problem = Problem("The model was stopped at one of its limits.", "")
            return BatchResult(BatchEnding.OUT_OF_BUDGET, problem=problem)

        return None
