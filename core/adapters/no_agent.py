"""The `Agent` port where no language model is built in: nothing is ever asked."""

from collections.abc import Sequence

from core.model.agent import Batch, BatchEnding, BatchResult, JudgeResult, Limits, NoModel, Question
from core.ports import Cancellation

NONE = "no language model is set up."


class NoAgent:
    def choice(self) -> NoModel:
        return NoModel(NONE, "Store a key: heartbeat key set anthropic")

    def prompt(self, batch: Batch) -> str:
        return ""

    def work(self, batch: Batch, limits: Limits, cancelled: Cancellation) -> BatchResult:
        return BatchResult(BatchEnding.UNREACHABLE, problem=NONE)

    def judge(self, questions: Sequence[Question], limits: Limits, cancelled: Cancellation) -> JudgeResult:
        return JudgeResult(problem=NONE)
