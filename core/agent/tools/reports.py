"""The tools with which the model reports on its own work. A report is a claim: it is only recorded
here, and checked after the batch."""

from collections.abc import Mapping
from typing import Any

from core.agent.arguments import TABLE, TEXT, one_of, takes
from core.agent.tool import Effect, Record, Tool, ToolRefusedError
from core.agent.tool_world import ToolWorld
from core.model.check import Value
from core.model.evidence import Claim, Said
from core.model.item import LONGEST_ID
from core.rules.checking.values import DEEPEST, depth_of
from core.rules.printable import one_line

OUTCOMES = (Said.DONE, Said.FAILED, Said.SKIPPED)
LONGEST_RESULT = 500
LONGEST_MESSAGE = 2000
MOST_FACTS = 20
LONGEST_NAME = 64
LONGEST_FACT = 500
DEEPEST_FACT = min(DEEPEST, 4)


def report_tools(_world: ToolWorld, record: Record) -> tuple[Tool, ...]:
    return (
        Tool(
            name="report_task",
            description="Report every task once, truthfully; facts are measured values by name.",
            parameters=takes(
                {"task_id": TEXT, "outcome": one_of(*OUTCOMES), "result": TEXT, "facts": TABLE},
                optional=("facts",),
            ),
            permission="",
            reads_outside=False,
            effect=Effect.REPORT,
            run=lambda given: _report(record, given),
        ),
        Tool(
            name="report_review",
            description="Answer the review: SKIP, or one message for the person.",
            parameters=takes({"message": TEXT}),
            permission="",
            reads_outside=False,
            effect=Effect.REPORT,
            run=lambda given: _review(record, given["message"]),
        ),
    )


def _report(record: Record, given: Mapping[str, Any]) -> str:
    task = given["task_id"]
    if task not in record.tasks:
        known = ", ".join(sorted(record.tasks)) or "none"
        raise ToolRefusedError(
            f"There is no task {one_line(task, LONGEST_ID)} in this beat. The tasks are: {known}."
        )

    facts: dict[str, Value] = given.get("facts") or {}
    are_short = all(len(name) <= LONGEST_NAME and _is_small(facts[name]) for name in facts)
    if len(facts) > MOST_FACTS or not are_short:
        raise ToolRefusedError(
            f"Give at most {MOST_FACTS} facts, each a short name and a short value."
        )

    record.reports[task] = Claim(
        Said(given["outcome"]), one_line(given["result"], LONGEST_RESULT), dict(facts)
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
