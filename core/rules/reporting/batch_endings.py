"""How the items of a batch ended, from what the model said and how far it came. Pure."""

from core.model.agent import BatchEnding, BatchResult
from core.model.cause import Cause
from core.model.evidence import Claim, Said
from core.model.item import ItemKind
from core.model.light_dataclass import replace
from core.model.occurrence import Outcome
from core.rules.checking.verdicts import NOT_REPORTED
from core.rules.printable import one_line
from core.rules.redacting import without_tokens
from core.rules.reporting.session import message_in

LONGEST_CLAIM = 2000
LONGEST_PROBLEM = 600  # characters, so that what to do about it is never cut off
SKIPS = frozenset({"SKIP", "HEARTBEAT_OK"})
MOST_AROUND_A_SKIP = 300  # characters; a longer answer says more than that
AROUND_A_WORD = "`*_\"'.,:;!-–— \n\t"
REPORTED = (Said.DONE, Said.FAILED, Said.SKIPPED)  # what a model may say


def claim_of(result: BatchResult, task: str) -> Claim:
    """What the model reported about a task. Silence counts only if the model finished."""
    said = result.reports.get(task)
    if said and said.said in REPORTED:
        return replace(said, result=without_tokens(said.result)[:LONGEST_CLAIM])

    if result.ending is not BatchEnding.FINISHED:
        return Claim(Said.CUT_OFF)

    return Claim(Said.SKIPPED if _skips_all(result) else Said.NOTHING)


def _skips_all(result: BatchResult) -> bool:
    """Whether the model reported nothing, and its whole answer is that there is nothing to do."""
    words = result.text.strip().strip(AROUND_A_WORD)
    first = words.split()[0] if words else ""
    last = words.split()[-1] if words else ""
    ends = {first.strip(AROUND_A_WORD).upper(), last.strip(AROUND_A_WORD).upper()}
    is_short = len(words) <= MOST_AROUND_A_SKIP

    return not result.reports and is_short and not ends.isdisjoint(SKIPS)


_UNFINISHED = {
    BatchEnding.UNREACHABLE: (Outcome.WAITING, "the model gave no answer"),
    BatchEnding.OUT_OF_BUDGET: (Outcome.WAITING, "the model ran out of budget"),
    BatchEnding.CANCELLED: (Outcome.INTERRUPTED, "it was stopped before the model finished"),
}


def _unfinished(result: BatchResult) -> tuple[Outcome, str]:
    outcome, words = _UNFINISHED[result.ending]
    if result.problem:
        words = f"{words}: {result.problem.full_text}"

    return outcome, words


def task_outcome(claim: Claim, result: BatchResult, *, is_required: bool) -> tuple[Outcome, str]:
    """How a task ended, and the words for it."""
    match claim.said:
        case Said.DONE:
            return Outcome.COMPLETED, one_line(claim.result)
        case Said.FAILED:
            return Outcome.FAILED, claim.result or "it failed"
        case Said.CUT_OFF:
            return _unfinished(result)
        case Said.NOTHING if is_required:
            return Outcome.FAILED, NOT_REPORTED
        case Said.NOTHING | Said.SKIPPED:
            return Outcome.SKIPPED, one_line(claim.result)


def cause_of(result: BatchResult, claim: Claim | None) -> Cause:
    """Why an item did not end well, as data; `claim` is that of a task."""
    if claim is None or claim.said is Said.CUT_OFF:
        return (result.ending,)

    return (claim.said, one_line(claim.result))


def other_outcome(kind: ItemKind, result: BatchResult, *, only_review: bool) -> tuple[Outcome, str]:
    """How a prompt, the plain file or the review ended, and the words for it."""
    has_answered = result.ending is BatchEnding.FINISHED or (
        kind is ItemKind.REVIEW and result.review is not None
    )
    if not has_answered:
        return _unfinished(result)

    match kind:
        case ItemKind.PLAIN:
            return Outcome.COMPLETED, without_tokens(message_in(result.text))
        case ItemKind.REVIEW:
            message = review_message(result, only_review=only_review)
            return Outcome.COMPLETED, one_line(without_tokens(message))
        case ItemKind.PROMPT | ItemKind.TASK | ItemKind.ACTION:
            return Outcome.COMPLETED, one_line(without_tokens(message_in(result.text)))


def review_message(result: BatchResult, *, only_review: bool) -> str:
    """The review's message. If only the review was asked for, it is the model's last message."""
    if result.review is not None:
        return message_in(result.review)
    if only_review and result.ending is BatchEnding.FINISHED:
        return message_in(result.text)

    return ""
