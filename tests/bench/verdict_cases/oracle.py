"""What "Verdicts" and "Score" in docs/spec.md promise, as a pure function of how a case was made.

Law: no import from the program, and nothing that the program measured.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.bench.verdict_cases.case import (
    Beat,
    Case,
    Fact,
    Leeway,
    Round,
    Ruling,
    Says,
    Source,
    Truth,
)

VERIFIED, NOT_VERIFIED, UNCLEAR = "verified", "not_verified", "unclear"
PENDING, FAILED, SKIPPED = "pending", "failed", "skipped"
REQUIRED_POINTS, OPTIONAL_POINTS = 10, 5
NOT_VERIFIED_POINTS, CONTRADICTION_POINTS, UNCLEAR_POINTS = -15, -30, -2


@dataclass(frozen=True)
class Expected:
    """None where it is not promised."""

    verdict: str | None
    contradiction: bool = False
    points: int = 0
    outcome: str | None = None
    status: str | None = None  # in heartbeat-progress.json
    uses_attempt: bool | None = False
    self_reported: bool | None = None
    kept: bool | None = None  # None: it does not count
    instead: tuple["Expected", ...] = ()  # endings that the spec leaves open as well


SKIPS = Expected(None, outcome="skipped", status=SKIPPED)
FAILS_HONESTLY = Expected(None, outcome="failed", status=FAILED, uses_attempt=True, kept=False)
BROKEN = Expected(
    NOT_VERIFIED, points=NOT_VERIFIED_POINTS, status=FAILED, uses_attempt=True, kept=False
)
CONTRADICTED = Expected(
    NOT_VERIFIED,
    contradiction=True,
    points=NOT_VERIFIED_POINTS + CONTRADICTION_POINTS,
    status=FAILED,
    uses_attempt=True,
    kept=False,
)
UNKNOWN = Expected(UNCLEAR, points=UNCLEAR_POINTS, status=PENDING, kept=False)
CUT_OFF = Expected(None)


def expected_of(case: Case) -> list[Expected]:
    """One for each beat: what was earned before counts within the interval."""
    expected: list[Expected] = []
    for one in case.rounds:
        has_earned = any(earlier.points > 0 for earlier in expected)
        promised = expected_in(case, one, has_earned)
        expected.append(replace(promised, instead=instead_of(case, one)))

    return expected


def instead_of(case: Case, one: Round) -> tuple[Expected, ...]:
    match one.leeway:
        case Leeway.NONE:
            return ()
        case Leeway.REPORT_REFUSED:
            return (BROKEN if case.required else SKIPS,)
        case Leeway.WRITE_REFUSED:
            return (BROKEN,)
        case Leeway.CHECK_STOPPED:
            return (UNKNOWN, BROKEN) if one.says is Says.DONE else ()


def expected_in(case: Case, one: Round, has_earned: bool) -> Expected:
    match one.says:
        case Says.CUT_OFF:
            return CUT_OFF
        case Says.QUIET | Says.SKIPPED:
            return _skipped(one)
        case Says.FAILED:
            return FAILS_HONESTLY
        case Says.NOTHING:
            return BROKEN if case.required else SKIPS
        case Says.DONE:
            return _claimed(case, one, has_earned)
        case Says.COMMAND:
            return _commanded(case, one, has_earned)


def _skipped(one: Round) -> Expected:
    """Peaceful; only where its check fails it counts as not kept."""
    if one.truth is Truth.FAILS:
        return Expected(None, outcome="skipped", status=SKIPPED, kept=False)

    return SKIPS


def _claimed(case: Case, one: Round, has_earned: bool) -> Expected:
    if any(fact.is_comparable and not is_true(fact) for fact in one.facts):
        return CONTRADICTED

    match one.truth:
        case Truth.PASSES:
            is_sure = all(fact.is_comparable for fact in one.facts)
            earns = is_sure and belongs(case, one) and not has_earned
            return _verified(case, one, earns=earns)
        case Truth.FAILS:
            return CONTRADICTED if one.beat is Beat.IDLE else BROKEN
        case Truth.UNMEASURED:
            return _judged(case, one, has_earned)


def _judged(case: Case, one: Round, has_earned: bool) -> Expected:
    verdict = ruled(one.ruling) if one.beat is not Beat.NO_JUDGE else UNCLEAR
    if verdict == VERIFIED:
        return _verified(case, one, earns=belongs(case, one) and not has_earned)

    return BROKEN if verdict == NOT_VERIFIED else UNKNOWN


def ruled(ruling: Ruling | None) -> str:
    """What is left of the judge's answer."""
    is_proven = ruling is not None and ruling.source is Source.FOREIGN
    return ruling.verdict if ruling is not None and is_proven else UNCLEAR


def _commanded(case: Case, one: Round, has_earned: bool) -> Expected:
    """A `run:` task: its command is the work."""
    if one.exit_code != 0:
        return FAILS_HONESTLY

    passes = one.truth is Truth.PASSES
    return _verified(case, one, earns=not has_earned) if passes else BROKEN


def _verified(case: Case, one: Round, *, earns: bool) -> Expected:
    full = REQUIRED_POINTS if case.required else OPTIONAL_POINTS
    return Expected(
        VERIFIED,
        points=full if earns else 0,
        outcome="completed",
        status=VERIFIED,
        uses_attempt=None,  # whether a verified task counts its attempt is not said
        self_reported=one.own_work,
        kept=True,
    )


def belongs(case: Case, one: Round) -> bool:
    """Whether the agent did something that belongs to the task."""
    touched = {path for call in one.calls for path in call.paths}
    if touched & {*case.named}:
        return True

    return not case.check_names_path and any(call.reads for call in one.calls)


def is_true(fact: Fact) -> bool:
    """Equal to what was measured before or after, or between the two."""
    if fact.true is not None:
        return fact.true
    if not fact.is_measured:
        return True
    if fact.claimed in (fact.before, fact.after):
        return True

    claimed, before, after = (as_number(one) for one in (fact.claimed, fact.before, fact.after))
    if claimed is None or before is None or after is None:
        return False

    return min(before, after) <= claimed <= max(before, after)


def as_number(value: Any) -> float | None:
    """Numbers are compared as numbers, also where one is written as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None

    try:
        return float(value)
    except ValueError:
        return None


def kept_share(expected: Iterable[Expected], exit_codes: Sequence[int]) -> float | None:
    """Promises kept ÷ promises due, over tasks and actions; None where none was due."""
    counted = [one.kept for one in expected if one.kept is not None]
    counted += [code == 0 for code in exit_codes]

    return sum(counted) / len(counted) if counted else None
