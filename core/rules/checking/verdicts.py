"""The verdict on a task: one pure function of what was said, what was done and what was measured.
It is the table of "Verdicts" in docs/spec.md."""

from collections.abc import Sequence
from typing import assert_never

from core.model.check import Finding, Measurement, Value
from core.model.document import Task
from core.model.evidence import Act, Claim, Evidence, Judgement, Ruling, Said
from core.model.light_dataclass import light_dataclass
from core.model.occurrence import Verdict
from core.model.progress import TaskProgress, TaskStatus
from core.rules.checking.values import contradicts, shown_value
from core.rules.scoring.days import points_of, possible_points

SHORTEST_QUOTE = 4  # characters


def rule(
    task: Task,
    before: TaskProgress,
    claim: Claim,
    acts: Sequence[Act],
    measured: Measurement,
    judgement: Judgement | None = None,
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
        case Said.SKIPPED | Said.NOTHING if not task.required:
            return Ruling(None, "it is optional", TaskStatus.SKIPPED, before.attempts)
        case Said.SKIPPED | Said.NOTHING:
            was_skipped = claim.said is Said.SKIPPED
            words = (
                "it is required, and was skipped" if was_skipped else "nothing was said about it"
            )
            return _not_verified(task, failed_once_more, words)
        case Said.DONE:
            return _on_done(task, failed_once_more, claim, acts, measured, judgement)
        case _:
            assert_never(claim.said)


def _on_done(
    task: Task,
    attempts: int,
    claim: Claim,
    acts: Sequence[Act],
    measured: Measurement,
    judgement: Judgement | None,
) -> Ruling:
    did_something = any(act.could_do_it for act in acts)
    match measured.finding:
        case Finding.PASSES:
            return _verified(task, did_something, "measured")
        case Finding.FAILS:
            false_claim = None if task.run else _contradiction(claim, measured, did_something)
            if false_claim is None:
                return _not_verified(task, attempts, "the check fails")

            return _not_verified(task, attempts, false_claim.words, contradiction=True)
        case Finding.UNMEASURED:
            return _judged(task, attempts, did_something, judgement)
        case _:
            assert_never(measured.finding)


@light_dataclass(frozen=True, slots=True)
class Contradiction:
    """A claim that a measurement proves false."""

    words: str


def _contradiction(
    claim: Claim, measured: Measurement, did_something: bool
) -> Contradiction | None:
    """What was claimed and is proved false; None if nothing was. Only called where the check
    fails."""
    for name, measured_value in measured.values.items():
        claimed: Value = claim.facts.get(name)
        if name in claim.facts and contradicts(claimed, measured_value):
            found = shown_value(measured_value)
            said = shown_value(claimed)
            return Contradiction(f"it said {name} is {said}, but {found} was measured")

    if did_something:
        return None

    return Contradiction("it said the task was done, but did nothing that could have done it")


def _judged(task: Task, attempts: int, did_something: bool, judgement: Judgement | None) -> Ruling:
    if judgement is None or judgement.verdict is Verdict.UNCLEAR:
        why = judgement.reason if judgement else "it cannot be measured, and there is no judge"
        status = TaskStatus.FAILED if attempts >= task.max_attempts else TaskStatus.PENDING
        points = points_of(Verdict.UNCLEAR, required=task.required)

        return Ruling(
            Verdict.UNCLEAR,
            why,
            status,
            attempts,
            points=points,
            possible=possible_points(task.required),
        )

    if judgement.verdict is Verdict.VERIFIED:
        return _verified(task, did_something, f"judged: {judgement.reason}")

    is_contradiction = judgement.contradiction and not task.run
    words = f"judged: {judgement.reason}"
    return _not_verified(task, attempts, words, contradiction=is_contradiction)


def _verified(task: Task, did_something: bool, why: str) -> Ruling:
    if not did_something:
        return Ruling(Verdict.VERIFIED, "it was already true", TaskStatus.VERIFIED, 0)

    points = points_of(Verdict.VERIFIED, required=task.required)
    return Ruling(Verdict.VERIFIED, why, TaskStatus.VERIFIED, 0, points=points, possible=points)


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


def trusted(judgement: Judgement, evidence: Evidence) -> Judgement:
    """The judgement, unless what it quotes is nowhere in the evidence: then it is unclear.

    For `verified` the quote must be of something that was done or found. What the agent says of
    itself, in its claim or in the call that reports it, proves nothing.
    """
    if judgement.verdict is Verdict.UNCLEAR:
        return judgement

    places = [file.path for file in evidence.files]
    for act in evidence.acts:
        places += [act.output]
        places += [act.what] if act.could_do_it else []

    if judgement.verdict is not Verdict.VERIFIED:
        places += [evidence.claim.result, evidence.measurement.words]
        places += [act.what for act in evidence.acts]

    if any(_quotes(judgement.quote, text) for text in places):
        return judgement

    return Judgement(
        Verdict.UNCLEAR,
        quote=judgement.quote,
        reason="the judge quoted something that is not in the evidence",
    )


def _quotes(quote: str, text: str) -> bool:
    """Whether the quote is in the text, which may break lines differently. A quote of a letter or
    two must be the whole text: it would be in every text."""
    words = " ".join(quote.split())
    whole = " ".join(text.split())
    if len(words) < SHORTEST_QUOTE:
        return bool(words) and words == whole

    return words in whole
