"""Single values that several formats share: a command in backticks, a schedule, a duration."""

from datetime import timedelta

from core.model.diagnostic import Problem
from core.rules.reading.findings import Findings
from core.rules.timing.durations import read_duration
from core.rules.timing.expressions import advice, read_schedule


def without_backticks(value: str) -> str:
    """A command as it is meant: Markdown's `code` marks around it would run its output as a command."""
    if len(value) > 2 and value[0] == value[-1] == "`" and "`" not in value[1:-1]:
        return value[1:-1].strip()
    return value


def read_schedule_field(value: str, line: int, column: int, findings: Findings) -> str:
    """Reports what is wrong with a schedule; returns why the item cannot run, or nothing."""
    schedule = read_schedule(value)
    if isinstance(schedule, Problem):
        findings.add("HB401", line, column, schedule.message, schedule.hint)
        return schedule.message.rstrip(".")
    if tip := advice(schedule):
        findings.add("HB402", line, column, "Not every month or year has that day; there is no run then.", tip)
    return ""


def read_duration_field(value: str, line: int, column: int, findings: Findings) -> timedelta | None:
    duration = read_duration(value)
    if isinstance(duration, Problem):
        findings.add("HB403", line, column, duration.message, duration.hint)
        return None
    return duration
