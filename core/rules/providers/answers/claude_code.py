"""What `claude -p --output-format json` prints: one object. Pure."""

from pydantic import BaseModel

from core.model.agent import Usage
from core.model.diagnostic import Problem
from core.rules.counting import count_of, usd_of
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
    read_tokens = count_of(used.cache_read_input_tokens)
    written = count_of(used.cache_creation_input_tokens)

    return Usage(
        requests=count_of(result.num_turns),
        input_tokens=count_of(used.input_tokens) + read_tokens + written,
        output_tokens=count_of(used.output_tokens),
        cache_read_tokens=read_tokens,
        cache_write_tokens=written,
        usd=usd_of(result.total_cost_usd),
    )
