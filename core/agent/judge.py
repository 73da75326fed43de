"""The judge: asks a model all questions in one request, without tools, and checks that the answer
has the fixed shape before it counts."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.agent.choose import Access, ProgramAccess
from core.agent.conversation import Bounds, Conversation, Stopped, Subject
from core.agent.prompt import questions_of
from core.agent.tool import OfferedTool, ToolRefusedError, tool_for
from core.agent.wire.reading import flaws_of
from core.agent.wire.values import Answer, Form, StopReason, ToolResult, UserTurn
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
from core.model.occurrence import Verdict
from core.ports.model import ModelApi
from core.ports.processes import AgentPrograms, Cancellation

ANSWER = "answer"
ASK_AGAIN = "Answer once more, all tasks, in the given shape."
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
    answers: Annotated[list[TaskAnswer], Field(fail_fast=True)]


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


def judge(
    access: Access, api: ModelApi, questions: Sequence[Question], bounds: Bounds
) -> JudgeResult:
    prompt = questions_of(questions)
    form = Form(ANSWER, "Answer all tasks.", shape())
    conversation = Conversation(access, api, Subject(prompt.stable, form=form), bounds)
    turn = UserTurn(text=prompt.moving)

    for _ in range(MOST_ATTEMPTS):
        answer = conversation.ask(turn)
        usage = conversation.used
        if isinstance(answer, Stopped):
            return JudgeResult(usage=usage, problem=answer.problem)

        is_whole = answer.stop is not StopReason.LENGTH
        read = _read(_filled_in(answer)) if is_whole else Problem("it was cut off", ASK_AGAIN)
        if not isinstance(read, Problem):
            break

        turn = _ask_again(answer, read)

    return _result(read, questions, usage)


def _result(
    read: Mapping[str, Judgement] | Problem, questions: Sequence[Question], usage: Usage
) -> JudgeResult:
    if isinstance(read, Problem):
        # What is wrong with it, `read` says, is for the judge.
        unreadable = Problem("The judge gave no readable answer.", "")
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
            tool_for({}, name)
        except ToolRefusedError as refused:
            return str(refused)

        raise AssertionError("there is no tool to find")

    @property
    def refused(self) -> int:
        return 0

    def is_all_reported(self) -> bool:
        return False

    def recorded(self) -> BatchResult:
        return BatchResult(BatchEnding.FINISHED)

    def close(self) -> None:
        """There is nothing to close."""


def _filled_in(answer: Answer) -> str:
    call = next((call for call in answer.calls if call.name == ANSWER), None)
    return json.dumps(call.arguments) if call else answer.text


def _read(text: str) -> dict[str, Judgement] | Problem:
    """The judgements by task, or what is wrong with the answer. Two answers for the same task
    count as none."""
    try:
        answers = Answers.model_validate_json(text).answers
    except ValidationError as error:
        return Problem(flaws_of(error), ASK_AGAIN)

    times = Counter(answer.task_id for answer in answers)
    return {
        answer.task_id: Judgement(answer.verdict, answer.contradiction, answer.quote, answer.reason)
        for answer in answers
        if times[answer.task_id] == 1
    }


def _ask_again(answer: Answer, problem: Problem) -> UserTurn:
    """Every call has to be answered, or the provider refuses the next request."""
    words = f"That cannot be read: {problem.message}. {problem.hint}"
    if answer.calls:
        return UserTurn(tuple(ToolResult(call, words) for call in answer.calls))

    return UserTurn(text=words)
