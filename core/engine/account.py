"""The score of a workspace, from the ledger; and what it changes where it has consequences."""

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from core.model.ledger import DayScore
from core.model.light_dataclass import replace
from core.model.score import Mover, Score
from core.model.status import TodaysScore
from core.model.workspace import Workspace
from core.ports.ledger import Ledger
from core.rules.scoring.days import score_of, with_interval, with_requirements
from core.rules.scoring.replaying import movers, replayed

if TYPE_CHECKING:  # the resident shows the score and must not import what a beat needs
    from core.ports.world import World

FIRST_DAY = date(1970, 1, 1)


def score_now(ledger: Ledger, now: datetime) -> Score:
    """`now` is in the person's zone."""
    return score_of(ledger.scores.days(FIRST_DAY, now.date()), now.date())


def todays_score(ledger: Ledger, now: datetime) -> TodaysScore:
    score = score_now(ledger, now)
    today = score.today
    return TodaysScore(
        today.score,
        today.target,
        score.streak,
        score.level,
        today.kept,
        today.sums.kept,
        today.sums.due,
    )


def apply_consequences(
    world: "World", workspace: Workspace, now: datetime
) -> "tuple[World, Workspace]":
    """The world and the workspace as the day's level changes them; unchanged if the settings
    give it no consequences."""
    if not world.settings.accountability.consequences:
        return world, workspace

    level = score_now(world.ledger, now).level
    document = with_requirements(workspace.document, world.settings, level)
    return (
        world.with_settings(with_interval(world.settings, level)),
        replace(workspace, document=document),
    )


def todays_movers(ledger: Ledger, today: date) -> list[Mover]:
    return movers(
        ledger.occurrences.history(first_day=today, last_day=today),
        ledger.scores.feedback(today, today),
    )


def differences(ledger: Ledger, today: date, history_days: int) -> list[tuple[DayScore, DayScore]]:
    """The days whose stored sums differ from their verdicts: as stored, and as recomputed.

    Only days of which every verdict is still there can be added up.
    """
    first = today - timedelta(days=max(history_days - 1, 0))
    kept = {one.day: one for one in ledger.scores.days(first, today)}
    again = replayed(
        ledger.occurrences.history(first_day=first, last_day=today),
        ledger.scores.feedback(first, today),
    )
    pairs = [
        (kept.get(day, DayScore(day)), again.get(day, DayScore(day)))
        for day in sorted({*kept, *again})
    ]

    return [(one, other) for one, other in pairs if one != other]
