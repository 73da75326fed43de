"""The language model with its tools, and the tools that other programs are lent."""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from core.bootstrap.beats import judged, known_items
from core.bootstrap.places import open_ledger, own_command
from core.bootstrap.reading import read_workspace
from core.bootstrap.worlds import prompt_store

if TYPE_CHECKING:
    from core.agent.agent import LanguageModel
    from core.agent.ground import Ground
    from core.agent.tool import Toolbox
    from core.engine.world import World
    from core.model.agent import Batch
    from core.model.settings import McpServer


def _language_model(world: "World") -> "LanguageModel":
    from core.adapters.secret_store import KeyringSecrets
    from core.agent.agent import LanguageModel
    from core.rules.prices import cost_of, price_of

    own = world.settings.prices
    model = LanguageModel(
        world.settings,
        KeyringSecrets(),
        os.environ,
        toolboxes(world, lambda: model.keys()),
        world.clock,
        lambda choice, usage: cost_of(usage, price_of(choice.provider, choice.model, own)),
    )
    return model


def toolboxes(world: "World", secrets: "Callable[[], Collection[str]]" = tuple) -> "Callable[[Batch], Toolbox]":
    """What gives a batch its tools. `secrets` are values that must not get out, beside those of the environment."""
    from core.agent.toolbox import BatchToolbox

    return lambda batch: BatchToolbox(tool_ground(world, secrets), batch)


def tool_ground(world: "World", secrets: "Callable[[], Collection[str]]" = tuple) -> "Ground":
    """What the model's tools stand on in this beat."""
    from core.adapters.allowed_web import EgressWeb
    from core.adapters.command_environment import command_environment
    from core.adapters.file_look import FileLookOnDisk
    from core.adapters.file_operations import FileOperations
    from core.adapters.prompt_store import PromptStore
    from core.agent.ground import Ground
    from core.engine.reading import read_workspace

    beat = _own_beat(world.root)
    return Ground(
        root=world.root,
        home=Path.home(),
        settings=world.settings,
        protected=world.protected,
        hidden=world.hidden,
        clock=world.clock,
        workspace=lambda: read_workspace(world.files, world.root, world.settings.heartbeat_file),
        look=FileLookOnDisk(world.root, world.hidden),
        files=world.files,
        worker=FileOperations(world.root, _why_not_written(world)),
        own_worker=world.file_worker,
        undo=world.undo.open(beat, "agent"),
        heartbeat_undo=world.undo.open(beat, "agent-heartbeat-file"),
        lock=world.lock,
        sandbox=world.sandbox,
        web=EgressWeb(world.clock.monotonic),
        messenger=world.messenger,
        prompts=PromptStore(world.root, world.undo, world.clock, beat),
        open_ledger=lambda: open_ledger(world.root),
        secrets=lambda: (*secrets(), *_secrets_of_the_environment()),
        servers=_approved_servers(world),
        environment=command_environment(os.environ, {}),
        cancelled=world.cancelled,
    )


def serve_own_tools(root: Path, status: Callable[[], str], incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """`heartbeat mcp`: until nothing more comes in. `status` puts into words how the workspace stands."""
    from importlib.metadata import version

    from core.agent.mcp_server import serve
    from core.agent.own_server import OwnGround, OwnTools

    ground = OwnGround(
        lambda: read_workspace(root), prompt_store(root), lambda ids: _beat_of_its_own(root, ids), status
    )
    serve(OwnTools(ground), version("heartbeat-desktop"), incoming, outgoing)


def serve_batch_tools(address: str, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """`heartbeat mcp --batch`: the tools of a beat that is running, for the command-line agent that works in it."""
    from importlib.metadata import version

    from core.agent.batch_door import BatchTools
    from core.agent.mcp_server import serve

    serve(BatchTools(address), version("heartbeat-desktop"), incoming, outgoing)


def _beat_of_its_own(root: Path, ids: list[str]) -> str:
    """`heartbeat run` in a process of its own: whatever a beat loads or breaks is gone with it."""
    import subprocess

    known = known_items(root, ids, listed_by="heartbeat_list")
    words = own_command("tray_app.cli", "--workspace", str(root), "--json", "run", "--", *known)
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode(errors="replace")


def _secrets_of_the_environment() -> list[str]:
    """The values of variables that are named like a key."""
    telling = ("KEY", "TOKEN", "SECRET", "PASSWORD")
    return [value for name, value in os.environ.items() if any(word in name.upper() for word in telling)]


def _own_beat(root: Path) -> int:
    """The number of the beat that this process is doing; 0 where it does none."""
    ledger = open_ledger(root)
    try:
        own = [one.number for one in ledger.recent_beats(10) if one.finished is None and one.pid == os.getpid()]
    finally:
        ledger.close()
    return own[0] if own else 0


def _why_not_written(world: "World") -> Callable[[str], str]:
    """Why the model may not write to a real place in the workspace."""
    from core.rules.permitting.control_names import why_not_written

    real = world.root.resolve()
    hidden = [path.resolve() for path in world.hidden]
    name = world.settings.heartbeat_file or read_workspace(world.root).file.name

    def why_not(place: str) -> str:
        if any((real / place).is_relative_to(folder) for folder in hidden):
            return f"{place} steers Heartbeat and is not changed by a model"
        return why_not_written(place, name)

    return why_not


def _approved_servers(world: "World") -> "dict[str, McpServer]":
    """The MCP servers that the person has approved as they stand in the settings."""
    from core.model.approval import ExecutableKind

    servers = world.settings.mcp_servers
    if not servers:
        return {}
    approved = {
        one.executable.id for one in judged(world)[0] if one.executable.kind is ExecutableKind.SERVER and not one.waits
    }
    return {name: server for name, server in servers.items() if name in approved}
