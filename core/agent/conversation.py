"""A conversation with a provider's model, within the limits of a batch.

Law: the limits are checked before each request, a cancellation is obeyed at once, and nothing is
raised: every way in which a conversation can end is a value.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from core.agent.choose import Access
from core.agent.troubles import pause_wanted, problem_of
from core.model.agent import BatchEnding, Limits, Usage
from core.model.diagnostic import Problem
from core.ports.processes import Cancellation
from core.ports.waiting import Clock

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

T = TypeVar("T")

# What this usage of the model costs, in dollars; None if the price is not known.
Price = Callable[[Usage], float | None]

LONGEST_ANSWER = 4096  # tokens; the libraries' own limit is many times that
SHORTEST_ANSWER = 256  # tokens; with less than that left, a request is a waste of money
CHARACTERS_PER_TOKEN = 3  # a cautious estimate: English has 4, code and other scripts have fewer
# Seconds between two checks for a cancellation; not every system has a descriptor to wait for.
POLL_INTERVAL = 0.1
CANCEL_TIMEOUT = 1.0  # seconds that a cancelled request gets to end


@dataclass(frozen=True, slots=True)
class Bounds:
    """What every conversation has to keep to."""

    limits: Limits
    price: Price
    cancelled: Cancellation
    clock: Clock


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why the conversation cannot go on."""

    ending: BatchEnding
    problem: Problem
    retry_after: timedelta | None = None


class Conversation:
    """The messages so far, and what they have used."""

    def __init__(
        self,
        access: Access,
        model: "Model[Any]",
        instructions: str,
        parameters: "ModelRequestParameters",
        bounds: Bounds,
        settings: "ModelSettings",
    ) -> None:
        self._access = access
        self._model = model
        self._instructions = instructions
        self._parameters = parameters
        self._bounds = bounds
        self._settings = settings
        self._messages: list[Any] = []
        # Tokens that the next request repeats.
        self._repeated_tokens = tokens_of(instructions) + _tokens_of_parameters(parameters)
        self._started = bounds.clock.monotonic()
        self.used = Usage()

    async def ask(
        self, parts: "Sequence[UserPromptPart | ToolReturnPart]"
    ) -> "ModelResponse | Stopped":
        """Send these parts, and return the model's answer."""
        from pydantic_ai.messages import ModelRequest

        bounds = self._bounds
        if bounds.cancelled.is_set():
            return _cancelled()

        size = self._repeated_tokens + tokens_of("".join(str(part.content) for part in parts))
        allowed = answer_allowed(bounds.limits, self.used, self._seconds(), size, bounds.price)
        if isinstance(allowed, Stopped):
            return allowed

        self._messages.append(ModelRequest(parts=list(parts), instructions=self._instructions))
        try:
            answer = await self.unless_stopped(self._send(allowed), CANCEL_TIMEOUT)
        except Exception as error:  # the client libraries raise many kinds
            self.used += Usage(requests=1)
            return Stopped(
                BatchEnding.UNREACHABLE, problem_of(error, self._access), pause_wanted(error)
            )

        if isinstance(answer, Stopped):
            # The request was sent, so it may be charged for.
            self.used += Usage(requests=1, input_tokens=size)
            return answer

        self._count(answer, size)
        self._messages.append(_repeatable(answer))
        if answer.finish_reason == "length" and allowed < LONGEST_ANSWER:
            return _over("the answer length that its limits still allowed")

        return answer

    async def unless_stopped(self, work: Awaitable[T], cancel_timeout: float) -> "T | Stopped":
        """Return what the work returns, or why it was not waited for. Work that is cancelled has
        `cancel_timeout` seconds to end."""
        task = asyncio.ensure_future(work)
        stop = asyncio.ensure_future(self._reason_to_stop())
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            stop.cancel()
            return task.result()

        await _cancel(task, cancel_timeout)
        return stop.result()

    async def _reason_to_stop(self) -> Stopped:
        """Wait until the batch is cancelled or its time is over."""
        limits = self._bounds.limits
        while not self._bounds.cancelled.is_set():
            if self._seconds() >= limits.time.total_seconds():
                return _over_time(limits)

            await asyncio.sleep(POLL_INTERVAL)

        return _cancelled()

    async def _send(self, longest_answer: int) -> "ModelResponse":
        from pydantic_ai.direct import model_request

        return await model_request(
            self._model,
            self._messages,
            model_settings={**self._settings, "max_tokens": longest_answer},
            model_request_parameters=self._parameters,
        )

    def _count(self, answer: "ModelResponse", size: int) -> None:
        """Add what the answer used. Some servers do not count: for those it is estimated."""
        usage = answer.usage
        input_tokens = usage.input_tokens or size
        output_tokens = usage.output_tokens or _tokens_of_answer(answer)

        self.used += Usage(
            requests=1,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
        )
        self._repeated_tokens = input_tokens + output_tokens

    def _seconds(self) -> float:
        return self._bounds.clock.monotonic() - self._started


def answer_allowed(
    limits: Limits, used: Usage, seconds_used: float, next_input: int, price: Price
) -> int | Stopped:
    """How many tokens the next answer may have, or which limit forbids another request."""
    if used.requests >= limits.requests:
        return _over(f"the limit of {limits.requests} requests per beat")
    if seconds_used >= limits.time.total_seconds():
        return _over_time(limits)

    left = limits.tokens - used.input_tokens - used.output_tokens - next_input
    answer = min(LONGEST_ANSWER, left)
    if answer < SHORTEST_ANSWER:
        return _over(f"the limit of {limits.tokens} tokens per beat")

    answer = min(answer, _affordable(limits, used, next_input, answer, price))
    return answer if answer >= SHORTEST_ANSWER else _over("the daily budget")


def _affordable(limits: Limits, used: Usage, next_input: int, answer: int, price: Price) -> int:
    """How long an answer the money that is left pays for, if the provider counts as we do."""
    price_of_input = price(Usage(input_tokens=next_input))
    price_of_both = price(Usage(input_tokens=next_input, output_tokens=answer))
    if limits.usd is None or price_of_input is None or price_of_both is None:
        return answer

    left = limits.usd - (price(used) or 0.0)
    if price_of_both <= left:
        return answer
    if left <= price_of_input or price_of_both <= price_of_input:
        return 0

    return int(answer * (left - price_of_input) / (price_of_both - price_of_input))


def tokens_of(text: str) -> int:
    """About how many tokens a text has."""
    return len(text) // CHARACTERS_PER_TOKEN + 1


def _tokens_of_parameters(parameters: "ModelRequestParameters") -> int:
    tools = [
        (tool.name, tool.description, tool.parameters_json_schema)
        for tool in parameters.function_tools
    ]
    return tokens_of(f"{tools}{parameters.output_object or ''}")


def _tokens_of_answer(answer: "ModelResponse") -> int:
    return sum(
        tokens_of(str(getattr(part, "content", "") or getattr(part, "args", "")))
        for part in answer.parts
    )


def arguments_of(call: "ToolCallPart") -> dict[str, Any] | None:
    """The arguments of a tool call; None if they are not a JSON object."""
    arguments: object = call.args
    if arguments is None or isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError:
            return None

    return arguments if isinstance(arguments, dict) else None


def _repeatable(answer: "ModelResponse") -> "ModelResponse":
    """The answer as the next request repeats it: many providers refuse a call whose arguments are
    not an object."""
    broken = [call for call in answer.tool_calls if arguments_of(call) is None]
    return replace(
        answer,
        parts=[replace(part, args="{}") if part in broken else part for part in answer.parts],
    )


async def _cancel(task: "asyncio.Future[T]", timeout: float) -> None:
    """Cancel it and wait for its end. A tool runs in a thread and cannot be cancelled: it is
    only waited for."""
    if isinstance(task, asyncio.Task):
        task.cancel()

    await asyncio.wait({task}, timeout=timeout)
    if task.done() and not task.cancelled():
        task.exception()  # asyncio reports an exception that was never retrieved


def _cancelled() -> Stopped:
    return Stopped(BatchEnding.CANCELLED, Problem("It was cancelled.", ""))


def _over(limit: str) -> Stopped:
    problem = Problem(f"The model was stopped at {limit}.", "")
    return Stopped(BatchEnding.OUT_OF_BUDGET, problem)


def _over_time(limits: Limits) -> Stopped:
    minutes = limits.time.total_seconds() / 60
    return _over(f"the time limit of {minutes:g} minutes per beat")
