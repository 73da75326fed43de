"""The tools of MCP servers as tools of ours: what they return is data, and the table in taint.py
decides whether they may be called after reading."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from core.agent.mcp.client import ServerTool, ServerTroubleError, ToolServers
from core.agent.taint import REFUSAL, as_data
from core.agent.tool import Effect, PartlyDoneError, Record, Tool, ToolRefusedError
from core.agent.tool_world import ToolWorld
from core.agent.tools.heartbeat_file import put_back
from core.model.evidence import Touched
from core.model.tags import SEND_AFTER_READING

# Of the texts of a call, those that may be names of files.
LONGEST_PATH = 4096  # characters
MOST_PATHS = 100


def server_tools(servers: ToolServers, world: ToolWorld, record: Record) -> tuple[Tool, ...]:
    return tuple(_tool(servers, tool, world, record) for tool in servers.start())


def _tool(servers: ToolServers, tool: ServerTool, world: ToolWorld, record: Record) -> Tool:
    def run(arguments: Mapping[str, Any]) -> str:
        if record.has_read and not tool.is_local and not world.grants(SEND_AFTER_READING):
            raise ToolRefusedError(REFUSAL)

        record.has_read = True  # before the call: an error message is also text from outside
        before = world.workspace()
        try:
            said = as_data(tool.name, servers.call(tool, arguments))
        except ServerTroubleError as trouble:
            raise PartlyDoneError(as_data(tool.name, str(trouble))) from None
        finally:
            restored = put_back(world, before)

        return f"{said}\n{restored}" if restored else said

    def touches(arguments: Mapping[str, Any]) -> Touched:
        """Its texts may name files; what it wrote, only the server knows."""
        texts = (one for one in arguments.values() if isinstance(one, str))
        paths = tuple(islice((one for one in texts if len(one) <= LONGEST_PATH), MOST_PATHS))
        return Touched(reads=True, paths=paths, writes=() if tool.only_reads else None)

    return Tool(
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        permission="",  # the server was approved, with all the tags that it needs
        reads_outside=True,
        effect=Effect.NONE if tool.only_reads else Effect.WORK,
        touches=touches,
        run=run,
    )
