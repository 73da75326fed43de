"""Target, floor, streak and level of each day, from the sums of its verdicts (SPEC 7). Pure."""

from collections.abc import Sequence
from datetime import date, timedelta

from core.model.memory import DayScore
from core.model.score import Level, Score, ScoredDay

DAY = timedelta(days=1)
WINDOW = 7  # days before this one that make its target
LOWEST_TARGET, HIGHEST_TARGET = 50, 500
# The share of the target, in percent, from which on a level holds; below the first it is lockdown.
LEVELS = (
    (-20, Level.ESCALATED),
    (0, Level.TIGHTENED),
    (15, Level.WARNING),
    (25, Level.STEADY),
    (50, Level.GOOD),
    (70, Level.EXCELLENT),
    (90, Level.OUTSTANDING),
)


def score_of(sums: Sequence[DayScore], today: date) -> Score:
    """The score as it stands; days without a row were days without a verdict."""
    by_day = {one.day: one for one in sums}
    day = min([*by_day, today])
    days: list[ScoredDay] = []
    floor = 0
    while day <= today:
        earlier = [one.score for one in days[-WINDOW:]]
        target = target_of(earlier, floor)
        days.append(ScoredDay(by_day.get(day, DayScore(day)), target, floor))
        floor = max(floor, target)
        day += DAY
    return Score(tuple(days), streak_of(days), level_of(days[-1]))


def target_of(earlier: Sequence[int], floor: int) -> int:
    """The mean of the positive days among the last 7, half up, but never below the floor or 50, nor above 500."""
    good = [score for score in earlier if score > 0]
    mean = (2 * sum(good) + len(good)) // (2 * len(good)) if good else 0
    return min(HIGHEST_TARGET, max(mean, floor, LOWEST_TARGET))


def streak_of(days: Sequence[ScoredDay]) -> int:
    """Days in a row with the target reached, up to today; today itself counts once it has reached its own."""
    past = list(days if days[-1].reached else days[:-1])
    streak = 0
    while past and past.pop().reached:
        streak += 1
    return streak


def level_of(day: ScoredDay) -> Level | None:
    if not day.has_verdict:
        return None
    level = Level.LOCKDOWN
    for share, name in LEVELS:
        if 100 * day.score >= share * day.target:
            level = name
    return level
