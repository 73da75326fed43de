"""Words that only a judge can decide about: every hint that is not another kind of check."""

from __future__ import annotations

from core.checks.measurable import (
    MeasurableKind,
    Measuring,
    names_nothing,
    unmeasured,
    watches_nothing,
)
from core.model.check import Check, Hint, Measurement, as_written
from core.model.light_dataclass import light_dataclass


@light_dataclass(frozen=True, slots=True)
class Label(Check):
    text: str


def _claims(_: Hint) -> bool:
    return True


def _read(hint: Hint) -> Label:
    return Label(hint.text)


def _measure(_: Measuring, __: Label) -> Measurement:
    return unmeasured("only a judge could decide it")


LABEL = MeasurableKind(
    value=Label,
    prefixes=(),
    claims=_claims,
    read=_read,
    title=as_written,
    needs_judge=True,
    execution=None,
    watched_file=watches_nothing,
    names=names_nothing,
    has_values=False,
    measure=_measure,
)
