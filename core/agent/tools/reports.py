"""The tools with which the model reports on its own work. A report is a claim: it is only recorded
here, and checked after the batch."""

from typing import Literal

from pydantic import Field

from core.agent.arguments import Arguments, Table, Text
from core.agent.own_tool import own_tool
from core.agent.tool import Effect, Record, Tool, ToolRefusedError, touches_nothing
from core.agent.tool_world import ToolWorld
from core.model.check import Value
from core.model.evidence import Claim, Said
from core.model.item import LONGEST_ID
from core.rules.checking.values import DEEPEST, depth_of
from core.rules.printable import one_line

LONGEST_RESULT = 500
LONGEST_MESSAGE = 2000
MOST_FACTS = 20
LONGEST_NAME = 64
LONGEST_FACT = 500
DEEPEST_FACT = min(DEEPEST, 4)


class ReportTask(Arguments):
    task_id: Text
    outcome: Literal["done", "failed", "skipped"]
    result: Text
    facts: Table = Field(default_factory=dict)


class ReportReview(Arguments):
    message: Text


def report_tools(_world: ToolWorld, record: Record) -> tuple[Tool, ...]:
    return (
        own_tool(
            ReportTask,
            lambda given: _report(record, given),
            name="report_task",
            description="Report every task once, truthfully; facts are what you measured, by name.",
            permission="",
            reads_outside=False,
            effect=Effect.REPORT,
            touches=touches_nothing,
        ),
        own_tool(
            ReportReview,
            lambda given: _review(record, given.message),
            name="report_review",
            description="Answer the review: SKIP, or one message for the person.",
            permission="",
            reads_outside=False,
            effect=Effect.REPORT,
            touches=touches_nothing,
        ),
    )


def _report(record: Record, given: ReportTask) -> str:
    task = given.task_id
    if task not in record.tasks:
        known = ", ".join(sorted(record.tasks)) or "none"
        raise ToolRefusedError(
            f"There is no task {one_line(task, LONGEST_ID)} in this beat. The tasks are: {known}."
        )

    if given.outcome == "skipped" and not given.result.strip():
        raise ToolRefusedError("Say in `result` why the task is skipped.")

    facts: dict[str, Value] = given.facts
    are_short = all(len(name) <= LONGEST_NAME and _is_small(facts[name]) for name in facts)
    if len(facts) > MOST_FACTS or not are_short:
        raise ToolRefusedError(
            f"Give at most {MOST_FACTS} facts, each a short name and a short value."
        )

    record.reports[task] = Claim(
        Said(given.outcome), one_line(given.result, LONGEST_RESULT), dict(facts)
    )
    left = sorted(record.tasks - record.reports.keys())
    if left:
        return f"Noted. Not reported yet: {', '.join(left)}."

    return "Noted. Every task is reported."


def _is_small(value: Value) -> bool:
    return depth_of(value) <= DEEPEST_FACT and len(str(value)) <= LONGEST_FACT


def _review(record: Record, message: str) -> str:
    record.review = message.strip()[:LONGEST_MESSAGE]
    return "Noted."
