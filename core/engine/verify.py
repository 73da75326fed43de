"""Checks what was claimed for tasks and records what follows: the same way for a command and for a
model.

Law: a claim is checked, never believed. The checks were read before anything was done for the
tasks, so whatever does a task cannot change the check of its own work. A judge decides what
cannot be measured: one call for all of it, and each of its quotes is looked up in the evidence.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from core.engine.approve import StartCheck
from core.engine.history import report_of
from core.engine.local_time import local_now
from core.engine.measure import Measurer
from core.kinds import read_check
from core.model.agent import JudgeResult, Limits, Question, Usage
from core.model.check import Check, Finding, Measurement, Value
from core.model.diagnostic import Problem
from core.model.document import Task
from core.model.evidence import (
    Act,
    Claim,
    Evidence,
    FileChange,
    Judgement,
    Ruling,
    Said,
    Surroundings,
)
from core.model.item import identifier_of_key
from core.model.light_dataclass import light_dataclass, replace
from core.model.occurrence import Occurrence, Verdict
from core.model.progress import TaskProgress
from core.model.report import TellProgress
from core.model.waiting import Wait
from core.model.workspace import Workspace
from core.ports.world import World
from core.rules.budgeting import left_for_judge
from core.rules.checking.progress import after_cycle, at_start, line_marks
from core.rules.checking.quotes import trusted
from core.rules.checking.touching import written_by
from core.rules.checking.verdicts import check_was_changed, not_ruled, rule
from core.rules.printable import one_line
from core.rules.reporting.evidence import evidence_text
from core.rules.scoring.intervals import has_earned

MOST_CHANGES = 50
MOST_OF_A_RULING = 300  # characters that every view can show; the evidence has all of it
NO_BUDGET = Problem("the budget of this beat was used up before the judge was asked", "")


@light_dataclass(frozen=True, slots=True)
class Claimed:
    """A task that has ended and is not checked yet."""

    task: Task
    occurrence: Occurrence
    claim: Claim
    acts: tuple[Act, ...] = ()
    files: tuple[FileChange, ...] = ()
    exit_code: int | None = None  # of the task's own command
    # Of a model's task: the files and folders that were there before it began, all files that
    # differ since then, and all that were compared.
    known: frozenset[str] = frozenset()
    changed: tuple[str, ...] = ()
    compared: frozenset[str] = frozenset()


@light_dataclass(frozen=True, slots=True)
class Measured:
    claimed: Claimed
    measurement: Measurement
    may_be_judged: bool = False  # it is said to be done, and nothing can measure that
    judgement: Judgement | None = None

    @property
    def task(self) -> Task:
        return self.claimed.task

    @property
    def evidence(self) -> Evidence:
        """The evidence without the ruling that follows from it."""
        one = self.claimed
        return Evidence(one.claim, self.measurement, one.acts, one.files, self.judgement)


class Verifier:
    def __init__(
        self,
        world: World,
        workspace: Workspace,  # as it was before anything was done
        beat: int,
        since: datetime,  # when the beat began
        progress: TellProgress,
    ) -> None:
        self.world = world
        self.workspace = workspace
        self.beat = beat
        self.since = since
        self.progress = progress

        self.probes = [probe.name for probe in workspace.document.probes]
        self.checks: dict[str, Check | Problem] = {}  # by task
        self.values_before: dict[str, Mapping[str, Value] | None] = {}  # by task of a model
        self.measurer = Measurer(world, workspace.document)
        self.approved = StartCheck(world, workspace)

    def prepare(self, *tasks: Task) -> None:
        """To be called before anything is done for the tasks."""
        for task in tasks:
            self.checks[task.id] = read_check(task, self.probes)
            self.measurer.prepare(task.id, self.checks[task.id])

        self.measurer.contents.keep_news()

    def measure_before(self, task: Task, item: str) -> None:
        """Measure what the task's report may name, before a model begins. What still waits for
        an approval is not run."""
        if self.approved.reason_to_wait(item) is None:
            self.values_before[task.id] = self.measurer.values_before(self.checks[task.id])

    def is_last_attempt(self, task: Task) -> bool:
        """Whether one more failure uses up its attempts."""
        known = {one.task_id: one for one in self.world.ledger.tasks.progress().tasks}
        mark = line_marks(self.workspace.document)[task.id]
        return at_start(task, mark, known.get(task.id)).attempts + 1 >= task.max_attempts

    def measure(self, one: Claimed) -> Measured:
        """Measure what was claimed, and whether a task that was skipped was needed. Any other task
        is not measured, and one that was cut off cannot be."""
        said = one.claim.said
        if said not in (Said.DONE, Said.SKIPPED) or (
            said is Said.SKIPPED and self.measurer.needs_judge(self.checks[one.task.id])
        ):
            return Measured(
                one, Measurement(Finding.UNMEASURED, "not measured, as it was not done")
            )
        # A script of its check may have been changed meanwhile.
        if wait := self.approved.reason_to_wait(one.occurrence.item):
            return Measured(one, self._of_changed_check(one, wait))

        measurement = self.measurer.measure(
            one.task.id, one.task.verify, self.checks[one.task.id], one.exit_code
        )
        if self.world.cancelled.is_set():
            cut_off = replace(one, claim=replace(one.claim, said=Said.CUT_OFF))
            return Measured(cut_off, Measurement(Finding.UNMEASURED, "ended before it was checked"))

        may_be_judged = measurement.finding is Finding.UNMEASURED and said is Said.DONE
        return Measured(one, measurement, may_be_judged)

    def _of_changed_check(self, one: Claimed, wait: Wait) -> Measurement:
        """Of a check that may no longer run. Whoever changed a script of it did not get around
        it."""
        written = written_by(one.acts, one.changed)
        own = sorted(self.approved.changed_scripts(one.occurrence.item) & written)
        if own and not one.task.run:
            return check_was_changed(own[0], one.acts)

        return Measurement(Finding.UNMEASURED, wait.sentence)

    def record(self, measured: Sequence[Measured]) -> list[Occurrence]:
        """Record verdict, points, evidence and progress, in one commit. What is recorded is
        decided before it: nobody else can use the ledger as long as a commit is open."""
        if not measured:
            return []

        ledger = self.world.ledger
        marks = line_marks(self.workspace.document)
        before = ledger.tasks.progress()
        known = {one.task_id: one for one in before.tasks}
        after: dict[str, TaskProgress] = {}
        now = self.now()

        rulings: list[Ruling] = []
        for one in measured:
            start = at_start(one.task, marks[one.task.id], known.get(one.task.id))
            rulings.append(self._ruling(one, start))
            after[one.task.id] = _after(start, one.claimed.claim, rulings[-1], now)

        with ledger.together():
            done = [
                self._record(one, ruling) for one, ruling in zip(measured, rulings, strict=True)
            ]
            tasks = self.workspace.document.tasks
            goes_on = before.last_cycle_at is not None and self.since <= before.last_cycle_at <= now
            ledger.tasks.save(after_cycle(tasks, marks, before, after, now, goes_on=goes_on))
            self.measurer.contents.keep()

        for occurrence in done:
            evidence = ledger.evidence.of(occurrence.item, self.beat)
            self.progress(identifier_of_key(occurrence.item), report_of(occurrence, evidence))

        return done

    def _ruling(self, one: Measured, start: TaskProgress) -> Ruling:
        """What follows for the task. A fault of ours costs this task its verdict, and no other."""
        claimed = one.claimed
        try:
            return rule(
                one.task,
                start,
                claimed.claim,
                claimed.acts,
                one.measurement,
                one.judgement,
                self._around(claimed),
            )
        except Exception as error:
            return not_ruled(one.task, start, error)

    def _around(self, one: Claimed) -> Surroundings:
        task = one.task
        earned = self.world.ledger.scores.last_earned(one.occurrence.item)
        zone = self.now().tzinfo
        assert zone
        words = f"{task.description}\n{task.details}"  # a path in its details belongs to it too

        return Surroundings(
            named=self.measurer.names(self.checks[task.id], words, one.known),
            known=one.known,
            values_before=self.values_before.get(task.id, {}),
            changed=one.changed,
            compared=one.compared,
            has_earned=has_earned(
                task.schedule, earned, one.occurrence.slot, self.world.settings.interval, zone
            ),
        )

    def _record(self, one: Measured, ruling: Ruling) -> Occurrence:
        evidence = replace(
            one.evidence,
            verdict=ruling.verdict,
            contradiction=ruling.contradiction,
            points=ruling.points,
            reason=ruling.reason,
        )

        occurrence = one.claimed.occurrence
        self.world.ledger.evidence.keep(occurrence, evidence)
        words = one_line(_told(one, ruling), MOST_OF_A_RULING)
        if ruling.check_fails:
            return self.world.ledger.occurrences.verify(occurrence, None, ruling=words)
        if ruling.verdict is None:
            return occurrence

        return self.world.ledger.occurrences.verify(
            occurrence,
            ruling.verdict,
            contradiction=ruling.contradiction,
            points=ruling.points,
            possible=ruling.possible,
            self_reported=ruling.self_reported,
            ruling=words,
        )

    def now(self) -> datetime:
        return local_now(self.world, self.workspace)


def _told(measured: Measured, ruling: Ruling) -> str:
    """Why it is ruled so. A measurement that earned points says it all."""
    return "" if ruling.points > 0 and measured.judgement is None else ruling.reason


def _after(start: TaskProgress, claim: Claim, ruling: Ruling, now: datetime) -> TaskProgress:
    return replace(
        start,
        status=ruling.status,
        attempts=ruling.attempts,
        last_attempt_at=start.last_attempt_at if claim.said is Said.CUT_OFF else now,
        last_result=claim.result or None,
    )


def file_changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FileChange, ...]:
    """The first changes, for people and judges."""
    names = changed_files(before, after)[:MOST_CHANGES]
    return tuple(FileChange(name, before.get(name), after.get(name)) for name in names)


def changed_files(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(sorted(name for name in {*before, *after} if before.get(name) != after.get(name)))


# -- the judge -------------------------------------------------------------------------------------


def with_judgements(
    world: World, measured: Sequence[Measured], limits: Limits, used: Usage
) -> tuple[list[Measured], Usage]:
    """The same with a judgement where one is needed, and what that used."""
    questions = [_question(one) for one in measured if one.may_be_judged]
    left = left_for_judge(limits, used)
    answer = JudgeResult(problem=NO_BUDGET)
    if questions and left and not world.cancelled.is_set():
        answer = world.agent.judge(questions, left, world.cancelled)

    is_cancelled = world.cancelled.is_set()
    judged: list[Measured] = []
    for one in measured:
        if not one.may_be_judged:
            judged.append(one)
        elif is_cancelled:
            judged.append(_cut_off(one))
        else:
            judged.append(_with_judgement(one, answer))

    return judged, answer.usage


def _question(one: Measured) -> Question:
    task = one.claimed.task
    evidence = evidence_text(one.evidence)
    return Question(task.id, task.description, task.verify, evidence, task.details)


def _with_judgement(one: Measured, answer: JudgeResult) -> Measured:
    said = answer.judgements.get(one.claimed.task.id)
    if said is None:
        problem = answer.problem
        reason = problem.full_text if problem else "the judge said nothing about it"
        return replace(one, judgement=Judgement(Verdict.UNCLEAR, reason=one_line(reason)))

    judgement = replace(said, reason=one_line(said.reason))
    return replace(one, judgement=trusted(judgement, one.evidence, one.claimed.changed))


def _cut_off(one: Measured) -> Measured:
    claim = replace(one.claimed.claim, said=Said.CUT_OFF)
    return replace(one, claimed=replace(one.claimed, claim=claim), may_be_judged=False)
