"""The tools that `heartbeat mcp` offers to other programs: the prompts, a beat, the status. None
of them can approve anything."""

from collections.abc import Callable, Mapping
from typing import Any

from core.agent.arguments import TEXTS, takes
from core.agent.tool import Effect, OfferedTool, Tool, ToolRefusedError, tool_for
from core.agent.tools.heartbeats import PromptWorld, prompt_tools
from core.model.errors import HeartbeatError


class OwnTools:
    """The `ServedTools` of server.py. `run_beat` does one beat as `heartbeat run` does, and raises
    HeartbeatError if it cannot; `say_status` returns how the workspace is doing."""

    def __init__(
        self,
        world: PromptWorld,
        run_beat: Callable[[list[str]], str],
        say_status: Callable[[], str],
    ) -> None:
        run = Tool(
            name="heartbeat_run",
            description="Do one beat now: what is due, or exactly these items.",
            parameters=takes({"ids": TEXTS}, optional=("ids",)),
            permission="",
            reads_outside=False,
            effect=Effect.OTHER,
            run=lambda given: run_beat(given.get("ids", [])),
        )
        status = Tool(
            name="heartbeat_status",
            description="Say how the workspace is doing.",
            parameters=takes({}),
            permission="",
            reads_outside=False,
            effect=Effect.NONE,
            run=lambda _: say_status(),
        )
        self._tools = {one.name: one for one in (*prompt_tools(world), run, status)}

    def tools(self) -> tuple[OfferedTool, ...]:
        return tuple(one.offer for one in self._tools.values())

    def answer(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        try:
            return tool_for(self._tools, name, arguments).run(arguments), True
        except ToolRefusedError as refused:
            return str(refused), False
        except (HeartbeatError, OSError) as error:
            return f"It did not work: {error}", False
