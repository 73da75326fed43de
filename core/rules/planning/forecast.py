"""Every start that the coming hours would bring, worked out item by item: no beat is simulated."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo

from core.model.diagnostic import Problem
from core.model.item import ItemKind
from core.model.light_dataclass import light_dataclass
from core.model.plan import Decision, Planned
from core.model.schedule import ActiveHours
from core.model.workspace import Workspace
from core.rules.planning.plan import make_plan
from core.rules.planning.plan_input import PlanInput, active_hours_of
from core.rules.timing.active import next_active
from core.rules.timing.expressions import read_schedule
from core.rules.timing.schedule import Schedule
from core.rules.timing.words import Every
from core.rules.timing.zones import in_zone, zone_of


@light_dataclass(frozen=True, slots=True)
class Start:
    at: datetime
    id: str
    kind: ItemKind
    needs_model: bool


def simulate(workspace: Workspace, given: PlanInput, length: timedelta) -> list[Start]:
    """All starts from now on, oldest first, as if every run succeeded at once and a model were
    set up."""
    zone = zone_of(workspace.document, given.zone)
    active = active_hours_of(workspace.document)
    now = given.now.astimezone(UTC)
    schedules = _schedules(workspace, given)
    by_model = _done_by_model(workspace)
    starts: list[Start] = []

    for item in make_plan(workspace, given).items:
        instants = _starts(item, schedules.get(item.key), active, zone, now, now + length)
        needs_model = item.key in by_model
        starts += [Start(in_zone(at, zone), item.id, item.kind, needs_model) for at in instants]

    return sorted(starts, key=lambda start: start.at)


def _starts(
    item: Planned,
    schedule: Schedule | None,
    active: ActiveHours | None,
    zone: tzinfo,
    now: datetime,
    until: datetime,
) -> Iterator[datetime]:
    first = now if item.decision is Decision.RUN else item.next
    at = first.astimezone(UTC) if first and item.decision in (Decision.RUN, Decision.WAIT) else None
    while at is not None and at < until:
        start = next_active(active, at, zone).astimezone(UTC) if active else at
        if start >= until:
            return

        yield start
        following = schedule.slot_after(start, zone) if schedule else None
        at = following.astimezone(UTC) if following else None


def _schedules(workspace: Workspace, given: PlanInput) -> dict[str, Schedule]:
    """The schedule of each item; without one, items other than actions follow the ticks."""
    found: dict[str, Schedule] = {}
    tick = Every(given.settings.interval)
    document = workspace.document
    texts = [(ItemKind.ACTION, one.id, one.schedule) for one in document.actions]
    texts += [(ItemKind.TASK, one.id, one.schedule) for one in document.tasks]
    texts += [(ItemKind.PROMPT, one.id, one.schedule) for one in workspace.prompts]
    texts += [(ItemKind.PLAIN, "heartbeat", None), (ItemKind.REVIEW, "review", None)]

    for kind, identifier, text in texts:
        schedule = read_schedule(text) if text else None
        if isinstance(schedule, Problem):
            continue

        if schedule is not None:
            found[f"{kind}:{identifier}"] = schedule
        elif kind is not ItemKind.ACTION:
            found[f"{kind}:{identifier}"] = tick

    return found


def _done_by_model(workspace: Workspace) -> set[str]:
    tasks = {f"{ItemKind.TASK}:{task.id}" for task in workspace.document.tasks if not task.run}
    prompts = {f"{ItemKind.PROMPT}:{prompt.id}" for prompt in workspace.prompts}
    return tasks | prompts | {f"{ItemKind.PLAIN}:heartbeat", f"{ItemKind.REVIEW}:review"}
