"""Asks a due prompt's gate whether the prompt may join the batch. SPEC 3.4, in the order in which it is decided."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import assert_never

from core.model.diagnostic import Problem
from core.model.document import Gate, Prompt
from core.model.gate import GateDecision, GateResult
from core.model.process import Command, Ending, How
from core.model.report import Notice
from core.model.sandbox import SandboxEnding
from core.model.settings import Settings
from core.ports import Cancellation, Ledger, Processes, Sandbox
from core.rules.permitting.tags import asked_tags, gate_reach, missing_message, missing_tags
from core.rules.writing.harmless import one_line


@dataclass(frozen=True, slots=True)
class GateGround:
    """What gates stand on."""

    workspace: Path
    home: Path  # where a `~` in a tag leads
    settings: Settings
    sandbox: Sandbox
    processes: Processes  # for a gate without walls, where the person allows that
    ledger: Ledger  # remembers what was told
    protected: tuple[Path, ...] = ()  # beside the control names: the file that is the workspace's HEARTBEAT.md
    hidden: tuple[Path, ...] = ()  # the folders of the state and the settings


def pass_gate(ground: GateGround, prompt: Prompt, now: datetime, cancelled: Cancellation | None = None) -> GateResult:
    """Run the gate of a due prompt and decide."""
    result = _decide(ground, prompt, cancelled)
    return replace(result, notice=_notice(ground.ledger, prompt, result, now))


def _notice(ledger: Ledger, prompt: Prompt, result: GateResult, now: datetime) -> Notice | None:
    """Trouble is told when it is new or has changed, and once when it is over."""
    trouble, title = f"gate:{prompt.id}", f"Prompt {prompt.id}"
    match result.decision:
        case GateDecision.ERROR:
            notice = Notice("failure", title, f"The gate gave no answer: {result.reason}")
        case GateDecision.BYPASSED | GateDecision.WAITS:
            notice = Notice("permission", title, result.message)
        case GateDecision.LET_IN | GateDecision.KEPT_OUT:
            return Notice("failure", title, "The gate answers again.") if ledger.is_over(trouble) else None
        case GateDecision.INTERRUPTED:
            return None
        case _:
            assert_never(result.decision)
    return notice if ledger.tell(trouble, notice.message, now) else None


def _decide(ground: GateGround, prompt: Prompt, cancelled: Cancellation | None) -> GateResult:
    gate = prompt.gate
    if gate is None:
        return GateResult(GateDecision.LET_IN)
    granted = ground.settings.agent.permissions
    missing = missing_tags(asked_tags(gate), granted, ground.workspace, ground.home)
    if missing:
        message = missing_message(missing)
        waits = ground.settings.gates.on_missing_permission == "skip"
        decision = GateDecision.WAITS if waits else GateDecision.BYPASSED
        return GateResult(decision, reason=message, message=message)
    ending = _run(ground, gate, cancelled)
    if isinstance(ending, Problem):
        return GateResult(GateDecision.ERROR, reason=f"{ending.message} {ending.hint}")
    return judged(ending, gate, prompt.run_if)


def _run(ground: GateGround, gate: Gate, cancelled: Cancellation | None) -> SandboxEnding | Problem:
    """In the sandbox; bare only where none works and the person has said that this is fine."""
    reach = gate_reach(
        gate, ground.settings.agent.permissions, ground.workspace, ground.home, ground.protected, ground.hidden
    )
    if isinstance(reach, Problem):
        return reach
    command = Command(gate.command, ground.workspace / (gate.cwd or ""), gate.timeout, gate.env)
    state = ground.sandbox.state()
    if state.works:
        return ground.sandbox.run(command, reach, cancelled)
    if ground.settings.gates.unsandboxed:
        return SandboxEnding(ground.processes.run(command, cancelled))
    return Problem(state.reason, f"{state.mend} Or, to run gates without a sandbox: gates.unsandboxed = true")


def judged(done: SandboxEnding, gate: Gate, run_if: str) -> GateResult:
    """What the ending of the gate's command means for its prompt."""
    ending = done.ending
    if done.refused_hosts:
        hosts = one_line(", ".join(done.refused_hosts))
        return GateResult(GateDecision.ERROR, reason=f"it asked for a host that is not among its domains: {hosts}")
    match ending.how:
        case How.TIMED_OUT:
            return GateResult(GateDecision.ERROR, reason=f"it took longer than {gate.timeout.total_seconds():g} s")
        case How.COULD_NOT_START:
            return GateResult(GateDecision.ERROR, reason=one_line(ending.output) or "it could not be started")
        case How.CANCELLED:
            return GateResult(GateDecision.INTERRUPTED, reason="the beat was ended before the gate was done")
        case How.EXITED:
            return _by_exit_code(ending, run_if)
        case _:
            assert_never(ending.how)


def _by_exit_code(ending: Ending, run_if: str) -> GateResult:
    succeeded = ending.exit_code == 0
    if run_if == "always" or succeeded == (run_if == "success"):
        return GateResult(GateDecision.LET_IN, output=ending.output.strip())
    last = one_line(ending.last_line)
    reason = f"its gate ended with exit code {ending.exit_code}" + (f": {last}" if last else "")
    return GateResult(GateDecision.KEPT_OUT, reason=reason)
