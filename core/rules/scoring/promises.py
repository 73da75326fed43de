"""Promises that were kept, of those that were due: the figure that people look at. Pure.

Each occurrence of a task or an action is one promise, counted once.
"""

from enum import Enum, auto

from core.model.item import ItemKind
from core.model.occurrence import FAILURES, Occurrence, Outcome, Verdict

PROMISES = (
    ItemKind.TASK,
    ItemKind.ACTION,
)  # prompts, the plain file and the review promise nothing


class Promise(Enum):
    KEPT = auto()
    NOT_KEPT = auto()
    NONE = auto()  # it was not due, was skipped or waits, or is not checked yet


def promise_of(one: Occurrence) -> Promise:
    """What became of the promise. A task that says that it is done has kept nothing before it was
    checked."""
    if one.kind not in PROMISES:
        return Promise.NONE
    if one.verdict is not None:
        return Promise.KEPT if one.verdict is Verdict.VERIFIED else Promise.NOT_KEPT
    if one.check_fails or one.outcome in FAILURES:
        return Promise.NOT_KEPT
    if one.outcome is Outcome.COMPLETED and one.kind == ItemKind.ACTION:
        return Promise.KEPT

    return Promise.NONE


def kept_words(kept: int, due: int) -> str:
    """`3 of 4 kept`; empty if nothing was due."""
    return f"{kept} of {due} kept" if due else ""
