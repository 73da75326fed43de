"""The verdict on a task: one pure function over what was said, what was done and what was measured (SPEC 6.3)."""

from collections.abc import Sequence
from typing import assert_never

from core.model.check import Finding, Measurement, Value
from core.model.document import Task
from core.model.evidence import Act, Claim, Evidence, Judgement, Ruling, Said
from core.model.progress import TaskProgress, TaskStatus
from core.model.verdict import Verdict
from core.rules.checking.values import contradicts, shown_value
from core.rules.scoring.points import points_of, possible_points

SHORTEST_QUOTE = 4  # characters


def rule(
    task: Task,
    before: TaskProgress,
    claim: Claim,
    acts: Sequence[Act],
    measured: Measurement,
    judgement: Judgement | None = None,
) -> Ruling:
    """What follows for the task. A claim alone never earns anything: only what was measured or judged does."""
    failed_once_more = min(before.attempts + 1, task.max_attempts)
    match claim.said:
        case Said.CUT_OFF:
            return Ruling(None, "it was cut off, so it counts as not tried", before.status, before.attempts)
        case Said.FAILED:
            return Ruling(None, "it said so itself", TaskStatus.FAILED, failed_once_more)
        case Said.SKIPPED | Said.NOTHING if not task.required:
            return Ruling(None, "it is optional", TaskStatus.SKIPPED, before.attempts)
        case Said.SKIPPED | Said.NOTHING:
            words = "it is required, and was skipped" if claim.said is Said.SKIPPED else "nothing was said about it"
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
            lie = "" if task.run else _lie(claim, measured, did_something)
            return _not_verified(task, attempts, lie or "measured otherwise", contradiction=bool(lie))
        case Finding.UNMEASURED:
            return _judged(task, attempts, did_something, judgement)
        case _:
            assert_never(measured.finding)


def _lie(claim: Claim, measured: Measurement, did_something: bool) -> str:
    """What was claimed and is proved false; empty where nothing was. Only asked where the check fails."""
    for name, measured_value in measured.values.items():
        claimed: Value = claim.facts.get(name)
        if name in claim.facts and contradicts(claimed, measured_value):
            return f"it said {name} is {shown_value(claimed)}, measured {shown_value(measured_value)}"
    return "" if did_something else "it said done, and did nothing that could have done it"


def _judged(task: Task, attempts: int, did_something: bool, judgement: Judgement | None) -> Ruling:
    if judgement is None or judgement.verdict is Verdict.UNCLEAR:
        why = judgement.reason if judgement else "it cannot be measured, and there is no judge"
        status = TaskStatus.FAILED if attempts >= task.max_attempts else TaskStatus.PENDING
        points = points_of(Verdict.UNCLEAR, required=task.required)
        return Ruling(Verdict.UNCLEAR, why, status, attempts, points=points, possible=possible_points(task.required))
    if judgement.verdict is Verdict.VERIFIED:
        return _verified(task, did_something, f"judged: {judgement.reason}")
    lie = judgement.contradiction and not task.run
    return _not_verified(task, attempts, f"judged: {judgement.reason}", contradiction=lie)


def _verified(task: Task, did_something: bool, why: str) -> Ruling:
    if not did_something:
        return Ruling(Verdict.VERIFIED, "it was so already", TaskStatus.VERIFIED, 0)
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

    For `verified` the quote must be of something that was done or found. What the agent says of itself, in its claim or
    in the call that reports it, proves nothing.
    """
    places = [file.path for file in evidence.files]
    places += [text for act in evidence.acts for text in (act.what if act.could_do_it else "", act.output)]
    if judgement.verdict is not Verdict.VERIFIED:
        places += [evidence.claim.result, evidence.measurement.words, *(act.what for act in evidence.acts)]
    if judgement.verdict is Verdict.UNCLEAR or any(_quotes(judgement.quote, text) for text in places):
        return judgement
    return Judgement(Verdict.UNCLEAR, quote=judgement.quote, reason="the judge quoted what is not in the evidence")


def _quotes(quote: str, text: str) -> bool:
    """Whether it is in the text, which may break lines differently. A letter or two are in every text."""
    words, whole = " ".join(quote.split()), " ".join(text.split())
    return bool(words) and (words == whole or (len(words) >= SHORTEST_QUOTE and words in whole))
