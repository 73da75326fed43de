"""A `run:` task without a hint: the exit code of its own command."""

from __future__ import annotations

from core.checks.measurable import (
    MeasurableKind,
    Measuring,
    finding_of,
    names_nothing,
    unmeasured,
    watches_nothing,
)
from core.model.check import Check, Hint, Measurement
from core.model.light_dataclass import light_dataclass
from core.rules.reading.fields import DEFAULT_HINT


@light_dataclass(frozen=True, slots=True)
class ExitCodeCheck(Check):
    pass


def _claims(hint: Hint) -> bool:
    return hint.is_of_command and hint.text == DEFAULT_HINT


def _read(_: Hint) -> ExitCodeCheck:
    return ExitCodeCheck()


def _title(_: str) -> str:
    return "its exit code"


def _measure(measuring: Measuring, _: ExitCodeCheck) -> Measurement:
    return by_exit_code(measuring.exit_code)


def by_exit_code(code: int | None) -> Measurement:
    if code is None:
        return unmeasured("its command did not end on its own")
    return Measurement(
        finding_of(code == 0),
        f"exit code {code}",
        {"exit_code": code},
        asked="exit code 0",
        got=str(code),
    )


EXIT_CODE = MeasurableKind(
    value=ExitCodeCheck,
    prefixes=(),
    claims=_claims,
    read=_read,
    title=_title,
    needs_judge=False,
    execution=None,  # the command is approved as the task's own
    watched_file=watches_nothing,
    names=names_nothing,
    has_values=False,  # before the task is done there is none
    measure=_measure,
)
