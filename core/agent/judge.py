"""The judge: one call for all questions, without tools, and an answer in a fixed shape, checked before it counts."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.agent.choosing import Access
from core.agent.clients import model_of, web_client
from core.agent.prompt import questions_of
from core.agent.talk import Bounds, Stopped, Talk
from core.agent.tool import Tool
from core.model.agent import BatchEnding, BatchResult, JudgeResult, Limits, ModelChoice, Question, Usage
from core.model.evidence import Judgement
from core.model.verdict import Verdict
from core.ports import Cancellation

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolReturnPart, UserPromptPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

ANSWER = "answer"
SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "task_id": {"type": "string"},
                    "verdict": {"type": "string", "enum": [verdict.value for verdict in Verdict]},
                    "contradiction": {"type": "boolean"},
                    "quote": {"type": "string"},
                    "reason": {"type": "string"},
                },
                "required": ["task_id", "verdict", "contradiction", "quote", "reason"],
            },
        }
    },
    "required": ["answers"],
}
TRIES = 2


def judge(access: Access, questions: Sequence[Question], bounds: Bounds) -> JudgeResult:
    return asyncio.run(_judge(access, questions, bounds))


async def _judge(access: Access, questions: Sequence[Question], bounds: Bounds) -> JudgeResult:
    from pydantic_ai.messages import UserPromptPart

    prompt = questions_of(questions)
    parameters, settings = _form(access.choice.provider)
    async with web_client(access.choice.base_url) as web:
        talk = Talk(access, model_of(access, web), prompt.stable, parameters, bounds, settings)
        says: Sequence[UserPromptPart | ToolReturnPart] = [UserPromptPart(prompt.moving)]
        for _ in range(TRIES):
            answer = await talk.ask(says)
            usage = replace(talk.used, usd=bounds.price(talk.used))
            if isinstance(answer, Stopped):
                return JudgeResult(usage=usage, problem=answer.problem)
            read = _read(_filled_in(answer))
            if not isinstance(read, str):
                break
            says = _once_more(answer, read)
    return _result(read, questions, usage)


def _result(read: Mapping[str, Judgement] | str, questions: Sequence[Question], usage: Usage) -> JudgeResult:
    if isinstance(read, str):
        return JudgeResult(usage=usage, problem=f"The judge's answer cannot be read: {read}.")
    asked = {question.task_id for question in questions}
    return JudgeResult({task: one for task, one in read.items() if task in asked}, usage)


def judge_by_program(
    choice: ModelChoice, questions: Sequence[Question], limits: Limits, cancelled: Cancellation
) -> JudgeResult:
    """The same by a command-line agent, which knows no forms: it is told the shape, and gets no tools."""
    from core.agent import command_line_agents

    prompt = questions_of(questions)
    shape = f"Answer with nothing but one JSON object of this shape: {json.dumps(SHAPE)}"
    result = command_line_agents.work(
        choice, f"{prompt.stable}\n{shape}\n\n{prompt.moving}", NoTools(), limits, cancelled
    )
    if result.ending is not BatchEnding.FINISHED:
        return JudgeResult(usage=result.usage, problem=result.problem)
    start, end = result.text.find("{"), result.text.rfind("}") + 1  # some put it between fences
    read = _read(result.text[start:end] if start >= 0 else "")
    return _result(read, questions, result.usage)


class NoTools:
    """The toolbox of a judge."""

    def tools(self) -> tuple[Tool, ...]:
        return ()

    def call(self, name: str, _arguments: Mapping[str, Any]) -> str:
        return f"There is no tool {name[:64]}: a judge has none."

    def recorded(self) -> BatchResult:
        return BatchResult(BatchEnding.FINISHED)

    def close(self) -> None:
        """There is nothing to end."""


def _form(provider: str) -> "tuple[ModelRequestParameters, ModelSettings]":
    """How the provider is held to the shape: Anthropic by a tool that it must call, the others by a format, which also
    servers for small models keep to."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    if provider == "anthropic":
        tool = ToolDefinition(name=ANSWER, description="Answer all tasks.", parameters_json_schema=SHAPE)
        return ModelRequestParameters(function_tools=[tool]), {"tool_choice": "required"}
    shape = OutputObjectDefinition(name=ANSWER, json_schema=SHAPE)
    return ModelRequestParameters(output_mode="native", output_object=shape), {}


def _filled_in(answer: "ModelResponse") -> str:
    call = next((call for call in answer.tool_calls if call.tool_name == ANSWER), None)
    return call.args_as_json_str() if call else (answer.text or "")


def _read(form: str) -> dict[str, Judgement] | str:
    """The judgements by task, or what is wrong with the answer. Of two for one task neither counts."""
    from pydantic import BaseModel, ValidationError

    class One(BaseModel):
        task_id: str
        verdict: Verdict
        contradiction: bool = False
        quote: str = ""
        reason: str = ""

    class All(BaseModel):
        answers: list[One]

    try:
        answers = All.model_validate_json(form).answers
    except ValidationError as error:
        return "; ".join(".".join(map(str, one["loc"])) + f" {one['msg']}" for one in error.errors()[:5]).strip()
    ids = [one.task_id for one in answers]
    return {
        one.task_id: Judgement(one.verdict, one.contradiction, one.quote, one.reason)
        for one in answers
        if ids.count(one.task_id) == 1
    }


def _once_more(answer: "ModelResponse", problem: str) -> "list[UserPromptPart | ToolReturnPart]":
    """Every call has to be answered, or the provider refuses the next request."""
    from pydantic_ai.messages import ToolReturnPart, UserPromptPart

    words = f"That cannot be read: {problem}. Answer once more, all tasks, in the given shape."
    returned = [ToolReturnPart(call.tool_name, words, call.tool_call_id) for call in answer.tool_calls]
    return list(returned) or [UserPromptPart(words)]
