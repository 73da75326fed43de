"""The types of action that there are.

One file per type contains everything that is known about it. To add a type, add a file here and a
line in this table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.actions.file import FILE
from core.actions.http import HTTP
from core.actions.notify import NOTIFY
from core.actions.runnable import Call, Done, RunnableType, unclear
from core.actions.shell import SHELL
from core.model.action_type import ActionTable

if TYPE_CHECKING:
    from core.ports.world import World

ACTION_TYPES: ActionTable[RunnableType] = ActionTable((SHELL, HTTP, FILE, NOTIFY))


def run_action(world: World, call: Call) -> Done:
    """Do what the action says."""
    written = call.action.type
    known = ACTION_TYPES.get(written.name) if written else None
    if known is None:
        return unclear("its type is unclear", "type")

    return known.run(world, call)
