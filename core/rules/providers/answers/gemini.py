"""What `gemini -o json` prints: one object, perhaps after some lines for people. Pure."""

from pydantic import BaseModel, Field

from core.model.agent import Usage
from core.model.diagnostic import Problem
from core.rules.counting import count_of
from core.rules.providers.record import ProgramAnswer


class _Requests(BaseModel):
    total: int = Field(alias="totalRequests")


class _Tokens(BaseModel):
    prompt: int
    candidates: int | None = None
    thoughts: int | None = None
    cached: int | None = None


class _ModelUse(BaseModel):
    api: _Requests
    tokens: _Tokens


class _Statistics(BaseModel):
    models: dict[str, _ModelUse] | None = None


class _Error(BaseModel):
    message: str | int | float | None = None


class _Result(BaseModel):
    response: str | None = None
    error: _Error | None = None
    stats: _Statistics | None = None


def read(output: str) -> ProgramAnswer:
    """Raises ValueError if it is something else."""
    result = _Result.model_validate_json(output[output.index("{") :])
    usage = Usage()
    for model in ((result.stats or _Statistics()).models or {}).values():
        tokens = model.tokens
        usage += Usage(
            requests=count_of(model.api.total),
            input_tokens=count_of(tokens.prompt),
            output_tokens=count_of(tokens.candidates) + count_of(tokens.thoughts),
            cache_read_tokens=count_of(tokens.cached),
        )

    if result.error is not None:
        return ProgramAnswer(usage=usage, problem=Problem(str(result.error.message or ""), ""))
    if result.response is None:
        raise ValueError("neither a response nor an error")

    return ProgramAnswer(result.response, usage)
