"""One batch with the real client of a provider: ask, do what it calls for, answer, until its last word. Law: nothing is
raised, and what was reported before a bad end still counts.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from core.agent.choosing import Access
from core.agent.clients import cache_settings, model_of, web_client
from core.agent.prompt import Prompt
from core.agent.talk import GRACE, Bounds, Stopped, Talk, arguments_of, in_thread
from core.agent.tool import Tool, Toolbox
from core.model.agent import BatchEnding, BatchResult

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart

CALLS_AT_ONCE = 16  # of one answer; more is a model that has lost its way
SAME_AGAIN = 2  # times that the same call is done while nothing else happens


def run(access: Access, prompt: Prompt, toolbox: Toolbox, bounds: Bounds, gap: timedelta) -> BatchResult:
    """`gap` is the time to the next beat, for the provider's cache."""
    return asyncio.run(_run(access, prompt, toolbox, toolbox.tools(), bounds, gap))


async def _run(
    access: Access, prompt: Prompt, toolbox: Toolbox, tools: Sequence[Tool], bounds: Bounds, gap: timedelta
) -> BatchResult:
    from pydantic_ai.messages import UserPromptPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    definitions = [
        ToolDefinition(
            name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters), strict=False
        )
        for tool in tools
    ]
    async with web_client(access.choice.base_url) as web:
        settings = cache_settings(access.choice.provider, gap)
        parameters = ModelRequestParameters(function_tools=definitions)
        talk = Talk(access, model_of(access, web), prompt.stable, parameters, bounds, settings)
        calls = Calls(toolbox, tools)
        says: Sequence[UserPromptPart | ToolReturnPart] = [UserPromptPart(prompt.moving)]
        while True:
            answer = await talk.ask(says)
            if isinstance(answer, Stopped):
                return _result(toolbox, talk, bounds, answer)
            if not answer.tool_calls:
                return _result(toolbox, talk, bounds, None, answer.text or "")
            returned = await calls.do(answer, talk)
            if isinstance(returned, Stopped):
                return _result(toolbox, talk, bounds, returned)
            says = returned


def _result(toolbox: Toolbox, talk: Talk, bounds: Bounds, stopped: Stopped | None, text: str = "") -> BatchResult:
    usage = replace(talk.used, usd=bounds.price(talk.used))
    recorded = toolbox.recorded()
    if stopped is None:
        return replace(recorded, ending=BatchEnding.FINISHED, text=text, usage=usage)
    return replace(
        recorded, ending=stopped.ending, usage=usage, problem=stopped.problem, retry_after=stopped.retry_after
    )


class Calls:
    """The tool calls of one batch, one after the other, in the order in which the model wrote them."""

    def __init__(self, toolbox: Toolbox, tools: Sequence[Tool]) -> None:
        self._toolbox = toolbox
        self._tools = {tool.name: tool for tool in tools}
        self._times: dict[str, int] = {}  # how often each call was made since something else was done

    async def do(self, answer: "ModelResponse", talk: Talk) -> "list[UserPromptPart | ToolReturnPart] | Stopped":
        from pydantic_ai.messages import ToolReturnPart

        returned: list[UserPromptPart | ToolReturnPart] = []
        for number, call in enumerate(answer.tool_calls):
            words = (
                self._refusal(call) if number < CALLS_AT_ONCE else f"Not done: at most {CALLS_AT_ONCE} calls at once."
            )
            if not words:
                done = await talk.unless_stopped(in_thread(partial(self._call, call)), GRACE)
                if isinstance(done, Stopped):
                    return done
                words = done
            returned.append(ToolReturnPart(call.tool_name, words, call.tool_call_id))
        return returned

    def _refusal(self, call: "ToolCallPart") -> str:
        """Why the call is not made, in words that the model can act on."""
        tool = self._tools.get(call.tool_name)
        if tool is None:
            return f"There is no tool {call.tool_name[:64]!r}. There are: {', '.join(self._tools)}."
        arguments = arguments_of(call)
        if arguments is None:
            return f"The arguments of {tool.name} must be one JSON object. Call it again with: {_schema_of(tool)}"
        key = f"{tool.name} {json.dumps(arguments, sort_keys=True)}"
        times = self._times.get(key, 0)
        if tool.could_do_it and not times:
            self._times.clear()
        self._times[key] = times + 1
        if times >= SAME_AGAIN:
            return "You made this very call before, and nothing has changed since. Do something else, or end."
        return ""

    def _call(self, call: "ToolCallPart") -> str:
        try:
            return self._toolbox.call(call.tool_name, arguments_of(call) or {})
        except Exception as error:  # a tool of ours does not raise; one of somebody else must not end the batch
            return f"The tool failed: {type(error).__name__}."


def _schema_of(tool: Tool) -> str:
    return json.dumps(tool.parameters, ensure_ascii=False)
