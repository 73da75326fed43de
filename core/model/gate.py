"""What a gate decided about its prompt."""

from enum import StrEnum

from core.model.report import Notice
from core.model.value import dataclass


class GateDecision(StrEnum):
    LET_IN = "let_in"  # the prompt is in this beat's batch; also where it has no gate
    KEPT_OUT = "kept_out"  # not in this beat, as the gate's exit code and `run_if` say
    INTERRUPTED = "interrupted"  # not in this beat: it was ended before the gate was done
    ERROR = "error"  # not in this beat: the gate gave no answer
    BYPASSED = "bypassed"  # a permission is missing: the prompt is in, its gate was not run
    WAITS = "waits"  # a permission is missing, and the person wants it to wait for that


@dataclass(frozen=True, slots=True)
class GateResult:
    decision: GateDecision
    output: str = ""  # for the prompt, under `[Gate output]`; trimmed, only where the gate let it in
    reason: str = ""  # why the prompt is not in, or why its gate was not run: one line, for the ledger
    message: str = ""  # to the model, in place of a gate's output: which permission is missing
    notice: Notice | None = None  # to the person: where trouble is new, and once when it is over

    @property
    def lets_in(self) -> bool:
        return self.decision in (GateDecision.LET_IN, GateDecision.BYPASSED)
