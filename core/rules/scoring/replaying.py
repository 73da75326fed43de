"""The score worked out again from the single verdicts and thumbs: whether the stored sums are
right, what moved a day, and whether it dropped. Pure."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime

from core.model.ledger import DayScore, Feedback
from core.model.light_dataclass import light_dataclass, replace
from core.model.occurrence import Occurrence, Verdict
from core.model.score import Mover
from core.rules.scoring.promises import Promise, promise_of


def replayed(occurrences: Iterable[Occurrence], thumbs: Iterable[Feedback]) -> dict[date, DayScore]:
    """The days' sums, added up again from the verdicts and thumbs."""
    days: dict[date, DayScore] = {}
    for one in occurrences:
        promise = promise_of(one)
        if not one.day or (not one.verdict and promise is Promise.NONE):
            continue

        day = days.get(one.day, DayScore(one.day))
        days[one.day] = replace(
            day,
            points=day.points + one.points,
            possible=day.possible + one.possible,
            verified=day.verified + (one.verdict is Verdict.VERIFIED),
            not_verified=day.not_verified + (one.verdict is Verdict.NOT_VERIFIED),
            unclear=day.unclear + (one.verdict is Verdict.UNCLEAR),
            contradictions=day.contradictions + one.contradiction,
            kept=day.kept + (promise is Promise.KEPT),
            due=day.due + (promise is not Promise.NONE),
        )

    for thumb in thumbs:
        day = days.get(thumb.day, DayScore(thumb.day))
        days[thumb.day] = replace(day, feedback=day.feedback + thumb.points)

    return days


def movers(occurrences: Iterable[Occurrence], thumbs: Iterable[Feedback]) -> list[Mover]:
    """What moved the score, biggest first."""
    changes = [(one.item, one.points) for one in occurrences if one.verdict]
    changes += [(thumb.item, thumb.points) for thumb in thumbs]
    moved: dict[str, Mover] = {}

    for what, points in changes:
        before = moved.get(what, Mover(what, 0, 0))
        moved[what] = Mover(what, before.points + points, before.times + 1)

    return sorted(moved.values(), key=lambda one: (-abs(one.points), one.what))


@light_dataclass(frozen=True, slots=True)
class Drop:
    """A loss from the day's peak that is not over."""

    peak: int
    now: int
    reached: datetime | None  # when the peak was reached; None: the day's start
    item: str = ""  # the key of what cost the most since then; empty for the day's thumb
    cost: int = 0  # its points, below 0


def drop_of(
    occurrences: Sequence[Occurrence], thumbs: Sequence[Feedback], smallest: int
) -> Drop | None:
    """The day's drop where it has lost at least `smallest` points; its peak identifies it."""
    changes = [
        (one.finished or one.slot, one.points, one.item) for one in occurrences if one.verdict
    ]
    changes += [(thumb.given, thumb.points, thumb.item) for thumb in thumbs]
    score = peak = 0
    reached: datetime | None = None
    since: dict[str, int] = {}  # what each item moved since the peak

    for instant, points, item in sorted(changes):
        score += points
        since[item] = since.get(item, 0) + points
        if score > peak:
            peak = score
            reached = instant
            since = {}

    if smallest <= 0 or peak - score < smallest:
        return None

    item = min(since, key=lambda one: (since[one], one))
    return Drop(peak, score, reached, item, since[item])
