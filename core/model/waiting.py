"""Why something that is due waits: a value that the next beat decides by, and its sentence.

Nothing is decided by the sentence, which may be reworded at any time. A new member of WaitReason
needs a new version of the ledger.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

from core.model.cause import Cause
from core.model.light_dataclass import light_dataclass


class WaitReason(StrEnum):
    """The ledger keeps these words."""

    STOPPED_BY = "stopped_by"  # detail: the CRITICAL action that failed
    STILL_RUNNING = "still_running"  # in the background, since an earlier slot
    UNDECIDED = "undecided"  # details: what is wrong with its condition, in words; the condition
    DEPENDENCY = "dependency"  # detail: the action that has not ended well yet
    DEPENDENCY_NEVER_RAN = "dependency_never_ran"  # detail: that action
    TIME_USED_UP = "time_used_up"
    ACTIVE_HOURS = "active_hours"  # details: a DueSince, what belongs to it, when they begin
    UNCLEAR = "unclear"  # details: what is wrong with its lines, in words; as data
    FILE_UNCLEAR = "file_unclear"  # details: the same of the frontmatter
    UNAPPROVED = "unapproved"  # details: a ReviewState and the kind of what waits; or LOCKED, words
    NO_MODEL = "no_model"  # detail: why there is none, and what to do, in words
    ONCE_A_MINUTE = "once_a_minute"
    OTHER_BATCH = "other_batch"
    MODEL_FAILED = "model_failed"  # details: how often, and when it is asked again
    MONEY = "money"  # detail: how much there was for today
    PAUSED = "paused"
    RETRY = "retry"  # after a failure; its next slot came in the meantime
    PERMISSION = "permission"  # details: MISSING, and the tags that its gate asks for
    OTHER = "other"  # detail: words of an earlier version, whose meaning it did not keep

    @property
    def number_of_details(self) -> int:
        """Return how many it has at least."""
        return AT_LEAST.get(self) or SENTENCES[self].count("{}")


class DueSince(StrEnum):
    """What is due outside of the active hours."""

    SLOT = "slot"  # a slot of its schedule; detail: when
    NEVER_RAN = "never_ran"
    WRITTEN_AGAIN = "written_again"  # the person wrote PENDING
    ATTEMPT = "attempt"  # after a failure; detail: which one
    ASKED = "asked"  # by the person


LOCKED = "locked"  # the record of the approvals cannot be checked now
MISSING = "missing"

SENTENCES: Mapping[WaitReason, str] = {
    WaitReason.STOPPED_BY: "the beat stopped, because {} failed",
    WaitReason.STILL_RUNNING: "it is still running",
    WaitReason.UNDECIDED: "its condition cannot be evaluated: {}",
    WaitReason.DEPENDENCY: "it waits for {}",
    WaitReason.DEPENDENCY_NEVER_RAN: "it waits for {}, which has not run yet",
    WaitReason.TIME_USED_UP: "the beat's time is used up",
    WaitReason.ACTIVE_HOURS: "{}{} waits for the active hours at {}",
    WaitReason.UNCLEAR: "{}",
    WaitReason.FILE_UNCLEAR: "{}",
    WaitReason.UNAPPROVED: "{}",
    WaitReason.NO_MODEL: "needs a language model: {}",
    WaitReason.ONCE_A_MINUTE: "work for a model starts at most once per minute",
    WaitReason.OTHER_BATCH: "another beat's batch is with the model",
    WaitReason.MODEL_FAILED: "the model {}; it will be asked again at {}",
    WaitReason.MONEY: "today's {} USD for the model is used up (budget.daily_usd)",
    WaitReason.PAUSED: "paused",
    WaitReason.RETRY: "it failed and is tried again later",
    WaitReason.PERMISSION: (
        "The gate was not run, because it asks for a permission that was not granted: {}. "
        "Grant it in config.toml, under [agent] permissions, or take it out of the gate."
    ),
    WaitReason.OTHER: "{}",
}
# How many details these have, which had one sentence before.
AT_LEAST = {WaitReason.ACTIVE_HOURS: 3, WaitReason.UNAPPROVED: 2, WaitReason.PERMISSION: 2}

DUE_SINCE: Mapping[str, str] = {
    DueSince.SLOT: "due since {}",
    DueSince.NEVER_RAN: "it has not run yet",
    DueSince.WRITTEN_AGAIN: "you wrote PENDING again",
    DueSince.ATTEMPT: "attempt {} after a failure",
    DueSince.ASKED: "you asked for a beat",
}
UNKNOWN_TAG = "one that Heartbeat does not know"

# Their first detail is a sentence of another part of the program, which is only ever shown; what
# follows it is data.
WORDS_FIRST = frozenset(
    {
        WaitReason.UNDECIDED,
        WaitReason.UNCLEAR,
        WaitReason.FILE_UNCLEAR,
        WaitReason.NO_MODEL,
        WaitReason.OTHER,
    }
)


@light_dataclass(frozen=True, slots=True)
class Wait:
    reason: WaitReason
    details: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        shown = SHOWN.get(self.reason)
        details = shown(*self.details) if shown else self.details
        return SENTENCES[self.reason].format(*details)

    @property
    def data(self) -> Cause:
        """Return what tells it from another wait: all of it except words that are only shown."""
        if self.reason is WaitReason.UNAPPROVED and self.details[:1] == (LOCKED,):
            return (self.reason, LOCKED)

        first = 1 if self.reason in WORDS_FIRST else 0
        return (self.reason, *self.details[first:])


def _active_hours(since: str, what: str, opens: str, *_: str) -> tuple[str, ...]:
    return words_of(since, what), "," if since == DueSince.SLOT else ";", opens


def words_of(since: str, what: str) -> str:
    """Return why it is due; it starts for that reason where no hours hold it back."""
    return DUE_SINCE[since].format(what) if since in DUE_SINCE else since


def _unapproved(standing: str, what: str, *_: str) -> tuple[str, ...]:
    """`what` is the kind of what waits; the words themselves where nothing can be checked."""
    from core.model.approval import unapproved_words  # imported here: reading needs none of it

    return (what if standing == LOCKED else unapproved_words(standing, what),)


def _model_failed(times: str, until: str, *_: str) -> tuple[str, ...]:
    """An earlier version kept words instead of a number."""
    if times.isdigit():
        times = "failed" if times == "1" else f"failed {times} times in a row"

    return times, until


def _permission(_: str, *tags: str) -> tuple[str, ...]:
    return (", ".join(tag or UNKNOWN_TAG for tag in tags),)


# How details are shown where that is not as they are.
SHOWN: Mapping[WaitReason, Callable[..., tuple[str, ...]]] = {
    WaitReason.ACTIVE_HOURS: _active_hours,
    WaitReason.UNAPPROVED: _unapproved,
    WaitReason.MODEL_FAILED: _model_failed,
    WaitReason.PERMISSION: _permission,
}


Why = str | Wait  # plain words, which are only ever shown, or what it waits for


def in_words(why: Why) -> str:
    """Return the reason as words for a person."""
    return why.sentence if isinstance(why, Wait) else why


def wait_of(why: Why) -> WaitReason | None:
    """Return what it waits for; None if it does not wait."""
    return why.reason if isinstance(why, Wait) else None


def is_unchecked(why: Why) -> bool:
    """Say whether it waits only because its approval cannot be checked now: there is nothing for
    the person to approve."""
    return data_of(why) == (WaitReason.UNAPPROVED, LOCKED)


def data_of(why: Why) -> Cause | None:
    """Return what tells its wait from another one; None if it does not wait."""
    return why.data if isinstance(why, Wait) else None
