"""The `Agent` port, made when it is first asked something: a beat without work for a model pays nothing for one."""

from collections.abc import Callable, Sequence
from functools import cached_property

from core.model.agent import Batch, BatchResult, JudgeResult, Limits, ModelChoice, NoModel, Question
from core.ports import Agent, Cancellation


class AgentOnDemand:
    def __init__(self, make: Callable[[], Agent]) -> None:
        self._make = make

    @cached_property
    def _agent(self) -> Agent:
        return self._make()

    def choice(self) -> ModelChoice | NoModel:
        return self._agent.choice()

    def prompt(self, batch: Batch) -> str:
        return self._agent.prompt(batch)

    def work(self, batch: Batch, limits: Limits, cancelled: Cancellation) -> BatchResult:
        return self._agent.work(batch, limits, cancelled)

    def judge(self, questions: Sequence[Question], limits: Limits, cancelled: Cancellation) -> JudgeResult:
        return self._agent.judge(questions, limits, cancelled)
