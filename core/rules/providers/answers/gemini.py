"""What `gemini -o json` prints: one object, perhaps after some lines for people. Pure."""

from pydantic import BaseModel, Field

from core.model.agent import Usage
from core.model.diagnostic import Problem
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
            requests=model.api.total,
            input_tokens=tokens.prompt,
            output_tokens=(tokens.candidates or 0) + (tokens.thoughts or 0),
            cache_read_tokens=tokens.cached or 0,
        )

    if result.error is not None:
        return ProgramAnswer(usage=usage, problem=Problem(str(result.error.message or ""), ""))
    if result.response is None:
        raise ValueError("neither a response nor an error")

    return ProgramAnswer(result.response, usage)
