"""The `Agent` port: chooses a language model and asks it.

Law: nothing is imported, read or sent before it is needed, and nothing is raised.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Protocol

from core.agent.choose import (
    Access,
    AnyAccess,
    ModelSources,
    ProgramAccess,
    agent_of_verifier,
    choose,
)
from core.agent.prompt import prompt_of, shown
from core.agent.tool import Toolbox
from core.agent.troubles import unexpected
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
from core.model.light_dataclass import replace
from core.model.settings import AgentSettings, Settings
from core.ports.model import ModelApi
from core.ports.processes import AgentPrograms, Cancellation
from core.ports.waiting import Clock
from core.rules.redacting import without_values

if TYPE_CHECKING:
    from core.agent.conversation import Bounds


class ModelWorld(ModelSources, Protocol):
    """All that choosing a model and asking it can touch; what the model itself can touch is the
    toolbox of its batch."""

    @property
    def settings(self) -> Settings: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def model_api(self) -> ModelApi: ...

    @property
    def agent_programs(self) -> AgentPrograms: ...


class LanguageModel:
    """One per beat: the model is chosen once."""

    def __init__(
        self,
        world: ModelWorld,
        toolbox: Callable[[Batch], Toolbox],
        price: Callable[[ModelChoice, Usage], float | None],
    ) -> None:
        self._world = world
        self._settings = world.settings
        self._toolbox = toolbox
        self._price = price
        # A keyring may take seconds to answer, so it is asked once.
        self._found: dict[AgentSettings, AnyAccess | NoModel] = {}

    def choice(self) -> ModelChoice | NoModel:
        found = self._access(self._settings.agent)
        return found if isinstance(found, NoModel) else found.choice

    def keys(self) -> tuple[str, ...]:
        """The keys in use, which must not appear in anything that is written."""
        return tuple(
            found.key for found in self._found.values() if isinstance(found, Access) and found.key
        )

    def prompt(self, batch: Batch) -> str:
        with closing(self._toolbox(batch)) as toolbox:
            return shown(prompt_of(batch), toolbox.tools())

    def work(self, batch: Batch, limits: Limits, cancelled: Cancellation) -> BatchResult:
        if batch.is_empty:
            return BatchResult(BatchEnding.FINISHED)

        access = self._access(self._settings.agent)
        if isinstance(access, NoModel):
            no_model = Problem(f"There is no model to ask: {access.reason}.", "")
            return BatchResult(BatchEnding.UNREACHABLE, problem=no_model)

        recorded = BatchResult(BatchEnding.UNREACHABLE)
        try:
            with closing(self._toolbox(batch)) as toolbox:
                try:
                    result = self._ask(access, batch, toolbox, limits, cancelled)
                finally:
                    recorded = toolbox.recorded()
        except Exception as error:  # what a library raises ends the batch, not the beat
            result = replace(
                recorded, ending=BatchEnding.UNREACHABLE, problem=unexpected(error, access)
            )

        # A provider knows its key, and may repeat it.
        clean = partial(without_values, secrets=self.keys())
        result = replace(result, text=clean(result.text))
        if result.problem is None:
            return result

        problem = Problem(clean(result.problem.message), clean(result.problem.hint))
        return replace(result, problem=problem)

    def _ask(
        self,
        access: AnyAccess,
        batch: Batch,
        toolbox: Toolbox,
        limits: Limits,
        cancelled: Cancellation,
    ) -> BatchResult:
        prompt = prompt_of(batch)
        if isinstance(access, ProgramAccess):
            from core.agent.programs import work_by_program

            text = f"{prompt.stable}\n\n{prompt.moving}"
            programs = self._world.agent_programs
            return work_by_program(programs, access, text, toolbox, limits, cancelled)

        from core.agent.tool_loop import work

        bounds = self._bounds(access, limits, cancelled)
        api = self._world.model_api
        with closing(api):
            return work(access, api, prompt, toolbox, bounds, self._settings.interval)

    def judge(
        self, questions: Sequence[Question], limits: Limits, cancelled: Cancellation
    ) -> JudgeResult:
        if not questions:
            return JudgeResult()

        access = self._access(agent_of_verifier(self._settings))
        if isinstance(access, NoModel):
            return JudgeResult(problem=Problem(f"There is no judge: {access.reason}.", ""))

        from core.agent.judge import judge, judge_by_program

        try:
            if isinstance(access, ProgramAccess):
                programs = self._world.agent_programs
                result = judge_by_program(programs, access, questions, limits, cancelled)
            else:
                bounds = self._bounds(access, limits, cancelled)
                with closing(self._world.model_api) as api:
                    result = judge(access, api, questions, bounds)
        except Exception as error:
            return JudgeResult(problem=unexpected(error, access))

        clean = partial(without_values, secrets=self.keys())
        judgements = {
            task: replace(one, quote=clean(one.quote), reason=clean(one.reason))
            for task, one in result.judgements.items()
        }

        return replace(result, judgements=judgements)

    def _access(self, settings: AgentSettings) -> AnyAccess | NoModel:
        if settings not in self._found:
            self._found[settings] = choose(settings, self._world)
        return self._found[settings]

    def _bounds(self, access: Access, limits: Limits, cancelled: Cancellation) -> "Bounds":
        from core.agent.conversation import Bounds

        return Bounds(limits, partial(self._price, access.choice), cancelled, self._world.clock)
