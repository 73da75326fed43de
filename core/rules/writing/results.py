"""What outcomes look like in HEARTBEAT.md: lines of actions, frontmatter, `## Completed Today`."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo

from core.model.change import Change, RemoveField, SetCompleted, SetField, SetHeader
from core.model.document import Action, ActionStatus, Document
from core.model.item import ItemKind, item_key
from core.model.ledger import ItemPast
from core.model.occurrence import Occurrence, Outcome
from core.model.report import ItemReport
from core.model.waiting import WaitReason, wait_of
from core.rules.planning.attempts import instant_text, shows_end
from core.rules.timing.expressions import is_one_time
from core.rules.writing.completed_lines import clock_of

SUCCESS_KEYS = ("completed_at", "duration", "result")
FAILURE_KEYS = ("failed_at", "error", "retry_count")


def changes_after(occurrence: Occurrence, action: Action, zone: tzinfo) -> list[Change]:
    """Write the lines of a finished occurrence's outcome; remove those of the other outcome."""
    if occurrence.outcome is Outcome.SKIPPED:
        return [SetField(action.id, "status", ActionStatus.SKIPPED)]
    if occurrence.outcome is Outcome.NEEDS_CLARIFICATION:
        return [SetField(action.id, "status", ActionStatus.NEEDS_CLARIFICATION)]
    if occurrence.outcome is Outcome.COMPLETED:
        return _changes_after_success(occurrence, action, zone)

    return _changes_after_failure(occurrence, action, zone)


def _changes_after_success(occurrence: Occurrence, action: Action, zone: tzinfo) -> list[Change]:
    assert occurrence.finished
    status = ActionStatus.PENDING if is_recurring(action) else ActionStatus.COMPLETED
    seconds = occurrence.duration.total_seconds() if occurrence.duration else 0.0
    result = occurrence.result or "OK"

    return [
        SetField(action.id, "status", status),
        SetField(action.id, "completed_at", instant_text(occurrence.finished, zone)),
        SetField(action.id, "duration", f"{seconds:.1f}s"),
        SetField(action.id, "result", result),
        *[RemoveField(action.id, key) for key in FAILURE_KEYS],
        SetCompleted(action.id, result, clock_of(occurrence, zone)),
    ]


def _changes_after_failure(occurrence: Occurrence, action: Action, zone: tzinfo) -> list[Change]:
    assert occurrence.finished
    count = f"{min(occurrence.attempts, action.retry)}/{action.retry}"

    return [
        SetField(action.id, "status", ActionStatus.FAILED),
        SetField(action.id, "failed_at", instant_text(occurrence.finished, zone)),
        SetField(action.id, "error", occurrence.error or "failed"),
        SetField(action.id, "retry_count", count),
        *[RemoveField(action.id, key) for key in SUCCESS_KEYS],
    ]


def unclear_changes(document: Document, waiting: Iterable[ItemReport]) -> list[Change]:
    """Return the status of actions that are not clear; what holds the whole file back does not
    count."""
    unclear = {
        one.id
        for one in waiting
        if one.kind is ItemKind.ACTION
        and one.outcome is Outcome.NEEDS_CLARIFICATION
        and wait_of(one.why) is not WaitReason.FILE_UNCLEAR
    }
    needs_clarification = ActionStatus.NEEDS_CLARIFICATION
    return [
        SetField(action.id, "status", needs_clarification)
        for action in document.actions
        if action.id in unclear and action.status is not needs_clarification
    ]


def lines_before(action: Action, outcome: Outcome | None) -> dict[str, str | None]:
    """Return what an undo puts back into the lines that a result changes; None for a line that is
    not there. That is what they say now, but not a failure that was over with this outcome."""
    values = {one.key: one.value for one in reversed(action.fields)}
    if action.status is ActionStatus.FAILED and outcome is Outcome.COMPLETED:
        values["status"] = ActionStatus.PENDING
        for key in FAILURE_KEYS:
            values.pop(key, None)

    return {key: values.get(key) for key in ("status", *SUCCESS_KEYS, *FAILURE_KEYS)}


def is_recurring(action: Action) -> bool:
    if not action.schedule:
        return False

    return not is_one_time(action.schedule)


def running_changes(document: Document, executing: Iterable[str]) -> list[Change]:
    """Return what a beat that has lasted a while shows: what is executing now."""
    names = set(executing)
    statuses = [
        SetField(one.id, "status", ActionStatus.RUNNING)
        for one in document.actions
        if one.id in names
    ]
    return [SetHeader("status", "running"), *statuses]


def header_changes(
    document: Document,
    now: datetime,
    next_wake: datetime | None,
    errors: Sequence[str],
    *,
    is_counted: bool = False,
) -> list[Change]:
    """Return the frontmatter after a beat: a failed item sets `error`, a clean beat clears it.

    With `is_counted`, the error count includes this beat's failure already.
    """
    zone = now.tzinfo
    assert zone

    entry = document.frontmatter.values.get("error_count")
    count = entry.value if entry and isinstance(entry.value, int) else 0
    if not errors:
        count = 0
    elif not is_counted:
        count += 1

    return [
        SetHeader("last_wake", instant_text(now, zone)),
        SetHeader("next_wake", instant_text(next_wake, zone) if next_wake else None),
        SetHeader("status", "error" if errors else "idle"),
        SetHeader("error_count", count),
        SetHeader("last_error", errors[-1] if errors else None),
    ]


def header_after_undo(document: Document, errors: Sequence[str]) -> list[Change]:
    """Return the frontmatter after a failed run of the last beat was undone; `errors` are those
    of its other runs."""
    if errors:
        return [SetHeader("last_error", errors[-1])]

    entry = document.frontmatter.values.get("error_count")
    count = entry.value if entry and isinstance(entry.value, int) else 0
    return [
        SetHeader("status", "idle"),
        SetHeader("error_count", max(count - 1, 0)),
        SetHeader("last_error", None),
    ]


def stale_actions(document: Document, past: Mapping[str, ItemPast]) -> list[Action]:
    """Return the actions whose lines do not show their last run.

    An old copy of the file came back, or the last run could not be written.
    """
    stale: list[Action] = []
    for action in document.actions:
        known = past.get(item_key(ItemKind.ACTION, action.id))
        if action.unclear or not known or not known.last_finished:
            continue

        if not shows_end(action, known.last_finished):
            stale.append(action)

    return stale


def unexplained_running(document: Document, past: Mapping[str, ItemPast]) -> list[Action]:
    """Return the actions that the file calls RUNNING and of which no run is known.

    The file is from elsewhere, or the ledger is new.
    """
    actions = {
        item_key(ItemKind.ACTION, action.id): action for action in reversed(document.actions)
    }
    found: list[Action] = []
    for key, action in actions.items():
        if action.unclear or action.status is not ActionStatus.RUNNING:
            continue

        if key not in past or past[key].last_start is None:
            found.append(action)

    return found


def is_new_day(last_beat: datetime | None, now: datetime, zone: tzinfo) -> bool:
    """Say whether this is the first beat of a local day: the lines of the day before go."""
    if last_beat is None:
        return False

    return last_beat.astimezone(zone).date() < now.astimezone(zone).date()
