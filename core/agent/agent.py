"""The `Agent` port: a language model, chosen and asked. Law: nothing is imported, read or sent before it is asked for,
and nothing is raised.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from core.agent.choosing import (
    COMMAND_LINE_AGENTS,
    Access,
    Surroundings,
    agent_of_verifier,
    choose,
    installed_models,
)
from core.agent.prompt import prompt_of, shown
from core.agent.tool import Toolbox
from core.agent.troubles import broken
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
from core.model.settings import AgentSettings, Settings
from core.ports import Cancellation, Clock, Secrets
from core.rules.redacting import without_values

if TYPE_CHECKING:
    from core.agent.talk import Bounds


class LanguageModel:
    """One a beat: what was found once holds."""

    def __init__(
        self,
        settings: Settings,
        secrets: Secrets,
        environment: Mapping[str, str],
        toolbox: Callable[[Batch], Toolbox],
        clock: Clock,
        price: Callable[[ModelChoice, Usage], float | None],
    ) -> None:
        self._settings = settings
        self._around = Surroundings(secrets, environment, installed_models)
        self._toolbox, self._clock, self._price = toolbox, clock, price
        self._found: dict[AgentSettings, Access | NoModel] = {}  # a keyring may take seconds: it is asked once

    def choice(self) -> ModelChoice | NoModel:
        found = self._access(self._settings.agent)
        return found.choice if isinstance(found, Access) else found

    def keys(self) -> tuple[str, ...]:
        """Those in use, for whoever has to keep them out of what is written."""
        return tuple(found.key for found in self._found.values() if isinstance(found, Access) and found.key)

    def prompt(self, batch: Batch) -> str:
        with closing(self._toolbox(batch)) as toolbox:
            return shown(prompt_of(batch), toolbox.tools())

    def work(self, batch: Batch, limits: Limits, cancelled: Cancellation) -> BatchResult:
        if batch.is_empty:
            return BatchResult(BatchEnding.FINISHED)
        access = self._access(self._settings.agent)
        if isinstance(access, NoModel):
            return BatchResult(BatchEnding.UNREACHABLE, problem=f"There is no model to ask: {access.reason}.")
        recorded = BatchResult(BatchEnding.UNREACHABLE)
        try:
            with closing(self._toolbox(batch)) as toolbox:
                try:
                    result = self._ask(access, batch, toolbox, limits, cancelled)
                finally:
                    recorded = toolbox.recorded()
        except Exception as error:  # whatever a library does, it ends the batch and not the beat
            result = replace(recorded, ending=BatchEnding.UNREACHABLE, problem=broken(error, access))
        clean = partial(without_values, secrets=self.keys())  # a provider knows its key, and may say it
        return replace(result, text=clean(result.text), problem=clean(result.problem))

    def _ask(
        self, access: Access, batch: Batch, toolbox: Toolbox, limits: Limits, cancelled: Cancellation
    ) -> BatchResult:
        prompt = prompt_of(batch)
        if access.choice.provider in COMMAND_LINE_AGENTS:
            from core.agent import command_line_agents

            return command_line_agents.work(
                access.choice, f"{prompt.stable}\n\n{prompt.moving}", toolbox, limits, cancelled
            )
        from core.agent.runner import run

        return run(access, prompt, toolbox, self._bounds(access, limits, cancelled), self._settings.interval)

    def judge(self, questions: Sequence[Question], limits: Limits, cancelled: Cancellation) -> JudgeResult:
        if not questions:
            return JudgeResult()
        access = self._access(agent_of_verifier(self._settings))
        if isinstance(access, NoModel):
            return JudgeResult(problem=f"There is no judge: {access.reason}.")
        from core.agent.judge import judge, judge_by_program

        try:
            if access.choice.provider in COMMAND_LINE_AGENTS:
                result = judge_by_program(access.choice, questions, limits, cancelled)
            else:
                result = judge(access, questions, self._bounds(access, limits, cancelled))
        except Exception as error:
            return JudgeResult(problem=broken(error, access))
        clean = partial(without_values, secrets=self.keys())
        said = {
            task: replace(one, quote=clean(one.quote), reason=clean(one.reason))
            for task, one in result.judgements.items()
        }
        return replace(result, judgements=said)

    def _access(self, settings: AgentSettings) -> Access | NoModel:
        if settings not in self._found:
            self._found[settings] = choose(settings, self._around)
        return self._found[settings]

    def _bounds(self, access: Access, limits: Limits, cancelled: Cancellation) -> "Bounds":
        from core.agent.talk import Bounds

        return Bounds(limits, partial(self._price, access.choice), cancelled, self._clock)
