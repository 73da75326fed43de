"""Works through one batch with a provider's model: ask it, run the tools that it calls, send the
results back, until it calls none or has reported everything.

Law: nothing is raised, and what the model reported before a bad end still counts.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from core.agent.choose import Access
from core.agent.conversation import Bounds, Conversation, Stopped, Subject
from core.agent.prompt import Prompt
from core.agent.tool import (
    OfferedTool,
    RepeatGuard,
    Repeating,
    Toolbox,
    ToolRefusedError,
    no_such_tool,
)
from core.agent.troubles import unexpected
from core.agent.wire.values import Answer, CacheTime, StopReason, ToolCall, ToolResult, UserTurn
from core.model.agent import BatchEnding, BatchResult
from core.model.light_dataclass import replace
from core.ports.model import ModelApi

# If the next beat is that near, it finds the stable part of the prompt in a cache of one hour.
CACHED_FOR_AN_HOUR = timedelta(minutes=55)
MOST_CALLS_PER_ANSWER = 16  # a model that wants more has lost its way
MOST_REPEATS = 2  # of the same call while nothing changes; see RepeatGuard
CUT_OFF = "Not done: your answer was too long and was cut off. Do it again in smaller pieces."
LONGEST_NAME = 64  # characters that are repeated of the name of an unknown tool
TOOL_TIMEOUT = 10.0  # seconds for a tool that is still running when the batch is stopped


def work(
    access: Access,
    api: ModelApi,
    prompt: Prompt,
    toolbox: Toolbox,
    bounds: Bounds,
    gap: timedelta,
) -> BatchResult:
    """Let the model work through the batch. `gap` is the time between two beats: it decides how
    long the provider is asked to cache the prompt."""
    tools = toolbox.tools()
    cache = CacheTime.AN_HOUR if gap <= CACHED_FOR_AN_HOUR else CacheTime.FIVE_MINUTES
    subject = Subject(prompt.stable, tools, cache=cache)
    conversation = Conversation(access, api, subject, bounds)
    try:
        return _converse(conversation, prompt, toolbox, ToolCalls(toolbox, tools))
    except Exception as error:  # what a library raises ends the batch; what it used still counts
        unforeseen = Stopped(BatchEnding.UNREACHABLE, unexpected(error, access))
        return _result(toolbox, conversation, unforeseen)


def _converse(
    conversation: Conversation, prompt: Prompt, toolbox: Toolbox, calls: "ToolCalls"
) -> BatchResult:
    turn = UserTurn(text=prompt.moving)

    while True:
        answer = conversation.ask(turn)
        if isinstance(answer, Stopped):
            return _result(toolbox, conversation, answer)
        if not answer.calls:
            return _result(toolbox, conversation, None, answer.text)

        results = calls.run(answer, conversation)
        if isinstance(results, Stopped):
            return _result(toolbox, conversation, results)

        # A model that reports in the same breath as it works has not seen how that went, nor one
        # whose report was refused, and one that also writes has something to say: each gets another
        # turn. Otherwise nothing is left to say, and asking again would cost the most.
        if calls.only_reported(answer) and not answer.text.strip() and toolbox.is_all_reported():
            return _result(toolbox, conversation, None)

        turn = UserTurn(results)


def _result(
    toolbox: Toolbox,
    conversation: Conversation,
    stopped: Stopped | None,
    text: str = "",
) -> BatchResult:
    usage = conversation.used
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
        self._accepted = 0  # calls of the last answer

    def only_reported(self, answer: Answer) -> bool:
        """Whether the answer, whose calls have been run, did nothing but report."""
        called = [self._tools.get(call.name) for call in answer.calls]
        only_reports = all(tool is not None and tool.only_reports for tool in called)
        return only_reports and self._accepted == len(answer.calls)

    def run(self, answer: Answer, conversation: Conversation) -> tuple[ToolResult, ...] | Stopped:
        self._accepted = 0
        if answer.stop is StopReason.LENGTH:  # perhaps half of a file
            return tuple(ToolResult(call, CUT_OFF) for call in answer.calls)

        results: list[ToolResult] = []
        for number, call in enumerate(answer.calls):
            words = self._answer(number, call, conversation)
            if isinstance(words, Stopped):
                return words

            results.append(ToolResult(call, words))

        return tuple(results)

    def _answer(self, number: int, call: ToolCall, conversation: Conversation) -> str | Stopped:
        try:
            arguments = self._checked_arguments(number, call)
        except ToolRefusedError as refused:
            return str(refused)

        return conversation.unless_stopped(partial(self._call, call.name, arguments), TOOL_TIMEOUT)

    def _checked_arguments(self, number: int, call: ToolCall) -> Mapping[str, Any]:
        """The arguments of a call that may be made. Raises ToolRefusedError for every other one."""
        if number >= MOST_CALLS_PER_ANSWER:
            raise ToolRefusedError(f"Not done: at most {MOST_CALLS_PER_ANSWER} calls at once.")

        tool = self._tools.get(call.name)
        if tool is None:
            # Quoted: no toolbox makes this answer presentable.
            raise ToolRefusedError(no_such_tool(repr(call.name[:LONGEST_NAME]), self._tools))

        if call.arguments is None:
            schema = json.dumps(tool.parameters, ensure_ascii=False)
            raise ToolRefusedError(
                f"The arguments of {tool.name} must be one JSON object. Call it again with: "
                f"{schema}"
            )

        self._repeats.check(tool.name, call.arguments, tool.changes_something)
        return call.arguments

    def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        refused_before = self._toolbox.refused
        try:
            answer = self._toolbox.call(name, arguments)
        except Exception as error:
            # Our toolbox does not raise; another one must not end the batch.
            return f"The tool failed: {type(error).__name__}."

        self._accepted += self._toolbox.refused == refused_before
        return answer
