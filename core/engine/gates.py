"""Asks the gates of due prompts whether the prompts may join the batch.

The rules are those of "Prompts and gates" in docs/spec.md, in the order in which they decide. A
prompt that is let in joins the batch, or waits where no model may be asked.
"""

from datetime import datetime
from typing import assert_never

from core.engine.approve import StartCheck
from core.engine.batch.done import Asked
from core.engine.plan import occurrence_of
from core.model.diagnostic import Problem
from core.model.document import Gate, Prompt, RunIf
from core.model.gate import GateDecision, GateResult
from core.model.item import ItemKind
from core.model.light_dataclass import replace
from core.model.occurrence import Occurrence, Outcome
from core.model.plan import Plan, Planned
from core.model.process import Command, Ending, How
from core.model.report import Notice, NoticeKind
from core.model.sandbox import SandboxEnding
from core.model.trouble import TroubleKey, TroubleKind
from core.model.waiting import Wait, WaitReason
from core.model.workspace import Workspace
from core.ports.ledger import Ledger
from core.ports.world import World
from core.rules.approving.tags import (
    asked_tags,
    gate_reach,
    missing_tags,
    wait_for_tags,
)
from core.rules.printable import one_line


def pass_gate(world: World, prompt: Prompt, now: datetime) -> GateResult:
    """Run the gate of a due prompt and decide."""
    result = _decide(world, prompt)
    return replace(result, notice=_notice(world.ledger, prompt, result, now))


def _notice(ledger: Ledger, prompt: Prompt, result: GateResult, now: datetime) -> Notice | None:
    """What to announce: trouble when it is new or has changed, and once that it is over."""
    trouble = TroubleKey(TroubleKind.GATE, prompt.id)
    title = f"Prompt {prompt.id}"
    match result.decision:
        case GateDecision.ERROR:
            notice = Notice(NoticeKind.FAILURE, title, f"The gate gave no answer: {result.reason}")
        case GateDecision.BYPASSED | GateDecision.WAITS:
            notice = Notice(NoticeKind.PERMISSION, title, result.message)
        case GateDecision.LET_IN | GateDecision.KEPT_OUT:
            was_trouble = ledger.announcements.settle(trouble)
            return (
                Notice(NoticeKind.FAILURE, title, "The gate answers again.")
                if was_trouble
                else None
            )
        case GateDecision.INTERRUPTED:
            return None
        case _:
            assert_never(result.decision)

    return notice if ledger.announcements.announce(trouble, result.cause, now) else None


def _decide(world: World, prompt: Prompt) -> GateResult:
    gate = prompt.gate
    if gate is None:
        return GateResult(GateDecision.LET_IN)

    granted = world.settings.agent.permissions
    missing = missing_tags(asked_tags(gate), granted, world.root, world.home)
    if missing:
        wait = wait_for_tags(missing)
        message = wait.sentence
        waits = world.settings.gates.on_missing_permission == "skip"
        decision = GateDecision.WAITS if waits else GateDecision.BYPASSED

        return GateResult(decision, reason=message, cause=wait.details, message=message)

    ending = _run(world, gate)
    if isinstance(ending, Problem):
        reason = f"{ending.message} {ending.hint}"
        works = "works" if world.sandbox.state().works else "missing"
        cause = ("not_run", works, *gate.allowed_domains)
        return GateResult(GateDecision.ERROR, reason=reason, cause=cause)

    return gate_result(ending, gate, prompt.run_if)


def _run(world: World, gate: Gate) -> SandboxEnding | Problem:
    """Run it in the sandbox; without one only where none works and the settings allow it."""
    reach = gate_reach(
        gate,
        world.settings.agent.permissions,
        world.root,
        world.home,
        world.protected,
        world.hidden,
    )
    if isinstance(reach, Problem):
        return reach

    command = Command(gate.command, world.root / (gate.cwd or ""), gate.timeout, gate.env)
    state = world.sandbox.state()
    if state.works:
        return world.sandbox.run(command, reach, world.cancelled)
    if world.settings.gates.unsandboxed:
        return SandboxEnding(world.processes.run(command, world.cancelled))

    return Problem(
        state.reason, f"{state.fix} Or, to run gates without a sandbox: gates.unsandboxed = true"
    )


def gate_result(done: SandboxEnding, gate: Gate, run_if: RunIf) -> GateResult:
    """What the ending of the gate's command means for its prompt."""
    ending = done.ending
    if done.refused_hosts:
        hosts = one_line(", ".join(done.refused_hosts))
        return GateResult(
            GateDecision.ERROR,
            reason=f"it asked for a host that is not among its domains: {hosts}",
            cause=("host", *done.refused_hosts),
        )

    match ending.how:
        case How.TIMED_OUT:
            return GateResult(
                GateDecision.ERROR,
                reason=f"it took longer than {gate.timeout.total_seconds():g} s",
                cause=(ending.how, str(gate.timeout)),
            )
        case How.COULD_NOT_START:
            return GateResult(
                GateDecision.ERROR,
                reason=one_line(ending.output) or "it could not be started",
                cause=(ending.how, ending.last_line),
            )
        case How.CANCELLED:
            return GateResult(
                GateDecision.INTERRUPTED, reason="the beat was stopped before the gate finished"
            )
        case How.EXITED:
            return _by_exit_code(ending, run_if)
        case _:
            assert_never(ending.how)


def _by_exit_code(ending: Ending, run_if: RunIf) -> GateResult:
    if _lets_in(run_if, ending.exit_code == 0):
        return GateResult(GateDecision.LET_IN, output=ending.output.strip())

    last = one_line(ending.last_line)
    reason = f"its gate ended with exit code {ending.exit_code}" + (f": {last}" if last else "")
    cause = ("gate", str(ending.exit_code), last)
    return GateResult(GateDecision.KEPT_OUT, reason=reason, cause=cause)


def _lets_in(run_if: RunIf, succeeded: bool) -> bool:
    match run_if:
        case RunIf.SUCCESS:
            return succeeded
        case RunIf.FAILURE:
            return not succeeded
        case RunIf.ALWAYS:
            return True
        case _:
            assert_never(run_if)


# -- all due prompts -------------------------------------------------------------------------------


def ask_gates(world: World, workspace: Workspace, plan: Plan, beat: int) -> Asked:
    """Ask the gate of every prompt that is due, and record those that are not let in."""
    prompts = {prompt.id: prompt for prompt in workspace.prompts}
    approved = StartCheck(world, workspace)
    asked = Asked()

    for item in plan.runs:
        if item.kind is not ItemKind.PROMPT or world.cancelled.is_set():
            continue

        # Another gate may have changed a script of this one.
        wait = approved.reason_to_wait(item.key)
        if wait:
            asked.done.append(_wait(world, item, Outcome.NEEDS_APPROVAL, wait, plan, beat))
            continue

        result = pass_gate(world, prompts[item.id], plan.now)
        if result.notice:
            asked.notices.append(result.notice)

        if result.lets_in and plan.model_hold is None:
            asked.let_in[item.id] = result
            continue

        recorded = _record(world, item, result, plan, beat)
        if recorded:
            asked.done.append(recorded)

    return asked


def _wait(
    world: World, item: Planned, outcome: Outcome, wait: Wait, plan: Plan, beat: int
) -> Occurrence:
    assert item.slot
    return world.ledger.occurrences.wait(
        occurrence_of(item, item.slot, beat), outcome, wait, plan.now
    )


def _record(
    world: World, item: Planned, result: GateResult, plan: Plan, beat: int
) -> Occurrence | None:
    """Record a prompt that does not join the batch."""
    assert item.slot
    ledger = world.ledger
    occurrence = occurrence_of(item, item.slot, beat)
    match result.decision:
        case GateDecision.LET_IN | GateDecision.BYPASSED:
            assert plan.model_hold
            return _wait(world, item, plan.model_hold.outcome, plan.model_hold.wait, plan, beat)
        case GateDecision.WAITS:
            wait = Wait(WaitReason.PERMISSION, result.cause)
            return _wait(world, item, Outcome.WAITING, wait, plan, beat)
        case GateDecision.KEPT_OUT:
            return ledger.occurrences.skip(occurrence, result.reason, result.cause, plan.now)
        case GateDecision.INTERRUPTED:
            return None
        case GateDecision.ERROR:
            return _fail(ledger, occurrence, result, plan.now)
        case _:
            assert_never(result.decision)


def _fail(
    ledger: Ledger, occurrence: Occurrence, result: GateResult, now: datetime
) -> Occurrence | None:
    claimed = ledger.occurrences.claim(occurrence, now)
    if claimed is None:
        return None

    started = ledger.occurrences.start(claimed, now)
    return ledger.occurrences.finish(
        started, Outcome.FAILED, now, error=result.reason, cause=result.cause
    )
