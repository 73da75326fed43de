"""What `claude -p --output-format json` prints: one object. Pure."""

from pydantic import BaseModel

from core.model.agent import Usage
from core.model.diagnostic import Problem
from core.rules.providers.record import ProgramAnswer


class _Used(BaseModel):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Result(BaseModel):
    subtype: str
    is_error: bool
    result: str | int | float | None = None  # a text; some errors are a number
    num_turns: int | None = None
    usage: _Used | None = None
    total_cost_usd: float | None = None


def read(output: str) -> ProgramAnswer:
    """Raises ValueError if it is something else."""
    result = _Result.model_validate_json(output)
    usage = _usage(result)

    # A refused key has the subtype `success` too, so `is_error` decides.
    if result.is_error or result.subtype != "success":
        words = str(result.result or result.subtype.replace("_", " "))
        return ProgramAnswer(
            usage=usage,
            problem=Problem(words, ""),
            is_over_budget=result.subtype.startswith("error_max"),
        )

    if result.result is None:
        raise ValueError("a success without a result")

    return ProgramAnswer(str(result.result), usage)


def _usage(result: _Result) -> Usage:
    used = result.usage or _Used()
    read_tokens = used.cache_read_input_tokens or 0
    written = used.cache_creation_input_tokens or 0

    return Usage(
        requests=result.num_turns or 0,
        input_tokens=(used.input_tokens or 0) + read_tokens + written,
        output_tokens=used.output_tokens or 0,
        cache_read_tokens=read_tokens,
        cache_write_tokens=written,
        usd=result.total_cost_usd,
    )
