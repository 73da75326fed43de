"""How an item ended, as a person reads it: the verdict first. Pure.

Law: every view takes its words and its tone from here, and none decides again what is good news.
The values of `outcome` and `verdict` in JSON are another matter: those are pinned.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Protocol

from core.model.item import ItemKind
from core.model.light_dataclass import light_dataclass
from core.model.occurrence import Outcome, Verdict
from core.model.waiting import Wait, WaitReason, Why, in_words
from core.rules.printable import one_line


class Tone(StrEnum):
    GOOD = "good"  # it is so, as far as the program can know
    BAD = "bad"
    OPEN = "open"  # nobody knows, or somebody has to do something first
    CALM = "calm"  # nothing was promised and nothing is wrong


@light_dataclass(frozen=True, slots=True)
class Ending:
    words: str  # without the points
    tone: Tone
    points: str = ""  # "+10"; empty where there is no verdict

    @property
    def with_points(self) -> str:
        return f"{self.words} {self.points}" if self.points else self.words


class Ended(Protocol):
    """What has ended: an occurrence, or an item of a beat's report."""

    @property
    def kind(self) -> str: ...

    @property
    def outcome(self) -> Outcome | None: ...

    @property
    def verdict(self) -> Verdict | None: ...

    @property
    def contradiction(self) -> bool: ...

    @property
    def points(self) -> int: ...

    @property
    def check_fails(self) -> bool: ...

    @property
    def is_undone(self) -> bool: ...


class Told(Ended, Protocol):
    """What is told of in a line of its own."""

    @property
    def why(self) -> Why: ...

    @property
    def result(self) -> str: ...

    @property
    def error(self) -> str: ...

    @property
    def self_reported(self) -> bool: ...

    @property
    def ruling(self) -> str: ...


# Without a verdict. A task or a prompt that says it is done is not here: nothing has checked it.
WITHOUT_VERDICT = {
    Outcome.COMPLETED: Ending("completed", Tone.GOOD),
    Outcome.FAILED: Ending("failed", Tone.BAD),
    Outcome.INTERRUPTED: Ending("interrupted", Tone.BAD),
    Outcome.SKIPPED: Ending("skipped", Tone.CALM),
    Outcome.WAITING: Ending("waiting", Tone.CALM),
    Outcome.MISSED: Ending("missed", Tone.CALM),
    Outcome.NEEDS_MODEL: Ending("needs a model", Tone.OPEN),
    Outcome.NEEDS_APPROVAL: Ending("needs approval", Tone.OPEN),
    Outcome.NEEDS_CLARIFICATION: Ending("not understood", Tone.BAD),
}
UNCHECKED = Ending("unchecked", Tone.OPEN)
ANSWERED = Ending("answered", Tone.GOOD)  # a prompt or a review asks for an answer, not for a check
BROKEN = Ending("skipped, but its check fails", Tone.BAD)  # a promise that was not kept
UNDONE = Ending("undone", Tone.CALM)  # whatever it was, the person took it back
NOT_OVER = Ending("not over yet", Tone.CALM)


def ending(
    kind: str,
    outcome: Outcome | None,
    verdict: Verdict | None,
    *,
    contradiction: bool = False,
    points: int = 0,
) -> Ending:
    """The words and the tone. An outcome of None means that it is not over."""
    worth = f"{points:+d}"
    if contradiction:
        return Ending("contradiction", Tone.BAD, worth)

    match verdict:
        case Verdict.VERIFIED:
            return Ending("verified", Tone.GOOD, worth)
        case Verdict.NOT_VERIFIED:
            return Ending("not verified", Tone.BAD, worth)
        case Verdict.UNCLEAR:
            return Ending("unclear", Tone.OPEN, worth)

    if outcome is None:
        return NOT_OVER
    if outcome is not Outcome.COMPLETED or kind == ItemKind.ACTION:
        return WITHOUT_VERDICT[outcome]

    return UNCHECKED if kind == ItemKind.TASK else ANSWERED


def ending_of(one: Ended) -> Ending:
    if one.is_undone:
        return UNDONE
    if one.check_fails:
        return BROKEN

    return ending(
        one.kind,
        one.outcome,
        one.verdict,
        contradiction=one.contradiction,
        points=one.points,
    )


def claim_words(one: Ended, result: str) -> str:
    """What an item says of itself. What nothing confirms is shown as a claim, never as a fact."""
    if one.check_fails and result:
        return _as_claim(result)
    if not result or one.verdict is Verdict.VERIFIED or one.outcome is not Outcome.COMPLETED:
        return result

    is_fact = one.verdict is None and one.kind != ItemKind.TASK
    return result if is_fact else _as_claim(result)


def _as_claim(result: str) -> str:
    return f"it said: “{one_line(result)}”"


SELF_REPORTED = "self-reported"
BETWEEN = " · "  # what words_of gives


def words_of(one: Told, *, has_run: bool, found: str = "") -> list[str]:
    """What stands beside the ending: that it was measured from the model's own words, why the
    verdict is so, and what the item said of itself. `found` is what was measured, where the verdict
    needs no reason."""
    label = SELF_REPORTED if one.self_reported else ""
    said = one.error or claim_words(one, one.result)
    reason = one.ruling or found
    if not one.ruling and (found or not said):
        said = "" if found else _without_words(one, has_run=has_run)

    return list(dict.fromkeys(filter(None, (label, reason, said))))


def _without_words(one: Told, *, has_run: bool) -> str:
    """For what said nothing: why it did not run. Why it started says nothing about its end."""
    if has_run:
        return "it was skipped" if one.outcome is Outcome.SKIPPED else ""
    if isinstance(one.why, Wait) and one.why.reason is WaitReason.NO_MODEL:
        # Its ending says what it needs, and what to do is said once for all.
        return f"{one.why.details[0].partition('. ')[0].rstrip('.')}."

    return in_words(one.why)


def counted_endings(items: Iterable[Ended]) -> str:
    """ "2 of 3 went well, 1 unclear, 1 skipped": what is calm was not promised."""
    endings = [ending_of(one) for one in items]
    promised = [one for one in endings if one.tone is not Tone.CALM]
    good = sum(one.tone is Tone.GOOD for one in promised)
    parts = [f"{good} of {len(promised)} went well"] if promised else []

    others = [one.words for one in endings if one.tone in (Tone.OPEN, Tone.CALM)]
    parts += [f"{others.count(words)} {words}" for words in dict.fromkeys(others)]
    return ", ".join(parts)
