"""The prompts of the workspace, as the model adds, lists, wishes for and removes them. It approves none of them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from core.agent.built_in import FLAG, TEXT, TEXTS, BuiltIn, Record, RefusedError
from core.agent.ground import Ground
from core.agent.outside import as_data, refuse_new_addresses
from core.model.document import Prompt
from core.model.errors import HeartbeatError
from core.model.workspace import Workspace
from core.ports import PromptStore
from core.rules.permitting.known_tags import HEARTBEAT
from core.rules.writing.harmless import one_line
from core.rules.writing.prompt_file import new_prompt


class PromptGround(Protocol):
    @property
    def workspace(self) -> Callable[[], Workspace]: ...

    @property
    def prompts(self) -> PromptStore: ...


def prompt_tools(ground: PromptGround) -> tuple[BuiltIn, ...]:
    """Those that are the same inside a beat and outside of it."""
    return (
        BuiltIn(
            "heartbeat_add",
            "Add a prompt for later beats; its gate is a command that lets it in.",
            {"id": TEXT, "title": TEXT, "prompt": TEXT, "gate": TEXT, "overwrite": FLAG},
            HEARTBEAT,
            lambda given: _add(ground, given),
            optional=("gate", "overwrite"),
        ),
        BuiltIn(
            "heartbeat_list",
            "List the prompts.",
            {},
            HEARTBEAT,
            lambda _: listed(ground.workspace()),
            could_do_it=False,
        ),
        BuiltIn(
            "heartbeat_remove", "Remove a prompt.", {"id": TEXT}, HEARTBEAT, lambda given: _remove(ground, given["id"])
        ),
    )


def heartbeat_tools(ground: Ground, record: Record) -> tuple[BuiltIn, ...]:
    run = BuiltIn(
        "heartbeat_run",
        "Run items right after this beat.",
        {"ids": TEXTS},
        HEARTBEAT,
        lambda given: _run(ground, record, given["ids"]),
    )
    add, *others = prompt_tools(ground)

    def add_without_new_addresses(given: Mapping[str, Any]) -> str:
        refuse_new_addresses(ground, "", f"{given['title']}\n{given['prompt']}")
        return add.do(given)

    return (replace(add, do=add_without_new_addresses), *others, run)


def _add(ground: PromptGround, given: Mapping[str, Any]) -> str:
    try:
        text = new_prompt(given["id"], given["title"], given["prompt"], gate=given.get("gate") or None)
        is_new = ground.prompts.add(given["id"], text, overwrite=given.get("overwrite", False))
    except HeartbeatError as error:
        raise RefusedError(f"{error.message} {error.hint}".replace("--overwrite", "overwrite")) from None
    waits = " Before its gate runs, the person has to approve it." if given.get("gate") else ""
    return f"{'Added' if is_new else 'Replaced'} the prompt {given['id']}.{waits}"


def _remove(ground: PromptGround, identifier: str) -> str:
    try:
        ground.prompts.remove(identifier)
    except HeartbeatError as error:
        raise RefusedError(error.message) from None
    return f"Removed the prompt {identifier}."


def _run(ground: Ground, record: Record, ids: list[str]) -> str:
    known = item_ids(ground.workspace())
    unknown = [one for one in ids if one not in known]
    if unknown or not ids:
        raise RefusedError(f"There is no item {one_line(', '.join(unknown), 100)}." if ids else "Give at least one id.")
    record.wants_run = [*dict.fromkeys((*record.wants_run, *ids))]
    return "They run right after this beat."


def item_ids(workspace: Workspace) -> frozenset[str]:
    document = workspace.document
    return frozenset(one.id for group in (document.tasks, document.actions, workspace.prompts) for one in group)


def listed(workspace: Workspace) -> str:
    if not workspace.prompts:
        return "There are no prompts."
    return as_data("heartbeat_list", "\n".join(_line(one) for one in workspace.prompts))


def _line(prompt: Prompt) -> str:
    gate = f" | gate: {one_line(prompt.gate.command, 100)}" if prompt.gate else ""
    return f"{prompt.id} | {one_line(prompt.title, 100)}{gate}"
