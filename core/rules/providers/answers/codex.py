"""What `codex exec --json` prints: one object per line, each an event; other lines are for people.
Pure."""

from collections.abc import Iterator

from pydantic import BaseModel

from core.model.agent import Usage
from core.model.diagnostic import Problem
from core.rules.counting import count_of
from core.rules.providers.record import ProgramAnswer


class _Item(BaseModel):
    type: str = ""
    text: str | None = None


class _Used(BaseModel):
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int | None = None


class _Error(BaseModel):
    message: str | int | float | None


class _Kind(BaseModel):
    type: str


class _ItemCompleted(BaseModel):
    item: _Item


class _TurnCompleted(BaseModel):
    usage: _Used


class _TurnFailed(BaseModel):
    error: _Error


def read(output: str) -> ProgramAnswer:
    """Raises ValueError if it is something else, or ended before its turn did."""
    text = ""
    problem: Problem | None = None
    usage = Usage()

    for kind, line in _events(output):
        match kind:
            case "item.completed":
                text = _message(line, text)
            case "turn.completed":
                usage += _usage(line)
                problem = None
            case "turn.failed":
                problem = _problem(_TurnFailed.model_validate_json(line).error)
            case "error" if problem is None or not problem.message:
                problem = _problem(_Error.model_validate_json(line))

    if not usage.requests and problem is None:
        raise ValueError("it ended before its turn did")

    return ProgramAnswer(text, usage, problem)


def _events(output: str) -> Iterator[tuple[str, str]]:
    for line in output.split("\n"):  # not splitlines: a text may have other ends of lines
        if line.startswith("{"):
            yield _Kind.model_validate_json(line).type, line


def _message(line: str, before: str) -> str:
    item = _ItemCompleted.model_validate_json(line).item
    if item.type != "agent_message":
        return before
    if item.text is None:
        raise ValueError("a message without a text")

    return item.text


def _usage(line: str) -> Usage:
    used = _TurnCompleted.model_validate_json(line).usage
    return Usage(
        requests=1,
        input_tokens=count_of(used.input_tokens),
        output_tokens=count_of(used.output_tokens),
        cache_read_tokens=count_of(used.cached_input_tokens),
    )


def _problem(error: _Error) -> Problem:
    return Problem(str(error.message or ""), "")
