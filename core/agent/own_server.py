"""What `heartbeat mcp` offers to other programs: the prompts, a beat, how things stand. It cannot approve anything."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.agent.arguments import wrong_with
from core.agent.built_in import TEXTS, BuiltIn, RefusedError
from core.agent.tool import Tool
from core.agent.tools.heartbeats import prompt_tools
from core.model.errors import HeartbeatError
from core.model.workspace import Workspace
from core.ports import PromptStore


@dataclass(frozen=True, slots=True)
class OwnGround:
    workspace: Callable[[], Workspace]
    prompts: PromptStore
    run: Callable[[list[str]], str]  # one beat, as `heartbeat run` does it; HeartbeatError where it cannot be done
    status: Callable[[], str]


class OwnTools:
    """The `Served` of mcp_server.py."""

    def __init__(self, ground: OwnGround) -> None:
        run = BuiltIn(
            "heartbeat_run",
            "Do one beat now: what is due, or exactly these items.",
            {"ids": TEXTS},
            "",
            lambda given: ground.run(given.get("ids", [])),
            optional=("ids",),
        )
        status = BuiltIn(
            "heartbeat_status", "Say how the workspace stands.", {}, "", lambda _: ground.status(), could_do_it=False
        )
        self._tools = {one.name: one for one in (*prompt_tools(ground), run, status)}

    def tools(self) -> tuple[Tool, ...]:
        return tuple(
            Tool(one.name, one.description, one.schema, one.tag, one.could_do_it, partial(self._call, one.name))
            for one in self._tools.values()
        )

    def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self.answer(name, arguments)[0]

    def answer(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        tool = self._tools.get(name)
        if tool is None:
            return f"There is no tool {name[:60]}. There are: {', '.join(self._tools)}.", False
        if wrong := wrong_with(arguments, tool.schema):
            return f"{wrong} Nothing was done.", False
        try:
            return tool.do(arguments), True
        except RefusedError as refused:
            return str(refused), False
        except (HeartbeatError, OSError) as error:
            return f"It did not work: {error}", False
