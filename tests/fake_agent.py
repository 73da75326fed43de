"""A language model that does what a test's script says; it is asked through the real port."""

from collections.abc import Callable, Sequence

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
from core.ports import Cancellation

CHOICE = ModelChoice("anthropic", "claude-haiku-4-5", "a test says so")
NONE = NoModel("none is set up.", "Store a key: heartbeat key set anthropic")
USED = Usage(1, 1000, 100)

Script = Callable[[Batch], BatchResult]
Judge = Callable[[Sequence[Question]], JudgeResult]


class FakeAgent:
    def __init__(self, chosen: ModelChoice | NoModel = NONE) -> None:
        self.chosen: ModelChoice | NoModel = chosen
        self.choices = 0  # how often somebody asked which model it would be
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
        return repr(batch)

    def work(self, batch: Batch, limits: Limits, cancelled: Cancellation) -> BatchResult:
        self.batches.append(batch)
        self.limits.append(limits)
        return self.script(batch)

    def judge(self, questions: Sequence[Question], limits: Limits, cancelled: Cancellation) -> JudgeResult:
        self.judge_calls += 1
        self.questions += questions
        return self.judge_script(questions)
