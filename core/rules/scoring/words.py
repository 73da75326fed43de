"""The score in words that can be read aloud. Pure."""

from collections.abc import Iterator

from core.model.score import Score, ScoredDay
from core.model.status import TodaysScore
from core.rules.scoring.days import (
    CONTRADICTION,
    HIGHEST_TARGET,
    LOWEST_TARGET,
    NOT_VERIFIED,
    OPTIONAL,
    REQUIRED,
    THUMBS_DOWN,
    THUMBS_UP,
    UNCLEAR,
    WINDOW,
)
from core.rules.scoring.promises import kept_words

NOTHING_DUE = "nothing was due today"


def kept_of_day(day: ScoredDay | TodaysScore) -> str:
    """What the views say about a day's promises; empty where there were none."""
    kept, due = (
        (day.kept_count, day.due_count)
        if isinstance(day, TodaysScore)
        else (day.sums.kept, day.sums.due)
    )
    return kept_words(kept, due)


def explained(score: Score, *, has_consequences: bool = False) -> Iterator[str]:
    """What the numbers of today mean, one sentence or two for each."""
    today = score.today
    yield (
        f"You have {today.score} points today. A required task that is verified brings {REQUIRED}, "
        f"an optional one {OPTIONAL}. Not verified costs {-NOT_VERIFIED}, a contradiction "
        f"{-CONTRADICTION} more, unclear {-UNCLEAR}. Your thumb up brings {THUMBS_UP}, your thumb "
        f"down costs {-THUMBS_DOWN}."
    )
    yield f"Your target today is {today.target}: {_why_target(today)}."
    yield _floor(today)

    days = "1 day" if score.streak == 1 else f"{score.streak} days"
    more = "Today is one of them" if today.reached else "Today counts as soon as it reaches its own"
    yield f"Your streak is {days}: so many in a row reached their target. {more}."
    yield (
        f"Promises: {kept_of_day(today) or NOTHING_DUE}. A promise is a task or an action that was "
        "due; it is kept when it is verified or completed."
    )
    if has_consequences and score.level:
        yield (
            f"Your level is {score.level}, from the share of the target that you have reached. It "
            "changes how often Heartbeat looks, because accountability.consequences is on."
        )


def _why_target(today: ScoredDay) -> str:
    if today.target == HIGHEST_TARGET:
        return "the most that a day ever asks for"
    if today.target == today.floor:
        return "your floor, because no mean of the last days is above it"
    if today.target == LOWEST_TARGET:
        return "the least that a day asks for"

    return f"the mean of your days with points among the last {WINDOW}"


def _floor(today: ScoredDay) -> str:
    if not today.floor:
        return f"You have no floor yet: tomorrow it is today's target, {today.target}."

    return f"Your floor is {today.floor}: no target falls below it, and it never goes down."
