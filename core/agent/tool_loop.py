"""Works through one batch with a provider's model: ask it, run the tools that it calls, send the
results back, until it calls none.

Law: nothing is raised, and what the model reported before a bad end still counts.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from core.agent.choose import Access
from core.agent.clients import cache_settings, model_of, web_client
from core.agent.conversation import Bounds, Conversation, Stopped, arguments_of
from core.agent.prompt import Prompt
from core.agent.tool import (
    OfferedTool,
    RepeatGuard,
    Repeating,
    Toolbox,
    ToolRefusedError,
    no_such_tool,
)
from core.model.agent import BatchEnding, BatchResult
from core.model.light_dataclass import replace

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
    from pydantic_ai.tools import ToolDefinition

T = TypeVar("T")

MOST_CALLS_PER_ANSWER = 16  # a model that wants more has lost its way
MOST_REPEATS = 2  # of the same call while nothing changes; see RepeatGuard
LONGEST_NAME = 64  # characters that are repeated of the name of an unknown tool
TOOL_TIMEOUT = 10.0  # seconds for a tool that is still running when the batch is stopped


def work(
    access: Access, prompt: Prompt, toolbox: Toolbox, bounds: Bounds, gap: timedelta
) -> BatchResult:
    """Let the model work through the batch. `gap` is the time between two beats: it decides how
    long the provider is asked to cache the prompt."""
    return asyncio.run(_work(access, prompt, toolbox, toolbox.tools(), bounds, gap))


async def _work(
    access: Access,
    prompt: Prompt,
    toolbox: Toolbox,
    tools: Sequence[OfferedTool],
    bounds: Bounds,
    gap: timedelta,
) -> BatchResult:
    from pydantic_ai.messages import UserPromptPart
    from pydantic_ai.models import ModelRequestParameters

    async with web_client(access.choice.base_url) as web:
        conversation = Conversation(
            access,
            model_of(access, web),
            prompt.stable,
            ModelRequestParameters(function_tools=[_definition(tool) for tool in tools]),
            bounds,
            cache_settings(access.wire, gap),
        )
        calls = ToolCalls(toolbox, tools)
        parts: Sequence[UserPromptPart | ToolReturnPart] = [UserPromptPart(prompt.moving)]

        while True:
            answer = await conversation.ask(parts)
            if isinstance(answer, Stopped):
                return _result(toolbox, conversation, bounds, answer)
            if not answer.tool_calls:
                return _result(toolbox, conversation, bounds, None, answer.text or "")

            results = await calls.run(answer, conversation)
            if isinstance(results, Stopped):
                return _result(toolbox, conversation, bounds, results)

            parts = results


def _definition(tool: OfferedTool) -> "ToolDefinition":
    from pydantic_ai.tools import ToolDefinition

    return ToolDefinition(
        name=tool.name,
        description=tool.description,
        parameters_json_schema=dict(tool.parameters),
        strict=False,
    )


def _result(
    toolbox: Toolbox,
    conversation: Conversation,
    bounds: Bounds,
    stopped: Stopped | None,
    text: str = "",
) -> BatchResult:
    usage = replace(conversation.used, usd=bounds.price(conversation.used))
    recorded = toolbox.recorded()
    if stopped is None:
        return replace(recorded, ending=BatchEnding.FINISHED, text=text, usage=usage)

    return replace(
        recorded,
        ending=stopped.ending,
        usage=usage,
        problem=stopped.problem,
        retry_after=stopped.retry_after,
    )


class ToolCalls:
    """Runs the calls of an answer one after the other, in the order in which the model wrote
    them. A call that is refused here does not reach the toolbox, so it is not recorded."""

    def __init__(self, toolbox: Toolbox, tools: Sequence[OfferedTool]) -> None:
        self._toolbox = toolbox
        self._tools = {tool.name: tool for tool in tools}
        self._repeats = RepeatGuard(MOST_REPEATS, Repeating.WITHOUT_A_CHANGE)

    async def run(
        self, answer: "ModelResponse", conversation: Conversation
    ) -> "list[UserPromptPart | ToolReturnPart] | Stopped":
        from pydantic_ai.messages import ToolReturnPart

        results: list[UserPromptPart | ToolReturnPart] = []
        for number, call in enumerate(answer.tool_calls):
            words = await self._answer(number, call, conversation)
            if isinstance(words, Stopped):
                return words

            results.append(ToolReturnPart(call.tool_name, words, call.tool_call_id))

        return results

    async def _answer(
        self, number: int, call: "ToolCallPart", conversation: Conversation
    ) -> str | Stopped:
        try:
            arguments = self._checked_arguments(number, call)
        except ToolRefusedError as refused:
            return str(refused)

        running = _in_thread(partial(self._call, call.tool_name, arguments))
        return await conversation.unless_stopped(running, TOOL_TIMEOUT)

    def _checked_arguments(self, number: int, call: "ToolCallPart") -> dict[str, Any]:
        """The arguments of a call that may be made. Raises ToolRefusedError for every other one."""
        if number >= MOST_CALLS_PER_ANSWER:
            raise ToolRefusedError(f"Not done: at most {MOST_CALLS_PER_ANSWER} calls at once.")

        tool = self._tools.get(call.tool_name)
        if tool is None:
            # Quoted: no toolbox makes this answer presentable.
            name = repr(call.tool_name[:LONGEST_NAME])
            raise ToolRefusedError(no_such_tool(name, self._tools))

        arguments = arguments_of(call)
        if arguments is None:
            schema = json.dumps(tool.parameters, ensure_ascii=False)
            raise ToolRefusedError(
                f"The arguments of {tool.name} must be one JSON object. Call it again with: "
                f"{schema}"
            )

        self._repeats.check(tool.name, arguments, tool.changes_something)
        return arguments

    def _call(self, name: str, arguments: dict[str, Any]) -> str:
        try:
            return self._toolbox.call(name, arguments)
        except Exception as error:
            # Our toolbox does not raise; another one must not end the batch.
            return f"The tool failed: {type(error).__name__}."


def _in_thread(call: Callable[[], T]) -> "asyncio.Future[T]":
    """Run it next to the event loop, in a thread that the end of the program does not wait for."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(answer: T | Exception) -> None:
        if future.done():
            return

        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    def run() -> None:
        try:
            answer: T | Exception = call()
        except Exception as error:
            answer = error

        try:
            loop.call_soon_threadsafe(deliver, answer)
        except RuntimeError:
            return  # the batch has ended in the meantime, and its loop with it

    Thread(target=run, name="tool", daemon=True).start()
    return future
