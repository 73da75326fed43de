"""Finds moments that are past: an `at:` that nobody knew of before never runs. Pure; `now` is an argument."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, tzinfo

from core.model.document import ActionStatus
from core.model.schedule import At
from core.model.workspace import Workspace
from core.rules.planning import zone_of
from core.rules.reading.findings import Findings
from core.rules.timing.expressions import read_schedule
from core.rules.timing.slots import moment_of


def with_past_moments(workspace: Workspace, now: datetime, system: tzinfo) -> Workspace:
    """The workspace with a finding for each item that is still to be done and whose moment is past."""
    zone = zone_of(workspace.document, system)
    found = list(workspace.diagnostics)
    for file, line, text in _schedules_to_come(workspace):
        schedule = read_schedule(text) if text.strip().lower().startswith("at:") else None
        if isinstance(schedule, At) and moment_of(schedule.moment, zone) < now:
            findings = Findings(file)
            message = "This moment is past, so it starts only where Heartbeat knew of it before."
            findings.add("HB404", line, 1, message, "Write a later moment, or start it by its id: heartbeat run ID")
            found += findings.found
    return replace(workspace, diagnostics=tuple(sorted(found, key=lambda one: (one.file, one.line, one.column))))


def _schedules_to_come(workspace: Workspace) -> Iterator[tuple[str, int, str]]:
    """The file, the line and the text of each schedule of what is not done yet."""
    for action in workspace.document.actions:
        if action.status is not ActionStatus.COMPLETED and action.schedule:
            yield "", next(one.line for one in action.fields if one.key == "schedule"), action.schedule
    for task in workspace.document.tasks:
        if not task.checked and task.schedule:
            yield "", task.line, task.schedule
    for prompt in workspace.prompts:
        if prompt.schedule:
            yield prompt.file, 1, prompt.schedule
