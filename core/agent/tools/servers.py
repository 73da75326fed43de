"""The tools of MCP servers, as tools of ours: what they say is data, and what they send is held to the same table."""

from collections.abc import Mapping
from typing import Any

from core.agent.built_in import BuiltIn, Record, RefusedError
from core.agent.ground import Ground
from core.agent.mcp_client import ServerTool, ServerTroubleError, ToolServers
from core.agent.outside import REFUSAL, as_data
from core.agent.tools.heartbeat_file import put_back
from core.rules.permitting.known_tags import SEND_AFTER_READING


def server_tools(servers: ToolServers, ground: Ground, record: Record) -> tuple[BuiltIn, ...]:
    return tuple(_tool(servers, tool, ground, record) for tool in servers.start())


def _tool(servers: ToolServers, tool: ServerTool, ground: Ground, record: Record) -> BuiltIn:
    def do(arguments: Mapping[str, Any]) -> str:
        if record.has_read and not tool.only_here and not ground.grants(SEND_AFTER_READING):
            raise RefusedError(REFUSAL)
        record.has_read = True
        before = ground.workspace()
        try:
            said = as_data(tool.name, servers.call(tool, arguments))
        except ServerTroubleError as trouble:
            raise RefusedError(as_data(tool.name, str(trouble))) from None
        finally:
            weakened = put_back(ground, before)
        return f"{said}\n{weakened}" if weakened else said

    return BuiltIn(
        tool.name, tool.description, {}, "", do, could_do_it=not tool.only_reads, whole_schema=tool.parameters
    )
