"""What an outcome looks like in HEARTBEAT.md: the lines of an action, the frontmatter, `## Completed Today`."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo

from core.model.change import Change, ClearCompleted, RemoveField, SetCompleted, SetField, SetHeader
from core.model.document import Action, ActionStatus, Document
from core.model.item import Kind, item_key
from core.model.memory import ItemMemory
from core.model.occurrence import Occurrence, Outcome
from core.model.report import ItemReport
from core.rules.planning import instant_text, instants_shown

SUCCESS_KEYS = ("completed_at", "duration", "result")
FAILURE_KEYS = ("failed_at", "error", "retry_count")


def changes_after(occurrence: Occurrence, action: Action, zone: tzinfo) -> list[Change]:
    """The lines that a finished occurrence writes; those of the other outcome are removed."""
    if occurrence.outcome is Outcome.SKIPPED:
        return [SetField(action.id, "status", ActionStatus.SKIPPED)]
    if occurrence.outcome is Outcome.NEEDS_CLARIFICATION:
        return [SetField(action.id, "status", ActionStatus.NEEDS_CLARIFICATION)]
    assert occurrence.finished
    finished = instant_text(occurrence.finished)
    if occurrence.outcome is Outcome.COMPLETED:
        status = ActionStatus.PENDING if is_recurring(action) else ActionStatus.COMPLETED
        seconds = occurrence.duration.total_seconds() if occurrence.duration else 0.0
        values = {"completed_at": finished, "duration": f"{seconds:.1f}s", "result": occurrence.result or "OK"}
        clock = f"{occurrence.finished.astimezone(zone):%H:%M:%S}"
        done: list[Change] = [SetCompleted(action.id, occurrence.result or "OK", clock)]
        gone = FAILURE_KEYS
    else:
        status = ActionStatus.FAILED
        count = f"{min(occurrence.attempts, action.retry)}/{action.retry}"
        values = {"failed_at": finished, "error": occurrence.error or "failed", "retry_count": count}
        done, gone = [], SUCCESS_KEYS
    set_fields: list[Change] = [SetField(action.id, key, value) for key, value in values.items()]
    removed = [RemoveField(action.id, key) for key in gone]
    return [SetField(action.id, "status", status), *set_fields, *removed, *done]


def unclear_changes(document: Document, waiting: Iterable[ItemReport]) -> list[Change]:
    """The status of actions that nobody understands. What holds the whole file back is no fault of theirs."""
    unclear = {
        one.id
        for one in waiting
        if one.kind is Kind.ACTION and one.outcome is Outcome.NEEDS_CLARIFICATION and one.reason != document.held
    }
    wrong = [one.id for one in document.actions if one.status is not ActionStatus.NEEDS_CLARIFICATION]
    return [SetField(name, "status", ActionStatus.NEEDS_CLARIFICATION) for name in wrong if name in unclear]


def lines_before(action: Action) -> dict[str, str | None]:
    """What the lines that a result changes say now; None: there is no such line."""
    said = {one.key: one.value for one in reversed(action.fields)}
    return {key: said.get(key) for key in ("status", *SUCCESS_KEYS, *FAILURE_KEYS)}


def is_recurring(action: Action) -> bool:
    return action.schedule is not None and not action.schedule.strip().lower().startswith("at:")


def running_changes(document: Document, executing: Iterable[str]) -> list[Change]:
    """What a beat that has lasted a while shows: what is executing now."""
    names = set(executing)
    statuses = [SetField(one.id, "status", ActionStatus.RUNNING) for one in document.actions if one.id in names]
    return [SetHeader("status", "running"), *statuses]


def header_changes(
    document: Document, now: datetime, next_wake: datetime | None, errors: Sequence[str], *, is_counted: bool = False
) -> list[Change]:
    """The frontmatter after a beat: a failed item sets `error`, a clean beat clears it. `is_counted`: it counts this
    beat's failure already."""
    entry = document.frontmatter.values.get("error_count")
    count = entry.value if entry and isinstance(entry.value, int) else 0
    return [
        SetHeader("last_wake", instant_text(now)),
        SetHeader("next_wake", instant_text(next_wake) if next_wake else None),
        SetHeader("status", "error" if errors else "idle"),
        SetHeader("error_count", count + (not is_counted) if errors else 0),
        SetHeader("last_error", errors[-1] if errors else None),
    ]


def stale_actions(document: Document, memory: Mapping[str, ItemMemory]) -> list[Action]:
    """Actions whose lines do not show their last run: an old copy came back, or it could not be written last time."""
    return [
        action
        for action in document.actions
        if (known := memory.get(item_key(Kind.ACTION, action.id)))
        and known.last_finished
        and not action.unclear
        and instant_text(known.last_finished) not in instants_shown(action)
    ]


def unexplained_running(document: Document, memory: Mapping[str, ItemMemory]) -> list[Action]:
    """Actions that the file calls RUNNING and of which no run is known: it is from elsewhere, or the ledger is new."""
    actions = {item_key(Kind.ACTION, action.id): action for action in reversed(document.actions)}
    running = [key for key, action in actions.items() if action.status is ActionStatus.RUNNING and not action.unclear]
    return [actions[key] for key in running if key not in memory or memory[key].last_start is None]


def new_day_changes(document: Document, last_beat: datetime | None, now: datetime, zone: tzinfo) -> list[Change]:
    """The first beat of a local day clears the lines of the day before; they stand in the history."""
    if not document.completed or last_beat is None:
        return []
    return [ClearCompleted()] if last_beat.astimezone(zone).date() < now.astimezone(zone).date() else []
