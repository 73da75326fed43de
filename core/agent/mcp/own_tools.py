"""The tools that `heartbeat mcp` offers to other programs: the prompts, a beat, the status. None
of them can approve anything."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import Field

from core.agent.arguments import Arguments, NoArguments, Texts
from core.agent.own_tool import own_tool
from core.agent.tool import (
    Effect,
    OfferedTool,
    ToolRefusedError,
    only_reads,
    tool_for,
    touches_nothing,
)
from core.agent.tools.heartbeats import PromptWorld, prompt_tools
from core.model.errors import HeartbeatError


class RunBeat(Arguments):
    ids: Texts = Field(default_factory=list)


class OwnTools:
    """The `ServedTools` of server.py. `run_beat` does one beat as `heartbeat run` does, and raises
    HeartbeatError if it cannot; `say_status` returns how the workspace is doing."""

    def __init__(
        self,
        world: PromptWorld,
        run_beat: Callable[[list[str]], str],
        say_status: Callable[[], str],
    ) -> None:
        run = own_tool(
            RunBeat,
            lambda given: run_beat(given.ids),
            name="heartbeat_run",
            description="Do one beat now: what is due, or exactly these items.",
            permission="",
            reads_outside=False,
            effect=Effect.OTHER,
            touches=touches_nothing,
        )
        status = own_tool(
            NoArguments,
            lambda _: say_status(),
            name="heartbeat_status",
            description="Say how the workspace is doing.",
            permission="",
            reads_outside=False,
            effect=Effect.NONE,
            touches=only_reads,
        )
        self._tools = {one.name: one for one in (*prompt_tools(world), run, status)}

    def tools(self) -> tuple[OfferedTool, ...]:
        return tuple(one.offer for one in self._tools.values())

    def answer(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        try:
            return tool_for(self._tools, name).run(arguments), True
        except ToolRefusedError as refused:
            return str(refused), False
        except (HeartbeatError, OSError) as error:
            return f"It did not work: {error}", False
