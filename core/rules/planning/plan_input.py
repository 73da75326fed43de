"""What a plan is made from: the schedules and hours written in the workspace, and what is known
besides."""

from collections.abc import Collection, Mapping
from datetime import datetime, tzinfo
from functools import lru_cache

from core.model.diagnostic import Problem
from core.model.document import Document
from core.model.item import ItemKind, item_key
from core.model.ledger import ItemPast
from core.model.light_dataclass import field, light_dataclass
from core.model.plan import BeatRequest, ModelHold
from core.model.progress import Progress
from core.model.schedule import ActiveHours
from core.model.settings import Settings
from core.model.waiting import Wait
from core.model.workspace import Workspace
from core.rules.timing.active import read_active
from core.rules.timing.expressions import read_schedule
from core.rules.timing.schedule import Schedule


@light_dataclass(frozen=True, slots=True)
class PlanInput:
    """What is known besides the workspace: the time, the past of each item, the settings,
    and why there is a beat."""

    now: datetime
    zone: tzinfo  # the system's; the file's wins
    request: BeatRequest
    settings: Settings
    past: Mapping[str, ItemPast]
    last_tick: datetime | None = None
    model_hold: ModelHold | None = None  # why no model is asked; None: one may be
    # The slot of each item that waits only because its minute is not over.
    postponed: Mapping[str, datetime] = field(default_factory=dict)
    left: Mapping[str, Wait] = field(default_factory=dict)  # what an earlier beat left undone
    running: Collection[str] = ()  # BG actions whose slot has come while they run
    reviews_sent: int = 0  # today
    unapproved: Mapping[str, Wait] = field(default_factory=dict)  # items that may not run
    progress: Progress = field(default_factory=Progress)


def active_hours_of(document: Document) -> ActiveHours | None:
    """The file's active hours; those that cannot be read hold the document back."""
    text = document.frontmatter.text("active")
    found = read_active(text) if text else None
    return None if isinstance(found, Problem) else found


def schedules_of(workspace: Workspace) -> dict[str, str]:
    """The normalized schedule of every item's key, empty if it has none. The ledger remembers
    since when it has known an item with this schedule."""
    document = workspace.document
    # Reversed: of two actions with one id the first is the one that runs.
    found = {item_key(ItemKind.ACTION, one.id): one.schedule for one in reversed(document.actions)}
    found |= {item_key(ItemKind.TASK, one.id): one.schedule for one in document.tasks}
    found |= {item_key(ItemKind.PROMPT, one.id): one.schedule for one in workspace.prompts}

    return {key: _normalized(text) for key, text in found.items()}


@lru_cache(maxsize=256)
def written_schedule(text: str | None) -> Schedule | Problem | None:
    """The schedule as it is written; None if there is none. Cached: a beat asks for each one four
    times, and reading them would take a good part of its planning."""
    return read_schedule(text) if text else None


@lru_cache(maxsize=256)
def _normalized(text: str | None) -> str:
    schedule = written_schedule(text)
    if schedule is None:
        return ""
    if isinstance(schedule, Problem):
        return "unreadable"

    return schedule.text()
