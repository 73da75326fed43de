"""The judge: asks a model all questions in one request, without tools, and checks that the answer
has the fixed shape before it counts."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, assert_never

from pydantic import BaseModel, ConfigDict, ValidationError

from core.agent.choose import Access, ProgramAccess
from core.agent.clients import model_of, web_client
from core.agent.conversation import Bounds, Conversation, Stopped
from core.agent.prompt import questions_of
from core.agent.tool import OfferedTool, ToolRefusedError, tool_for
from core.model.agent import (
    BatchEnding,
    BatchResult,
    JudgeResult,
    Limits,
    Question,
    Usage,
)
from core.model.diagnostic import Problem
from core.model.evidence import Judgement
from core.model.light_dataclass import replace
from core.model.occurrence import Verdict
from core.ports.processes import AgentPrograms, Cancellation
from core.rules.providers.record import AnswerForm, Wire

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolReturnPart, UserPromptPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

ANSWER = "answer"
ASK_AGAIN = "Answer once more, all tasks, in the given shape."
MOST_FLAWS = 5  # that the model is shown of one answer
SCHEMA_KEYWORDS = ("type", "enum", "properties", "items", "required")
MOST_ATTEMPTS = 2


class TaskAnswer(BaseModel):
    """The schema that the model gets requires every field; an answer without the last three is
    accepted anyway."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    task_id: str
    verdict: Verdict
    contradiction: bool = False
    quote: str = ""
    reason: str = ""


class Answers(BaseModel):
    answers: list[TaskAnswer]


def shape() -> dict[str, Any]:
    """The JSON schema of the answers, without references, titles and defaults: servers for small
    models know only a few of the keywords of JSON Schema."""
    schema = Answers.model_json_schema(mode="serialization")
    return _plain(schema, schema["$defs"])


def _plain(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _plain(definitions[name], definitions)

    plain = {keyword: schema[keyword] for keyword in SCHEMA_KEYWORDS if keyword in schema}
    if "properties" in plain:
        plain["properties"] = {
            name: _plain(one, definitions) for name, one in plain["properties"].items()
        }
    if "items" in plain:
        plain["items"] = _plain(plain["items"], definitions)

    return plain


def judge(access: Access, questions: Sequence[Question], bounds: Bounds) -> JudgeResult:
    return asyncio.run(_judge(access, questions, bounds))


async def _judge(access: Access, questions: Sequence[Question], bounds: Bounds) -> JudgeResult:
    from pydantic_ai.messages import UserPromptPart

    prompt = questions_of(questions)
    parameters, settings = _form(access.wire)

    async with web_client(access.choice.base_url) as web:
        conversation = Conversation(
            access, model_of(access, web), prompt.stable, parameters, bounds, settings
        )
        parts: Sequence[UserPromptPart | ToolReturnPart] = [UserPromptPart(prompt.moving)]
        for _ in range(MOST_ATTEMPTS):
            answer = await conversation.ask(parts)
            usage = replace(conversation.used, usd=bounds.price(conversation.used))
            if isinstance(answer, Stopped):
                return JudgeResult(usage=usage, problem=answer.problem)

            read = _read(_filled_in(answer))
            if not isinstance(read, Problem):
                break

            parts = _ask_again(answer, read)

    return _result(read, questions, usage)


def _result(
    read: Mapping[str, Judgement] | Problem, questions: Sequence[Question], usage: Usage
) -> JudgeResult:
    if isinstance(read, Problem):
        unreadable = Problem(f"The judge's answer cannot be read: {read.message}.", "")
        return JudgeResult(usage=usage, problem=unreadable)

    asked = {question.task_id for question in questions}
    return JudgeResult({task: one for task, one in read.items() if task in asked}, usage)


def judge_by_program(
    programs: AgentPrograms,
    access: ProgramAccess,
    questions: Sequence[Question],
    limits: Limits,
    cancelled: Cancellation,
) -> JudgeResult:
    """The same with a command-line agent. It cannot be held to a schema, so the schema is part of
    the prompt; it gets no tools."""
    from core.agent.programs import work_by_program

    prompt = questions_of(questions)
    wanted = f"Answer with nothing but one JSON object of this shape: {json.dumps(shape())}"
    text = f"{prompt.stable}\n{wanted}\n\n{prompt.moving}"
    result = work_by_program(programs, access, text, NoTools(), limits, cancelled)
    if result.ending is not BatchEnding.FINISHED:
        return JudgeResult(usage=result.usage, problem=result.problem)

    start = result.text.find("{")  # some agents put it between fences
    end = result.text.rfind("}") + 1
    read = _read(result.text[start:end] if start >= 0 else "")
    return _result(read, questions, result.usage)


class NoTools:
    """The toolbox of a judge."""

    def tools(self) -> tuple[OfferedTool, ...]:
        return ()

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        try:
            tool_for({}, name, arguments)
        except ToolRefusedError as refused:
            return str(refused)

        raise AssertionError("there is no tool to find")

    def recorded(self) -> BatchResult:
        return BatchResult(BatchEnding.FINISHED)

    def close(self) -> None:
        """There is nothing to close."""


def _form(wire: Wire) -> "tuple[ModelRequestParameters, ModelSettings]":
    """The parameters and settings that hold the provider to the shape."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    match wire.answer_form:
        case AnswerForm.TOOL:
            tool = ToolDefinition(
                name=ANSWER, description="Answer all tasks.", parameters_json_schema=shape()
            )
            return ModelRequestParameters(function_tools=[tool]), {"tool_choice": "required"}
        case AnswerForm.FORMAT:
            form = OutputObjectDefinition(name=ANSWER, json_schema=shape())
            return ModelRequestParameters(output_mode="native", output_object=form), {}
        case other:
            assert_never(other)


def _filled_in(answer: "ModelResponse") -> str:
    call = next((call for call in answer.tool_calls if call.tool_name == ANSWER), None)
    return call.args_as_json_str() if call else (answer.text or "")


def _read(text: str) -> dict[str, Judgement] | Problem:
    """The judgements by task, or what is wrong with the answer. Two answers for the same task
    count as none."""
    try:
        answers = Answers.model_validate_json(text).answers
    except ValidationError as error:
        flaws = [
            f"{'.'.join(map(str, flaw['loc']))} {flaw['msg']}"
            for flaw in error.errors()[:MOST_FLAWS]
        ]
        return Problem("; ".join(flaws).strip(), ASK_AGAIN)

    ids = [answer.task_id for answer in answers]
    return {
        answer.task_id: Judgement(answer.verdict, answer.contradiction, answer.quote, answer.reason)
        for answer in answers
        if ids.count(answer.task_id) == 1
    }


def _ask_again(
    answer: "ModelResponse", problem: Problem
) -> "list[UserPromptPart | ToolReturnPart]":
    """Every call has to be answered, or the provider refuses the next request."""
    from pydantic_ai.messages import ToolReturnPart, UserPromptPart

    words = f"That cannot be read: {problem.message}. {problem.hint}"
    returned = [
        ToolReturnPart(call.tool_name, words, call.tool_call_id) for call in answer.tool_calls
    ]

    return list(returned) or [UserPromptPart(words)]
