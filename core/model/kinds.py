"""The tables of action types and checks that reading and approving share, and words of both."""

from typing import Any, NamedTuple

from core.model.action_type import ActionTable, ActionType
from core.model.check import CheckKind, CheckTable

# What a person is shown about a command that runs outside the sandbox.
AS_YOU = "runs as you, outside the sandbox: it reaches your files and the network"
IN_THE_WORKSPACE = f"starts in the workspace, {AS_YOU}"


class Kinds(NamedTuple):
    actions: ActionTable[ActionType]
    checks: CheckTable[CheckKind[Any]]
