"""Due prompts: each asks its gate; what is let in goes to the model, and waits where there is none."""

from pathlib import Path

from core.engine.approving import StartCheck
from core.engine.gates import GateGround, pass_gate
from core.engine.planning import occurrence_of
from core.engine.world import World
from core.model.gate import GateDecision, GateResult
from core.model.item import Kind
from core.model.occurrence import Occurrence, Outcome
from core.model.plan import Plan, Planned
from core.model.report import Notice
from core.model.workspace import Workspace
from core.rules.planning import NEEDS_MODEL


def ask_gates(world: World, workspace: Workspace, plan: Plan, beat: int) -> tuple[list[Occurrence], list[Notice]]:
    """What became of the prompts that are due, and what to tell about their gates."""
    ground = GateGround(
        workspace=world.root,
        home=Path.home(),
        settings=world.settings,
        sandbox=world.sandbox,
        processes=world.processes,
        ledger=world.ledger,
        protected=world.protected,
        hidden=world.hidden,
    )
    prompts = {prompt.id: prompt for prompt in workspace.prompts}
    done: list[Occurrence] = []
    notices: list[Notice] = []
    approved = StartCheck(world, workspace)
    for item in plan.runs:
        if item.kind is Kind.PROMPT and not world.cancelled.is_set():
            if why := approved.reason_to_wait(item.key):  # another gate may have changed a script of this one
                done.append(_wait(world, item, Outcome.NEEDS_APPROVAL, why, plan, beat))
                continue
            result = pass_gate(ground, prompts[item.id], plan.now, world.cancelled)
            recorded = _record(world, item, result, plan, beat)
            done += [recorded] if recorded else []
            notices += [result.notice] if result.notice else []
    return done, notices


def _wait(world: World, item: Planned, outcome: Outcome, reason: str, plan: Plan, beat: int) -> Occurrence:
    assert item.slot
    return world.ledger.wait(occurrence_of(item, item.slot, beat), outcome, reason, plan.now)


def _record(world: World, item: Planned, result: GateResult, plan: Plan, beat: int) -> Occurrence | None:
    assert item.slot
    ledger, occurrence = world.ledger, occurrence_of(item, item.slot, beat)
    match result.decision:
        case GateDecision.LET_IN | GateDecision.BYPASSED:
            return _wait(world, item, Outcome.NEEDS_MODEL, NEEDS_MODEL, plan, beat)
        case GateDecision.WAITS:
            return _wait(world, item, Outcome.WAITING, result.reason, plan, beat)
        case GateDecision.KEPT_OUT:
            return ledger.skip(occurrence, result.reason, plan.now)
        case GateDecision.INTERRUPTED:
            return None
    claimed = ledger.claim(occurrence, plan.now)
    if claimed is None:
        return None
    return ledger.finish(ledger.start(claimed, plan.now), Outcome.FAILED, plan.now, error=result.reason)
