"""The score of each day: what a verdict is worth, the day's target and level, and what a level
changes. Pure.

A day has the sum of its verdicts' points and of the person's thumbs. Its target follows from the
days before; the floor, below which no target falls, never goes down. Its level is the share of the
target that the score has reached. Levels change something only where
`accountability.consequences` is on.
"""

from collections.abc import Sequence
from datetime import date, timedelta

from core.model.document import Document
from core.model.ledger import DayScore
from core.model.light_dataclass import replace
from core.model.occurrence import Verdict
from core.model.score import Level, Score, ScoredDay
from core.model.settings import Settings

REQUIRED = 10
OPTIONAL = 5
NOT_VERIFIED = -15
CONTRADICTION = -30  # in addition to NOT_VERIFIED
UNCLEAR = -2
THUMBS_UP = 3
THUMBS_DOWN = -10

DAY = timedelta(days=1)
WINDOW = 7  # days before this one that make its target
LOWEST_TARGET = 50
HIGHEST_TARGET = 500

# The share of the target, in percent, from which on a day has a level; below the first one it is
# LOCKDOWN.
LEVELS = (
    (-20, Level.ESCALATED),
    (0, Level.TIGHTENED),
    (15, Level.WARNING),
    (25, Level.STEADY),
    (50, Level.GOOD),
    (70, Level.EXCELLENT),
    (90, Level.OUTSTANDING),
)

# The time between two ticks at a level; the other levels leave it as the settings have it.
INTERVALS = {
    Level.LOCKDOWN: timedelta(minutes=8),
    Level.ESCALATED: timedelta(minutes=10),
    Level.TIGHTENED: timedelta(minutes=12),
    Level.OUTSTANDING: timedelta(minutes=20),
}


# -- what a verdict is worth


def possible_points(required: bool) -> int:
    """The most that a task can bring."""
    return REQUIRED if required else OPTIONAL


def points_of(verdict: Verdict, *, required: bool, contradiction: bool = False) -> int:
    """What a verdict about a task adds to the day."""
    match verdict:
        case Verdict.VERIFIED:
            return possible_points(required)
        case Verdict.NOT_VERIFIED:
            return NOT_VERIFIED + (CONTRADICTION if contradiction else 0)
        case Verdict.UNCLEAR:
            return UNCLEAR


# -- target, streak and level


def score_of(sums: Sequence[DayScore], today: date) -> Score:
    """The score of every day up to today; days without a row had no verdict."""
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
    """The mean of the positive days among the last 7, rounded half up, but never below the floor
    or 50, nor above 500."""
    good = [score for score in earlier if score > 0]
    mean = (2 * sum(good) + len(good)) // (2 * len(good)) if good else 0
    return min(HIGHEST_TARGET, max(mean, floor, LOWEST_TARGET))


def streak_of(days: Sequence[ScoredDay]) -> int:
    """Days in a row that reached their target, up to today; today counts once it has reached its
    own."""
    past = list(days if days[-1].reached else days[:-1])
    streak = 0
    while past and past.pop().reached:
        streak += 1

    return streak


def level_of(day: ScoredDay) -> Level | None:
    """The level of a day; None before its first verdict."""
    if not day.has_verdict:
        return None

    level = Level.LOCKDOWN
    for share, name in LEVELS:
        if 100 * day.score >= share * day.target:
            level = name

    return level


# -- what a level changes


def with_interval(settings: Settings, level: Level | None) -> Settings:
    """The settings with the interval of the level."""
    if not settings.accountability.consequences or level not in INTERVALS:
        return settings

    return replace(settings, interval=INTERVALS[level])


def with_requirements(document: Document, settings: Settings, level: Level | None) -> Document:
    """The document as the level wants it: in lockdown every task is required."""
    if not settings.accountability.consequences or level is not Level.LOCKDOWN:
        return document

    tasks = tuple(replace(task, required=True) for task in document.tasks)
    return replace(document, tasks=tasks)
