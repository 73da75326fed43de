"""The verdict on a task: one pure function of what was said, what was done and what was measured.
It is the table of "Verdicts" in docs/spec.md.

Law: a claim alone never earns anything, and only a measurement can prove a statement false. In
doubt nobody is called a liar.
"""

from collections.abc import Sequence
from typing import assert_never

from core.model.check import Finding, Measurement
from core.model.document import Task
from core.model.evidence import Act, Claim, Judgement, Ruling, Said, Surroundings
from core.model.light_dataclass import light_dataclass
from core.model.occurrence import Verdict
from core.model.progress import TaskProgress, TaskStatus
from core.rules.checking.facts import ComparedFacts, compare_facts
from core.rules.checking.sources import may_be_own_words
from core.rules.checking.touching import does_any_belong, written_by
from core.rules.printable import one_line
from core.rules.scoring.days import points_of, possible_points

SO_ALREADY = "it was so already: nothing that was done belongs to it"
NOT_REPORTED = "it did not report this task"
HAS_EARNED = "it has earned its points for this interval already"


def rule(
    task: Task,
    before: TaskProgress,
    claim: Claim,
    acts: Sequence[Act],
    measured: Measurement,
    judgement: Judgement | None = None,
    around: Surroundings = Surroundings(),  # noqa: B008 - a frozen value
) -> Ruling:
    """What follows for the task. A claim alone never earns anything: only what was measured or
    judged does."""
    failed_once_more = min(before.attempts + 1, task.max_attempts)
    match claim.said:
        case Said.CUT_OFF:
            return Ruling(
                None, "it was cut off, so it counts as not tried", before.status, before.attempts
            )
        case Said.FAILED:
            return Ruling(None, "it said so itself", TaskStatus.FAILED, failed_once_more)
        case Said.SKIPPED:
            return _skipped(before, measured)
        case Said.NOTHING if not task.required:
            words = f"{NOT_REPORTED}, and it is optional"
            return Ruling(None, words, TaskStatus.SKIPPED, before.attempts)
        case Said.NOTHING:
            return _not_verified(task, failed_once_more, NOT_REPORTED)
        case Said.DONE:
            facts = ComparedFacts()
            if not task.run:  # a command is no liar
                facts = compare_facts(claim, acts, measured, around)

            case = _Case(task, before, claim, acts, measured, around, facts)
            return case.on_done(failed_once_more, judgement)
        case _:
            assert_never(claim.said)


def not_ruled(task: Task, before: TaskProgress, error: Exception) -> Ruling:
    """What follows where ruling on the task failed: whatever it was, the others have theirs."""
    words = one_line(f"Heartbeat failed to judge it, which is a fault of ours: {error!r}", 200)
    return _unclear(task, before, words)


def _unclear(task: Task, before: TaskProgress, why: str) -> Ruling:
    return Ruling(
        Verdict.UNCLEAR,
        why,
        TaskStatus.PENDING,
        before.attempts,  # it is nobody's fault, so it uses up no attempt
        points=points_of(Verdict.UNCLEAR, required=task.required),
        possible=possible_points(task.required),
    )


def _skipped(before: TaskProgress, measured: Measurement) -> Ruling:
    """Skipping is fine. A check that fails all the same is a promise that was not kept."""
    fails = measured.finding is Finding.FAILS
    words = _fair_words(measured) if fails else "it was skipped"
    return Ruling(None, words, TaskStatus.SKIPPED, before.attempts, check_fails=fails)


def check_was_changed(script: str, acts: Sequence[Act]) -> Measurement:
    """What is found where a script of the check is no longer the one that was approved, and the
    model had its hands on it: nobody gets out of a check by breaking it."""
    name = one_line(script, 60)
    words = f"{name}, which this check runs, was changed while the model worked"
    if script in written_by(acts, ()):  # by a call that says so; else by some command
        words = f"the model changed {name}, which this check runs"

    return Measurement(Finding.FAILS, words, reason=words)


@light_dataclass(frozen=True, slots=True)
class _Case:
    """A task that is said to be done."""

    task: Task
    before: TaskProgress
    claim: Claim
    acts: Sequence[Act]
    measured: Measurement
    around: Surroundings
    facts: ComparedFacts

    def on_done(self, attempts: int, judgement: Judgement | None) -> Ruling:
        if self.facts.false:
            return _not_verified(self.task, attempts, self.facts.false, contradiction=True)

        match self.measured.finding:
            case Finding.PASSES:
                return self._verified("measured")
            case Finding.FAILS:
                return self._check_fails(attempts)
            case Finding.UNMEASURED:
                return self._judged(attempts, judgement)
            case _:
                assert_never(self.measured.finding)

    def _check_fails(self, attempts: int) -> Ruling:
        words = _fair_words(self.measured)
        if self.task.run or any(act.happened for act in self.acts):
            return _not_verified(self.task, attempts, words)

        words = f"it said the task was done, but did nothing at all, and {words}"
        return _not_verified(self.task, attempts, words, contradiction=True)

    def _judged(self, attempts: int, judgement: Judgement | None) -> Ruling:
        task = self.task
        if judgement is None or judgement.verdict is Verdict.UNCLEAR:
            why = judgement.reason if judgement else self.measured.words  # nobody was asked
            return _unclear(task, self.before, why)

        words = f"the judge says “{judgement.reason}”"
        if judgement.verdict is Verdict.VERIFIED:
            return self._verified(words)

        is_contradiction = judgement.contradiction and not task.run
        return _not_verified(task, attempts, words, contradiction=is_contradiction)

    def _verified(self, why: str) -> Ruling:
        without_points = self._reason_for_no_points()
        points = 0
        if without_points is None:
            points = points_of(Verdict.VERIFIED, required=self.task.required)

        return Ruling(
            Verdict.VERIFIED,
            without_points or why,
            TaskStatus.VERIFIED,
            0,
            points=points,
            possible=points,
            self_reported=self._is_self_reported(),
        )

    def _reason_for_no_points(self) -> str | None:
        around = self.around
        is_work = self.task.run or does_any_belong(self.acts, around.named, around.known)
        if not is_work:
            return SO_ALREADY

        return HAS_EARNED if around.has_earned else self.facts.not_comparable

    def _is_self_reported(self) -> bool:
        """Whether the value may be measured from what the model itself wrote. What a judge decided
        was not measured, and a command of the person is not a model."""
        if self.task.run or self.measured.finding is not Finding.PASSES:
            return False

        return may_be_own_words(self.acts, self.around)


def _fair_words(measured: Measurement) -> str:
    """Why the check fails, without a reproach."""
    if not measured.asked:
        return measured.reason or "the check fails"

    return f"the check asks for {measured.asked}; it found {measured.got}"


def _not_verified(task: Task, attempts: int, why: str, *, contradiction: bool = False) -> Ruling:
    return Ruling(
        Verdict.NOT_VERIFIED,
        why,
        TaskStatus.FAILED,
        attempts,
        contradiction=contradiction,
        points=points_of(Verdict.NOT_VERIFIED, required=task.required, contradiction=contradiction),
        possible=possible_points(task.required),
    )
