"""Tools for other programs, over MCP: `heartbeat mcp`."""

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

from core.agent.mcp.own_tools import OwnTools
from core.agent.mcp.server import serve
from core.agent.mcp.tool_socket import BatchTools
from core.model.workspace import Workspace
from core.ports.files import PromptStore
from core.services import Services
from core.usecases.planning import known_items
from core.usecases.reading import read_workspace


def serve_own_tools(
    root: Path, status: Callable[[Services], str], incoming: BinaryIO, outgoing: BinaryIO
) -> None:
    """Serve until the input ends. `status` says in words how the workspace is doing. Every call
    has services of its own: it sees the settings and the ledger as they are then."""
    tools = OwnTools(
        _Prompts(root),
        lambda ids: beat_of_its_own(Services(root), ids),
        lambda: status(Services(root)),
    )

    serve(tools, version("heartbeat-desktop"), incoming, outgoing)


class _Prompts:
    """The `PromptWorld` of core/agent/tools/heartbeats.py."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def workspace(self) -> Workspace:
        return read_workspace(Services(self._root))

    @property
    def prompt_store(self) -> PromptStore:
        return Services(self._root).prompts()


def serve_batch_tools(address: str, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """The tools of a beat that is running, for the command-line agent that works in it."""
    serve(BatchTools(address), version("heartbeat-desktop"), incoming, outgoing)


def beat_of_its_own(services: Services, ids: list[str]) -> str:
    """`heartbeat run` in a process of its own: what a beat loads or breaks is gone with it."""
    known = known_items(services, ids, listed_by="heartbeat_list")
    command = services.heartbeat_command("--json", "run", "--", *known)
    return services.own_commands.output(command)
