"""How the items of a batch ended, from what the model said and how far it came. Pure."""

from dataclasses import replace

from core.model.agent import BatchEnding, BatchResult
from core.model.evidence import Claim, Said
from core.model.item import Kind
from core.model.occurrence import Outcome
from core.rules.redacting import without_tokens
from core.rules.reporting.final_text import message_in
from core.rules.writing.harmless import one_line

LONGEST_CLAIM = 2000
REPORTED = (Said.DONE, Said.FAILED, Said.SKIPPED)  # only we say that it was cut off


def claim_of(result: BatchResult, task: str) -> Claim:
    """What was said about a task. Nothing said by a model that did not come to its end says nothing about the task."""
    said = result.reports.get(task)
    if said and said.said in REPORTED:
        return replace(said, result=without_tokens(said.result)[:LONGEST_CLAIM])
    return Claim(Said.NOTHING if result.ending is BatchEnding.FINISHED else Said.CUT_OFF)


_UNFINISHED = {
    BatchEnding.UNREACHABLE: (Outcome.WAITING, "the model gave no answer"),
    BatchEnding.OUT_OF_BUDGET: (Outcome.WAITING, "the model ran out of budget"),
    BatchEnding.CANCELLED: (Outcome.INTERRUPTED, "it was ended before the model was done"),
}


def _unfinished(result: BatchResult) -> tuple[Outcome, str]:
    outcome, words = _UNFINISHED[result.ending]
    return outcome, f"{words}: {result.problem}" if result.problem else words


def task_outcome(claim: Claim, result: BatchResult, *, is_required: bool) -> tuple[Outcome, str]:
    match claim.said:
        case Said.DONE:
            return Outcome.COMPLETED, one_line(claim.result)
        case Said.FAILED:
            return Outcome.FAILED, claim.result or "it failed"
        case Said.CUT_OFF:
            return _unfinished(result)
        case Said.NOTHING if is_required:
            return Outcome.FAILED, "nothing was said about it"
        case _:
            return Outcome.SKIPPED, one_line(claim.result)


def other_outcome(kind: Kind, result: BatchResult, *, only_review: bool) -> tuple[Outcome, str]:
    has_answered = result.ending is BatchEnding.FINISHED or (kind is Kind.REVIEW and result.review is not None)
    if not has_answered:
        return _unfinished(result)
    match kind:
        case Kind.PLAIN:
            return Outcome.COMPLETED, without_tokens(message_in(result.text))
        case Kind.REVIEW:
            return Outcome.COMPLETED, one_line(without_tokens(review_message(result, only_review=only_review)))
        case _:
            return Outcome.COMPLETED, one_line(without_tokens(message_in(result.text)))


def review_message(result: BatchResult, *, only_review: bool) -> str:
    """What the review has to say; the last words alone count where nothing else was asked."""
    if result.review is not None:
        return message_in(result.review)
    return message_in(result.text) if only_review and result.ending is BatchEnding.FINISHED else ""
