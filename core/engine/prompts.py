"""Due prompts: each asks its gate; what is let in joins the batch, and waits where no model may be asked."""

from dataclasses import dataclass, field
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


@dataclass
class Asked:
    done: list[Occurrence] = field(default_factory=list)  # of the prompts that are not in
    let_in: dict[str, GateResult] = field(default_factory=dict)  # by prompt
    notices: list[Notice] = field(default_factory=list)


def ask_gates(world: World, workspace: Workspace, plan: Plan, beat: int) -> Asked:
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
    asked = Asked()
    approved = StartCheck(world, workspace)
    for item in plan.runs:
        if item.kind is Kind.PROMPT and not world.cancelled.is_set():
            if why := approved.reason_to_wait(item.key):  # another gate may have changed a script of this one
                asked.done.append(_wait(world, item, Outcome.NEEDS_APPROVAL, why, plan, beat))
                continue
            result = pass_gate(ground, prompts[item.id], plan.now, world.cancelled)
            asked.notices += [result.notice] if result.notice else []
            if result.lets_in and plan.model_hold is None:
                asked.let_in[item.id] = result
                continue
            recorded = _record(world, item, result, plan, beat)
            asked.done += [recorded] if recorded else []
    return asked


def _wait(world: World, item: Planned, outcome: Outcome, reason: str, plan: Plan, beat: int) -> Occurrence:
    assert item.slot
    return world.ledger.wait(occurrence_of(item, item.slot, beat), outcome, reason, plan.now)


def _record(world: World, item: Planned, result: GateResult, plan: Plan, beat: int) -> Occurrence | None:
    assert item.slot
    ledger, occurrence = world.ledger, occurrence_of(item, item.slot, beat)
    match result.decision:
        case GateDecision.LET_IN | GateDecision.BYPASSED:
            assert plan.model_hold
            return _wait(world, item, plan.model_hold.outcome, plan.model_hold.reason, plan, beat)
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
