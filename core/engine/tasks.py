"""`run:` tasks: done by their command, then measured, ruled on and scored. A claim is checked, never believed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from core.engine.action_types import after_command
from core.engine.approving import StartCheck
from core.engine.measuring import Measurer
from core.engine.planning import occurrence_of
from core.engine.reports import report_of
from core.engine.variables import Variables
from core.engine.world import World
from core.model.check import Check, Finding, Measurement
from core.model.diagnostic import Problem
from core.model.document import Task
from core.model.errors import HeartbeatError
from core.model.evidence import Act, Claim, Evidence, FileChange, Ruling, Said
from core.model.item import Kind, identifier_of_key
from core.model.occurrence import Occurrence, Outcome
from core.model.plan import Plan, Planned
from core.model.process import Command, Ending, How
from core.model.progress import TaskProgress
from core.model.report import ItemReport
from core.model.workspace import Workspace
from core.rules.checking.hints import read_check
from core.rules.checking.progress import after_cycle, at_start, line_marks
from core.rules.checking.verdicts import rule
from core.rules.redacting import without_tokens
from core.rules.variables import as_shell

TIME_LIMIT = timedelta(minutes=5)
MOST_OUTPUT = 4000  # characters of a command's output in the evidence, its end
MOST_CHANGES = 50

Progress = Callable[[str, ItemReport | None], None]


def run_tasks(
    world: World,
    workspace: Workspace,
    plan: Plan,
    beat: int,
    progress: Progress,
    variables: Variables,
    stopped_by: str = "",
) -> list[Occurrence]:
    """What became of every `run:` task that was to run: all are done first, then all are checked."""
    tasks = {task.id: task for task in workspace.document.tasks if task.run}
    due = [item for item in plan.runs if item.kind is Kind.TASK and item.id in tasks]
    if not due:
        return []
    run = _Tasks(world, workspace, plan, beat, progress, variables)
    for item in due:
        if stopped_by:
            run.hold(item, f"the beat stopped, because {stopped_by} failed")
        elif not world.cancelled.is_set():
            run.do(item, tasks[item.id])
    run.verify()
    return run.done


@dataclass(frozen=True, slots=True)
class _Ran:
    """A task whose command has ended and that nobody has checked yet."""

    task: Task
    occurrence: Occurrence
    check: Check | Problem
    claim: Claim
    act: Act
    exit_code: int | None
    files: tuple[FileChange, ...]


@dataclass
class _Tasks:
    world: World
    workspace: Workspace
    plan: Plan
    beat: int
    progress: Progress
    variables: Variables
    ran: list[_Ran] = field(default_factory=list)
    done: list[Occurrence] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.probes = [probe.name for probe in self.workspace.document.probes]
        self.measurer = Measurer(self.world, self.workspace.document)
        self.files = self.world.file_look.fingerprints()
        self.approved = StartCheck(self.world, self.workspace)

    def hold(self, item: Planned, reason: str, outcome: Outcome = Outcome.WAITING) -> None:
        assert item.slot
        occurrence = occurrence_of(item, item.slot, self.beat)
        self.done.append(self.world.ledger.wait(occurrence, outcome, reason, self.plan.now))

    def do(self, item: Planned, task: Task) -> None:
        """Run the command, committed before its effect and after it."""
        assert item.slot
        assert task.run
        if why := self.approved.reason_to_wait(item.key):
            self.hold(item, why, Outcome.NEEDS_APPROVAL)
            return
        claimed = self.world.ledger.claim(occurrence_of(item, item.slot, self.beat), self.plan.now)
        if claimed is None:
            return
        started = self.world.ledger.start(claimed, self._now())
        self.progress(task.id, None)
        check = read_check(task, self.probes)
        self.measurer.look_before(task.id, check)
        ending = self._run(task.run)
        done = after_command(ending, TIME_LIMIT)
        result, error = self.variables.as_record(done.result), self.variables.as_record(done.error)
        finished = self.world.ledger.finish(started, done.outcome, self._now(), result=result, error=error)
        act = Act(without_tokens(task.run), _shown(self.variables.without_secrets(ending.output)))
        claim = Claim(_SAID.get(done.outcome, Said.FAILED), result or error)
        self.ran.append(_Ran(task, finished, check, claim, act, ending.exit_code, self._changes()))

    def _run(self, line: str) -> Ending:
        try:
            line, variables = as_shell(line, self.variables.look_up)
        except HeartbeatError as error:  # a secret that the keyring does not give
            return Ending(How.COULD_NOT_START, None, error.message, False, timedelta())
        command = Command(line, self.world.root, TIME_LIMIT, variables)
        return self.world.processes.run(command, self.world.cancelled)

    def verify(self) -> None:
        """Measure what was claimed, and record verdict, points, evidence and progress in one commit."""
        if not self.ran:
            return
        before, marks = self.world.ledger.progress(), line_marks(self.workspace.document)
        known = {one.task_id: one for one in before.tasks}
        measured = [self._measured(one) for one in self.ran]
        after: dict[str, TaskProgress] = {}
        now = self._now()
        with self.world.ledger.together():
            for one, (claim, measurement) in zip(self.ran, measured, strict=True):
                start = at_start(one.task, marks[one.task.id], known.get(one.task.id))
                ruling = rule(one.task, start, claim, (one.act,), measurement)
                self.done.append(self._record(one, claim, measurement, ruling))
                after[one.task.id] = replace(
                    start,
                    status=ruling.status,
                    attempts=ruling.attempts,
                    last_attempt_at=start.last_attempt_at if claim.said is Said.CUT_OFF else now,
                    last_result=claim.result or None,
                )
            tasks = self.workspace.document.tasks
            self.world.ledger.save_progress(after_cycle(tasks, marks, before, after, now))
        for occurrence in self.done:
            if occurrence.finished:
                evidence = self.world.ledger.evidence(occurrence.item, self.beat)
                self.progress(identifier_of_key(occurrence.item), report_of(occurrence, evidence))

    def _measured(self, one: _Ran) -> tuple[Claim, Measurement]:
        """What is so. What did not claim to be done needs no measuring, and what is cut off cannot be measured."""
        if one.claim.said is not Said.DONE:
            return one.claim, Measurement(Finding.UNMEASURED, "not measured, as it was not done")
        if why := self.approved.reason_to_wait(one.occurrence.item):  # nobody changes the check of his own work
            return one.claim, Measurement(Finding.UNMEASURED, why)
        measurement = self.measurer.measure(one.task.id, one.task.verify, one.check, one.exit_code)
        if self.world.cancelled.is_set():
            return replace(one.claim, said=Said.CUT_OFF), Measurement(Finding.UNMEASURED, "ended before it was checked")
        return one.claim, self._without_secrets(measurement)

    def _without_secrets(self, measured: Measurement) -> Measurement:
        hide = self.variables.without_secrets
        values = {name: hide(value) if isinstance(value, str) else value for name, value in measured.values.items()}
        return replace(measured, words=hide(measured.words), values=values)

    def _record(self, one: _Ran, claim: Claim, measurement: Measurement, ruling: Ruling) -> Occurrence:
        evidence = Evidence(
            claim=claim,
            measurement=measurement,
            acts=(one.act,),
            files=one.files,
            verdict=ruling.verdict,
            contradiction=ruling.contradiction,
            points=ruling.points,
            reason=ruling.reason,
        )
        self.world.ledger.keep_evidence(one.occurrence, evidence)
        if ruling.verdict is None:
            return one.occurrence
        return self.world.ledger.verify(
            one.occurrence,
            ruling.verdict,
            contradiction=ruling.contradiction,
            points=ruling.points,
            possible=ruling.possible,
        )

    def _changes(self) -> tuple[FileChange, ...]:
        """What has changed in the workspace since the last look."""
        before, self.files = self.files, self.world.file_look.fingerprints()
        return file_changes(before, self.files)

    def _now(self) -> datetime:
        return self.world.local(self.world.clock.now(), self.workspace)


_SAID = {Outcome.COMPLETED: Said.DONE, Outcome.FAILED: Said.FAILED, Outcome.INTERRUPTED: Said.CUT_OFF}


def file_changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FileChange, ...]:
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    return tuple(FileChange(name, before.get(name), after.get(name)) for name in names[:MOST_CHANGES])


def _shown(output: str) -> str:
    text = without_tokens(output.strip())
    return text if len(text) <= MOST_OUTPUT else "…" + text[-MOST_OUTPUT:]
