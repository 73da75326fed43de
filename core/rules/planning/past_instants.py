"""Reports schedules that name an instant that is past, such as `at:`: one that the ledger did not
know before never runs. Pure; `now` is an argument."""

from collections.abc import Iterator
from datetime import datetime, tzinfo

from core.model.diagnostic import Problem
from core.model.document import ActionStatus
from core.model.light_dataclass import replace
from core.model.workspace import Workspace
from core.rules.planning.plan_input import written_schedule
from core.rules.reading.findings import Findings
from core.rules.timing.zones import zone_of


def with_past_instants(workspace: Workspace, now: datetime, system: tzinfo) -> Workspace:
    """The workspace with a finding for each item that is to be done at a time that is past."""
    zone = zone_of(workspace.document, system)
    found = list(workspace.diagnostics)
    for file, line, text in _schedules_to_come(workspace):
        if _is_past(text, now, zone):
            findings = Findings(file)
            message = "This time is past, so it starts only if Heartbeat already knew of it."
            hint = "Write a later time, or start it by its id: heartbeat run ID"
            findings.add("HB404", line, 1, message, hint)
            found += findings.found

    found.sort(key=lambda one: (one.file, one.line, one.column))
    return replace(workspace, diagnostics=tuple(found))


def _is_past(text: str, now: datetime, zone: tzinfo) -> bool:
    schedule = written_schedule(text)
    if schedule is None or isinstance(schedule, Problem):
        return False

    instant = schedule.named_instant(zone)
    return instant is not None and instant < now


def _schedules_to_come(workspace: Workspace) -> Iterator[tuple[str, int, str]]:
    """The file, the line and the text of each schedule of what is not done yet."""
    for action in workspace.document.actions:
        if action.status is not ActionStatus.COMPLETED and action.schedule:
            line = next(one.line for one in action.fields if one.key == "schedule")
            yield "", line, action.schedule

    for task in workspace.document.tasks:
        if not task.checked and task.schedule:
            yield "", task.line, task.schedule

    for prompt in workspace.prompts:
        if prompt.schedule:
            yield prompt.file, 1, prompt.schedule
