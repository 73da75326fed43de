"""A conversation with a model. Law: the limits are looked at before each request, whoever cancels is obeyed at once,
and every way to end is a value.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from core.agent.allowance import LONGEST_ANSWER, Price, answer_allowed, tokens_of
from core.agent.choosing import Access
from core.agent.troubles import pause_wanted, words_for
from core.model.agent import BatchEnding, Limits, Usage
from core.ports import Cancellation, Clock

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

T = TypeVar("T")

LOOK = 0.1  # seconds between two looks at the wish to stop; a descriptor to wait for would not do on every system
GRACE = 10.0  # seconds for a tool that is at work when the batch is stopped


@dataclass(frozen=True, slots=True)
class Stopped:
    """The conversation cannot go on."""

    ending: BatchEnding
    problem: str
    retry_after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """What every conversation has to keep to."""

    limits: Limits
    price: Price
    cancelled: Cancellation
    clock: Clock


class Talk:
    def __init__(
        self,
        access: Access,
        model: "Model[Any]",
        instructions: str,
        parameters: "ModelRequestParameters",
        bounds: Bounds,
        settings: "ModelSettings",
    ) -> None:
        self._access, self._model, self._instructions, self._bounds = access, model, instructions, bounds
        self._settings, self._parameters = settings, parameters
        self._messages: list[Any] = []
        self._known = tokens_of(instructions) + _size_of(parameters)  # tokens that the next request repeats
        self._started = bounds.clock.monotonic()
        self.used = Usage()

    async def ask(self, parts: "Sequence[UserPromptPart | ToolReturnPart]") -> "ModelResponse | Stopped":
        """Say this, and hear what the model answers."""
        from pydantic_ai.messages import ModelRequest

        bounds, size = self._bounds, self._known + tokens_of("".join(str(part.content) for part in parts))
        allowed = answer_allowed(bounds.limits, self.used, self._seconds(), size, bounds.price)
        if bounds.cancelled.is_set():
            return _cancelled()
        if isinstance(allowed, str):
            return _over(allowed)
        self._messages.append(ModelRequest(parts=list(parts), instructions=self._instructions))
        try:
            answer = await self.unless_stopped(self._send(allowed))
        except Exception as error:  # the libraries below have many kinds
            self.used += Usage(requests=1)
            return Stopped(BatchEnding.UNREACHABLE, words_for(error, self._access), pause_wanted(error))
        if isinstance(answer, Stopped):
            self.used += Usage(requests=1, input_tokens=size)  # it was sent, so it may be charged for
            return answer
        self._count(answer, size)
        self._messages.append(_fit_to_be_repeated(answer))
        if answer.finish_reason == "length" and allowed < LONGEST_ANSWER:
            return _over("what its limits left for an answer")
        return answer

    async def unless_stopped(self, work: Awaitable[T], grace: float = 1.0) -> "T | Stopped":
        """What the work gives, or why it was not waited for; within the grace it may still come to its end."""
        task, stop = asyncio.ensure_future(work), asyncio.ensure_future(self._stop())
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            stop.cancel()
            return task.result()
        return await self._left(task, stop.result(), grace)

    async def _left(self, task: "asyncio.Future[T]", why: Stopped, grace: float) -> Stopped:
        if isinstance(task, asyncio.Task):
            task.cancel()
        await asyncio.wait({task}, timeout=grace)
        if task.done() and not task.cancelled():
            task.exception()  # looked at, so that nobody reports it as lost
        return why

    async def _stop(self) -> Stopped:
        limits = self._bounds.limits
        while not self._bounds.cancelled.is_set():
            if self._seconds() >= limits.time.total_seconds():
                return _over(f"the time limit of {limits.time.total_seconds() / 60:g} minutes a beat")
            await asyncio.sleep(LOOK)
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
        """Servers that do not count are counted for."""
        usage = answer.usage
        said = sum(tokens_of(str(getattr(part, "content", "") or getattr(part, "args", ""))) for part in answer.parts)
        self.used += Usage(
            1,
            usage.input_tokens or size,
            usage.output_tokens or said,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
        )
        self._known = (usage.input_tokens or size) + (usage.output_tokens or said)

    def _seconds(self) -> float:
        return self._bounds.clock.monotonic() - self._started


def in_thread(call: Callable[[], T]) -> "asyncio.Future[T]":
    """Beside the event loop, in a thread that nobody waits for at the end of the program."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(answer: T | Exception) -> None:
        if not future.done():
            future.set_exception(answer) if isinstance(answer, Exception) else future.set_result(answer)

    def work() -> None:
        try:
            answer: T | Exception = call()
        except Exception as error:
            answer = error
        try:
            loop.call_soon_threadsafe(deliver, answer)
        except RuntimeError:
            return  # the batch ended meanwhile, and its loop with it

    Thread(target=work, name="tool", daemon=True).start()
    return future


def arguments_of(call: "ToolCallPart") -> dict[str, Any] | None:
    """None: they are no JSON object."""
    try:
        arguments = json.loads(call.args or "{}") if isinstance(call.args, str | None) else call.args
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None


def _size_of(parameters: "ModelRequestParameters") -> int:
    tools = ((tool.name, tool.description, tool.parameters_json_schema) for tool in parameters.function_tools)
    return tokens_of(f"{list(tools)}{parameters.output_object or ''}")


def _fit_to_be_repeated(answer: "ModelResponse") -> "ModelResponse":
    """As it goes back with the next request: many providers refuse a call whose arguments are no object."""
    broken = [call for call in answer.tool_calls if arguments_of(call) is None]
    return replace(answer, parts=[replace(part, args="{}") if part in broken else part for part in answer.parts])


def _cancelled() -> Stopped:
    return Stopped(BatchEnding.CANCELLED, "It was cancelled.")


def _over(limit: str) -> Stopped:
    return Stopped(BatchEnding.OUT_OF_BUDGET, f"The model was stopped at {limit}.")
