"""Checks what was claimed for tasks and records what follows: the same way for a command and for a model.

A claim is checked, never believed. What the checks are was read before anything was done for the tasks: nobody changes
the check of his own work.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.engine.approving import StartCheck
from core.engine.measuring import Measurer
from core.engine.reports import report_of
from core.engine.world import World
from core.model.check import Check, Finding, Measurement
from core.model.diagnostic import Problem
from core.model.document import Task
from core.model.evidence import Act, Claim, Evidence, FileChange, Judgement, Ruling, Said
from core.model.item import identifier_of_key
from core.model.occurrence import Occurrence
from core.model.progress import TaskProgress
from core.model.report import ItemReport
from core.model.workspace import Workspace
from core.rules.checking.hints import read_check
from core.rules.checking.progress import after_cycle, at_start, line_marks
from core.rules.checking.verdicts import rule

MOST_CHANGES = 50

Progress = Callable[[str, ItemReport | None], None]


@dataclass(frozen=True, slots=True)
class Claimed:
    """A task that has ended and that nobody has checked yet."""

    task: Task
    occurrence: Occurrence
    claim: Claim
    acts: tuple[Act, ...] = ()
    files: tuple[FileChange, ...] = ()
    exit_code: int | None = None  # of the task's own command


@dataclass(frozen=True, slots=True)
class Measured:
    claimed: Claimed
    measurement: Measurement
    may_be_judged: bool = False  # it is said to be done, and nothing can measure that
    judgement: Judgement | None = None

    @property
    def evidence(self) -> Evidence:
        """Without what follows from it."""
        one = self.claimed
        return Evidence(one.claim, self.measurement, one.acts, one.files, self.judgement)


@dataclass
class Verifier:
    world: World
    workspace: Workspace  # as it was before anything was done
    beat: int
    since: datetime  # when the beat began
    progress: Progress
    checks: dict[str, Check | Problem] = field(default_factory=dict)  # by task

    def __post_init__(self) -> None:
        self.probes = [probe.name for probe in self.workspace.document.probes]
        self.measurer = Measurer(self.world, self.workspace.document)
        self.approved = StartCheck(self.world, self.workspace)

    def look_before(self, task: Task) -> None:
        """To be called before anything is done for the task."""
        self.checks[task.id] = read_check(task, self.probes)
        self.measurer.look_before(task.id, self.checks[task.id])

    def measure(self, one: Claimed) -> Measured:
        """What is so. What did not claim to be done needs no measuring, and what is cut off cannot be measured."""
        if one.claim.said is not Said.DONE:
            return Measured(one, Measurement(Finding.UNMEASURED, "not measured, as it was not done"))
        if why := self.approved.reason_to_wait(one.occurrence.item):  # a script of its check was changed meanwhile
            return Measured(one, Measurement(Finding.UNMEASURED, why))
        measurement = self.measurer.measure(one.task.id, one.task.verify, self.checks[one.task.id], one.exit_code)
        if self.world.cancelled.is_set():
            cut_off = replace(one, claim=replace(one.claim, said=Said.CUT_OFF))
            return Measured(cut_off, Measurement(Finding.UNMEASURED, "ended before it was checked"))
        return Measured(one, measurement, measurement.finding is Finding.UNMEASURED)

    def record(self, measured: Sequence[Measured]) -> list[Occurrence]:
        """Verdict, points, evidence and progress, in one commit."""
        if not measured:
            return []
        ledger, marks = self.world.ledger, line_marks(self.workspace.document)
        before = ledger.progress()
        known = {one.task_id: one for one in before.tasks}
        after: dict[str, TaskProgress] = {}
        now = self.now()
        with ledger.together():
            done: list[Occurrence] = []
            for one in measured:
                task, claim = one.claimed.task, one.claimed.claim
                start = at_start(task, marks[task.id], known.get(task.id))
                ruling = rule(task, start, claim, one.claimed.acts, one.measurement, one.judgement)
                done.append(self._record(one, ruling))
                after[task.id] = replace(
                    start,
                    status=ruling.status,
                    attempts=ruling.attempts,
                    last_attempt_at=start.last_attempt_at if claim.said is Said.CUT_OFF else now,
                    last_result=claim.result or None,
                )
            tasks = self.workspace.document.tasks
            goes_on = before.last_cycle_at is not None and self.since <= before.last_cycle_at <= now
            ledger.save_progress(after_cycle(tasks, marks, before, after, now, goes_on=goes_on))
        for occurrence in done:
            evidence = ledger.evidence(occurrence.item, self.beat)
            self.progress(identifier_of_key(occurrence.item), report_of(occurrence, evidence))
        return done

    def _record(self, one: Measured, ruling: Ruling) -> Occurrence:
        evidence = replace(
            one.evidence,
            verdict=ruling.verdict,
            contradiction=ruling.contradiction,
            points=ruling.points,
            reason=ruling.reason,
        )
        occurrence = one.claimed.occurrence
        self.world.ledger.keep_evidence(occurrence, evidence)
        if ruling.verdict is None:
            return occurrence
        return self.world.ledger.verify(
            occurrence,
            ruling.verdict,
            contradiction=ruling.contradiction,
            points=ruling.points,
            possible=ruling.possible,
        )

    def now(self) -> datetime:
        return self.world.local(self.world.clock.now(), self.workspace)


def file_changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FileChange, ...]:
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    return tuple(FileChange(name, before.get(name), after.get(name)) for name in names[:MOST_CHANGES])
