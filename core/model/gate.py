"""What a gate decided about its prompt."""

from enum import StrEnum

from core.model.cause import Cause
from core.model.light_dataclass import light_dataclass
from core.model.report import Notice


class GateDecision(StrEnum):
    LET_IN = "let_in"  # the prompt is in this beat's batch; also where it has no gate
    KEPT_OUT = "kept_out"  # not in this beat, as the gate's exit code and `run_if` say
    INTERRUPTED = "interrupted"  # not in this beat: it was ended before the gate was done
    ERROR = "error"  # not in this beat: the gate gave no answer
    BYPASSED = "bypassed"  # a permission is missing: the prompt is in, its gate was not run
    WAITS = "waits"  # a permission is missing, and the person wants it to wait for that


@light_dataclass(frozen=True, slots=True)
class GateResult:
    decision: GateDecision
    # For the prompt, under `[Gate output]`; trimmed, and only where the gate let it in.
    output: str = ""
    # Why the prompt is not in, or why its gate was not run: one line, for the ledger.
    reason: str = ""
    cause: Cause = ()  # the same as data, which tells it from another reason
    # For the model, in place of a gate's output: which permission is missing.
    message: str = ""
    # For the person: when there is new trouble, and once when it is over.
    notice: Notice | None = None

    @property
    def lets_in(self) -> bool:
        return self.decision in (GateDecision.LET_IN, GateDecision.BYPASSED)
