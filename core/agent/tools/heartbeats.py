"""The tools for the prompts of the workspace: add, list, run and remove them. None of them can
approve a prompt."""

from collections.abc import Callable
from typing import Protocol

from core.agent.arguments import Arguments, NoArguments, Text, Texts
from core.agent.own_tool import own_tool
from core.agent.taint import as_data, refuse_new_addresses
from core.agent.tool import Effect, Record, Tool, ToolRefusedError, only_reads, touches_nothing
from core.agent.tool_world import ToolWorld
from core.model.document import Prompt
from core.model.errors import HeartbeatError
from core.model.tags import HEARTBEAT
from core.model.workspace import Workspace
from core.ports.files import PromptStore
from core.rules.printable import one_line
from core.rules.writing.prompt_file import new_prompt


class AddPrompt(Arguments):
    id: Text
    title: Text
    prompt: Text
    gate: Text = ""
    overwrite: bool = False


class RemovePrompt(Arguments):
    id: Text


class RunItems(Arguments):
    ids: Texts


class PromptWorld(Protocol):
    """What these tools need, both in a beat and in `heartbeat mcp`."""

    def workspace(self) -> Workspace:
        """The workspace, read again at each call."""
        ...

    @property
    def prompt_store(self) -> PromptStore: ...


def prompt_tools(
    world: PromptWorld, check: Callable[[AddPrompt], None] = lambda _: None
) -> tuple[Tool, ...]:
    """The tools that are the same in a beat and in `heartbeat mcp`. `check` may refuse a new
    prompt with ToolRefusedError."""
    return (
        own_tool(
            AddPrompt,
            lambda given: _add(world, given, check),
            name="heartbeat_add",
            description="Add a prompt for later beats; its gate command decides if it runs.",
            permission=HEARTBEAT,
            reads_outside=False,
            effect=Effect.OTHER,
            touches=touches_nothing,
        ),
        own_tool(
            NoArguments,
            lambda _: listed(world.workspace()),
            name="heartbeat_list",
            description="List the prompts.",
            permission=HEARTBEAT,
            reads_outside=False,
            effect=Effect.NONE,
            touches=only_reads,
        ),
        own_tool(
            RemovePrompt,
            lambda given: _remove(world, given.id),
            name="heartbeat_remove",
            description="Remove a prompt.",
            permission=HEARTBEAT,
            reads_outside=False,
            effect=Effect.OTHER,
            touches=touches_nothing,
        ),
    )


def heartbeat_tools(world: ToolWorld, record: Record) -> tuple[Tool, ...]:
    run = own_tool(
        RunItems,
        lambda given: _run(world, record, given.ids),
        name="heartbeat_run",
        description="Run items right after this beat.",
        permission=HEARTBEAT,
        reads_outside=False,
        effect=Effect.OTHER,
        touches=touches_nothing,
    )

    def refuse_addresses(given: AddPrompt) -> None:
        refuse_new_addresses(world, "", f"{given.title}\n{given.prompt}")

    return (*prompt_tools(world, refuse_addresses), run)


def _add(world: PromptWorld, given: AddPrompt, check: Callable[[AddPrompt], None]) -> str:
    check(given)
    try:
        text = new_prompt(given.id, given.title, given.prompt, gate=given.gate or None)
        is_new = world.prompt_store.add(given.id, text, overwrite=given.overwrite)
    except HeartbeatError as error:
        raise ToolRefusedError(
            f"{error.message} {error.hint}".replace("--overwrite", "overwrite")
        ) from None

    waits = " Before its gate runs, the person has to approve it." if given.gate else ""
    return f"{'Added' if is_new else 'Replaced'} the prompt {given.id}.{waits}"


def _remove(world: PromptWorld, identifier: str) -> str:
    try:
        world.prompt_store.remove(identifier)
    except HeartbeatError as error:
        raise ToolRefusedError(error.message) from None

    return f"Removed the prompt {identifier}."


def _run(world: ToolWorld, record: Record, ids: list[str]) -> str:
    if not ids:
        raise ToolRefusedError("Give at least one id.")

    known = item_ids(world.workspace())
    unknown = [one for one in ids if one not in known]
    if unknown:
        raise ToolRefusedError(f"There is no item {one_line(', '.join(unknown), 100)}.")

    record.wants_run = [*dict.fromkeys((*record.wants_run, *ids))]
    return "They run right after this beat."


def item_ids(workspace: Workspace) -> frozenset[str]:
    document = workspace.document
    tasks = {task.id for task in document.tasks}
    actions = {action.id for action in document.actions}
    prompts = {prompt.id for prompt in workspace.prompts}

    return frozenset(tasks | actions | prompts)


def listed(workspace: Workspace) -> str:
    if not workspace.prompts:
        return "There are no prompts."
    return as_data("heartbeat_list", "\n".join(_line(one) for one in workspace.prompts))


def _line(prompt: Prompt) -> str:
    gate = f" | gate: {one_line(prompt.gate.command, 100)}" if prompt.gate else ""
    return f"{prompt.id} | {one_line(prompt.title, 100)}{gate}"
