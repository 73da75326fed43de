"""`cmd:COMMAND`: the command ends with exit code 0."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, assert_never

from core.checks.exit_code import by_exit_code
from core.checks.measurable import (
    CheckNames,
    MeasurableKind,
    Measuring,
    unmeasured,
    watches_nothing,
)
from core.model.check import (
    Check,
    Execution,
    Hint,
    Measurement,
    as_written,
    claims_nothing,
)
from core.model.diagnostic import Problem
from core.model.kinds import IN_THE_WORKSPACE
from core.model.light_dataclass import light_dataclass
from core.rules.printable import one_line
from core.rules.timing.durations import duration_words

if TYPE_CHECKING:
    from core.model.process import Ending

LIMIT = timedelta(seconds=60)
NO_COMMAND = (126, 127)  # a shell's exit codes where it finds no such command, or may not run it


@light_dataclass(frozen=True, slots=True)
class CommandCheck(Check):
    line: str


def _read(hint: Hint) -> CommandCheck | Problem:
    if not hint.rest:
        return Problem("`cmd:` has no command.", "Write `cmd:test -e report.md`.")

    return CommandCheck(hint.rest)


def _measure(measuring: Measuring, check: CommandCheck) -> Measurement:
    ending = measuring.run(check.line, LIMIT)
    problem = not_measured(ending, LIMIT)

    return unmeasured(problem.message) if problem else by_exit_code(ending.exit_code)


def not_measured(ending: Ending, limit: timedelta) -> Problem | None:
    """Why a command measured nothing; None if it ended by itself."""
    from core.model.process import How

    last = one_line(ending.last_line, 80)
    match ending.how:
        case How.EXITED if ending.exit_code in NO_COMMAND:
            return Problem(last or "there is no such command", "")
        case How.EXITED:
            return None
        case How.TIMED_OUT:
            return Problem(f"it took longer than {duration_words(limit)}", "")
        case How.CANCELLED:
            return Problem("it was stopped before it finished", "")
        case How.COULD_NOT_START:
            return Problem(last or "it could not be started", "")
        case _:
            assert_never(ending.how)


COMMAND = MeasurableKind(
    value=CommandCheck,
    prefixes=("cmd",),
    claims=claims_nothing,
    read=_read,
    title=as_written,
    needs_judge=False,
    execution=Execution(command=as_written, reach=(IN_THE_WORKSPACE,)),
    watched_file=watches_nothing,
    names=lambda check: CheckNames(command=check.line),
    has_values=False,  # an exit code: the model's own commands have one as well
    measure=_measure,
)
