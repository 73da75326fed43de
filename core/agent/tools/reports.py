"""What the model says about its own work. A report is a claim: it is checked elsewhere, and never believed here."""

from collections.abc import Mapping
from typing import Any

from core.agent.built_in import TABLE, TEXT, BuiltIn, Record, RefusedError, one_of
from core.model.check import Value
from core.model.evidence import Claim, Said
from core.rules.checking.values import DEEPEST, depth_of
from core.rules.writing.harmless import one_line

OUTCOMES = (Said.DONE, Said.FAILED, Said.SKIPPED)
LONGEST_RESULT, LONGEST_MESSAGE = 500, 2000
MOST_FACTS, LONGEST_NAME, LONGEST_FACT = 20, 64, 500


def report_tools(record: Record) -> tuple[BuiltIn, ...]:
    return (
        BuiltIn(
            "report_task",
            "Report every task once, truthfully; facts are measured values by name.",
            {"task_id": TEXT, "outcome": one_of(*OUTCOMES), "result": TEXT, "facts": TABLE},
            "",
            lambda given: _report(record, given),
            optional=("facts",),
            could_do_it=False,
        ),
        BuiltIn(
            "report_review",
            "Answer the review: SKIP, or one message for the person.",
            {"message": TEXT},
            "",
            lambda given: _review(record, given["message"]),
            could_do_it=False,
        ),
    )


def _report(record: Record, given: Mapping[str, Any]) -> str:
    task = given["task_id"]
    if task not in record.tasks:
        known = ", ".join(sorted(record.tasks)) or "none"
        raise RefusedError(f"There is no task {one_line(task, 64)} in this beat. The tasks are: {known}.")
    facts: dict[str, Value] = given.get("facts") or {}
    if len(facts) > MOST_FACTS or not all(len(name) <= LONGEST_NAME and _is_small(facts[name]) for name in facts):
        raise RefusedError(f"Give at most {MOST_FACTS} facts, each a short name and a short value.")
    record.reports[task] = Claim(Said(given["outcome"]), one_line(given["result"], LONGEST_RESULT), dict(facts))
    left = sorted(record.tasks - record.reports.keys())
    return f"Noted. Not reported yet: {', '.join(left)}." if left else "Noted. Every task is reported."


def _is_small(value: Value) -> bool:
    return depth_of(value) <= min(DEEPEST, 4) and len(str(value)) <= LONGEST_FACT


def _review(record: Record, message: str) -> str:
    record.review = message.strip()[:LONGEST_MESSAGE]
    return "Noted."
