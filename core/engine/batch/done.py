"""What the gates and the batch leave to their beat.

In a file of its own: most beats have neither, and need not load what does them.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from core.model.agent import EVERYTHING, Usage
from core.model.item import ItemKind, identifier_of_key, item_key
from core.model.occurrence import BeatReason, Occurrence
from core.model.plan import BeatRequest
from core.model.report import Notice
from core.model.workspace import Workspace
from core.ports.world import World

if TYPE_CHECKING:
    from core.model.gate import GateResult


class Asked:
    """What the gates decided, also if there were none."""

    def __init__(self) -> None:
        self.done: list[Occurrence] = []  # of the prompts that were not let in
        self.let_in: dict[str, GateResult] = {}  # by the prompt's id
        self.notices: list[Notice] = []


class BatchDone:
    """The result of a batch, also of one that was not needed."""

    def __init__(self) -> None:
        self.ended: list[Occurrence] = []
        self.usage: Usage | None = None  # None: no model was asked
        self.messages: list[Notice] = []  # for the person
        self.wants_run: tuple[str, ...] = ()
        self.servers: Mapping[str, str] = {}  # by tool server: why it did not start, or empty


def ask_for_run(
    world: World, workspace: Workspace, request: BeatRequest, names: Collection[str], now: datetime
) -> None:
    """Ask for the beat that the model wants right after this one. A beat that a model asked for
    may not ask for the next: they would never end."""
    items = [item_key(ItemKind.TASK, task.id) for task in workspace.document.tasks]
    items += [item_key(ItemKind.ACTION, action.id) for action in workspace.document.actions]
    items += [item_key(ItemKind.PROMPT, prompt.id) for prompt in workspace.prompts]
    is_all = EVERYTHING in names
    wanted = [key for key in items if key in names or identifier_of_key(key) in names]
    if (wanted or is_all) and request.reason is not BeatReason.AGENT:
        world.ledger.requests.request_run([] if is_all else wanted, now, by_agent=True)
