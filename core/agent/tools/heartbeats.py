"""The tools for the prompts of the workspace: add, list, run and remove them. None of them can
approve a prompt."""

from collections.abc import Callable
from typing import Protocol

from pydantic import Field
from pydantic.config import JsonDict

from core.agent.arguments import Arguments, NoArguments, Table, Text, Texts
from core.agent.own_tool import own_tool
from core.agent.taint import as_data, refuse_new_addresses
from core.agent.tool import Effect, Record, Tool, ToolRefusedError, touches_nothing
from core.agent.tool_world import ToolWorld
from core.model.agent import EVERYTHING
from core.model.document import Prompt
from core.model.errors import HeartbeatError
from core.model.evidence import Touched
from core.model.tags import HEARTBEAT
from core.model.workspace import Workspace
from core.ports.files import PromptStore
from core.rules.printable import one_line
from core.rules.writing.prompt_file import PromptKeys, added_prompt

PROMPTS = "heartbeat"  # the folder of the prompts
TEXT: JsonDict = {"type": "string"}
TEXTS: JsonDict = {"type": "array", "items": TEXT}
GATE_SCHEMA: JsonDict = {
    "type": "object",
    "properties": {
        "command": TEXT,
        "cwd": TEXT,
        "timeout": TEXT,
        "env": {"type": "object"},
        "permissions": TEXTS,
        "allowedDomains": TEXTS,
    },
}


class AddPrompt(Arguments):
    """What is blank or not given stays as it was, so that a model which fills in every field
    changes nothing by that."""

    id: Text
    title: Text = ""
    prompt: Text = ""
    # A text is the gate's command alone.
    gate: Text | Table = Field("", json_schema_extra=GATE_SCHEMA)
    overwrite: bool = False  # replace the prompt as a whole


class RemovePrompt(Arguments):
    id: Text


class RunItems(Arguments):
    ids: Texts = Field(default_factory=list)


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
            description="Add a prompt for later beats, or change what is given of one; its gate "
            "command decides if it runs.",
            permission=HEARTBEAT,
            reads_outside=False,
            effect=Effect.OTHER,
            touches=lambda given: _writes_prompt(given.id),
        ),
        own_tool(
            NoArguments,
            lambda _: listed(world.workspace()),
            name="heartbeat_list",
            description="List the prompts.",
            permission=HEARTBEAT,
            reads_outside=False,
            effect=Effect.NONE,
            touches=lambda _: Touched(reads=True, paths=(PROMPTS,), writes=()),
        ),
        own_tool(
            RemovePrompt,
            lambda given: _remove(world, given.id),
            name="heartbeat_remove",
            description="Remove a prompt.",
            permission=HEARTBEAT,
            reads_outside=False,
            effect=Effect.OTHER,
            touches=lambda given: _writes_prompt(given.id),
        ),
    )


def heartbeat_tools(world: ToolWorld, record: Record) -> tuple[Tool, ...]:
    run = own_tool(
        RunItems,
        lambda given: _run(world, record, given.ids),
        name="heartbeat_run",
        description="Run items right after this beat; without ids, all that is due.",
        permission=HEARTBEAT,
        reads_outside=False,
        effect=Effect.OTHER,
        touches=touches_nothing,
    )

    def refuse_addresses(given: AddPrompt) -> None:
        refuse_new_addresses(world, "", f"{given.title}\n{given.prompt}")

    return (*prompt_tools(world, refuse_addresses), run)


def _writes_prompt(identifier: str) -> Touched:
    path = f"{PROMPTS}/{identifier}.md"
    return Touched(reads=False, paths=(path,), writes=(path,))


def _add(world: PromptWorld, given: AddPrompt, check: Callable[[AddPrompt], None]) -> str:
    check(given)
    gate = {"command": given.gate} if isinstance(given.gate, str) else given.gate
    keys = PromptKeys(
        title=given.title.strip() or None,
        body=given.prompt.strip() or None,
        gate={name: value for name, value in gate.items() if value not in ("", None)},
    )
    prompts = () if given.overwrite else world.workspace().prompts
    before = next((one for one in prompts if one.id == given.id), None)
    try:
        text = added_prompt(given.id, before, keys)
        # A prompt that cannot be read at all is not among the known ones, and stays.
        is_known = given.overwrite or before is not None
        is_new = world.prompt_store.add(given.id, text, overwrite=is_known)
    except HeartbeatError as error:
        raise ToolRefusedError(
            f"{error.message} {error.hint}".replace("--overwrite", "overwrite").strip()
        ) from None

    waits = " Before its gate runs, the person has to approve it." if keys.gate else ""
    return f"{'Added' if is_new else 'Changed'} the prompt {given.id}.{waits}"


def _remove(world: PromptWorld, identifier: str) -> str:
    try:
        world.prompt_store.remove(identifier)
    except HeartbeatError as error:
        raise ToolRefusedError(error.message) from None

    return f"Removed the prompt {identifier}."


def _run(world: ToolWorld, record: Record, ids: list[str]) -> str:
    if not ids:
        record.wants_run = [EVERYTHING]
        return "What is due runs right after this beat."

    known = item_ids(world.workspace())
    unknown = [one for one in ids if one not in known]
    if unknown:
        raise ToolRefusedError(f"There is no item {one_line(', '.join(unknown), 100)}.")

    if EVERYTHING not in record.wants_run:
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
