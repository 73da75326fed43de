"""Occurrences as the reports that a person reads."""

from core.model.evidence import Evidence
from core.model.item import Kind, identifier_of_key
from core.model.occurrence import Occurrence
from core.model.report import ItemReport


def report_of(done: Occurrence, evidence: Evidence | None = None) -> ItemReport:
    assert done.outcome
    return ItemReport(
        id=identifier_of_key(done.item),
        kind=Kind(done.kind),
        outcome=done.outcome,
        reason=done.reason,
        attempts=done.attempts,
        duration=done.duration,
        result=done.result,
        error=done.error,
        verdict=done.verdict,
        contradiction=done.contradiction,
        points=done.points,
        check=evidence.measurement.words if evidence and done.verdict else "",
    )
