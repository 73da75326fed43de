"""The score, with worked days: points, target, floor, streak, levels, kept, and the interval that
follows from a level."""

from datetime import date, timedelta

import pytest

from core.model.ledger import DayScore
from core.model.occurrence import Verdict
from core.model.score import Level, Score
from core.model.settings import AccountabilitySettings, Settings
from core.rules.scoring.days import points_of, score_of, target_of, with_interval

FIRST = date(2026, 11, 1)
DAY = timedelta(days=1)


def worked(*scores: int | None) -> Score:
    """The score after days with these points, from the first of November on; the last one is
    today. None is a day without a beat."""
    days = [(FIRST + number * DAY, score) for number, score in enumerate(scores)]
    sums = [DayScore(day, score, 100, verified=1) for day, score in days if score is not None]
    return score_of(sums, days[-1][0])


@pytest.mark.parametrize(
    ("verdict", "required", "contradiction", "points"),
    [
        (Verdict.VERIFIED, True, False, 10),
        (Verdict.VERIFIED, False, False, 5),
        (Verdict.NOT_VERIFIED, True, False, -15),
        (Verdict.NOT_VERIFIED, False, False, -15),
        (Verdict.NOT_VERIFIED, True, True, -45),
        (Verdict.UNCLEAR, True, False, -2),
    ],
)
def test_points(verdict: Verdict, required: bool, contradiction: bool, points: int) -> None:
    assert points_of(verdict, required=required, contradiction=contradiction) == points


@pytest.mark.parametrize(
    ("earlier", "floor", "target"),
    [
        ([], 0, 50),
        ([100], 0, 100),
        ([100, 200], 0, 150),
        ([60, 61], 0, 61),  # 60.5, half up
        ([60, 60, 61], 0, 60),
        ([100, -80, 0], 0, 100),  # only positive days count
        ([-80, -10], 0, 50),
        ([60], 120, 120),
        ([900, 700], 0, 500),
        ([10, 20], 0, 50),
    ],
)
def test_the_target_is_the_mean_of_the_positive_days_within_its_bounds(
    earlier: list[int], floor: int, target: int
) -> None:
    assert target_of(earlier, floor) == target


def test_only_the_last_seven_days_make_the_target() -> None:
    score = worked(400, *[None] * 6, 0, 0)
    assert [day.target for day in score.days[-2:]] == [400, 400]  # the second by the floor alone
    assert score.days[1].target == 400


def test_the_floor_starts_at_0_and_never_falls() -> None:
    score = worked(150, 150, 20, -40, 10, 0, 0, 0, 0, 0)
    assert [day.floor for day in score.days] == [0, 50, *[150] * 8]
    assert [day.target for day in score.days] == [50, *[150] * 9]


def test_a_streak_is_days_in_a_row_with_the_target_reached() -> None:
    assert worked(50, 50, 50).streak == 3
    assert worked(50, 50, 49, 50).streak == 1
    assert worked(50, 50, 10).streak == 2  # today may still reach it
    assert worked(50, 10, 20).streak == 0
    assert worked(10).streak == 0


def test_a_day_without_a_beat_breaks_the_streak() -> None:
    assert worked(50, 50, None, 50).streak == 1
    assert worked(50, 50, None, None).streak == 0


@pytest.mark.parametrize(
    ("score", "level"),
    [
        (-11, Level.LOCKDOWN),
        (-10, Level.ESCALATED),
        (-1, Level.ESCALATED),
        (0, Level.TIGHTENED),
        (7, Level.TIGHTENED),
        (8, Level.WARNING),
        (12, Level.WARNING),
        (13, Level.STEADY),
        (24, Level.STEADY),
        (25, Level.GOOD),
        (34, Level.GOOD),
        (35, Level.EXCELLENT),
        (44, Level.EXCELLENT),
        (45, Level.OUTSTANDING),
        (999, Level.OUTSTANDING),
    ],
)
def test_levels_are_shares_of_the_target(score: int, level: Level) -> None:
    assert worked(score).level is level


def test_there_is_no_level_before_the_first_verdict_of_the_day() -> None:
    assert worked(50, None).level is None
    assert score_of([DayScore(FIRST, feedback=-10)], FIRST).level is None


def test_kept_is_the_share_of_the_promises_that_were_due() -> None:
    def kept(kept: int, due: int) -> float | None:
        return score_of([DayScore(FIRST, kept=kept, due=due)], FIRST).today.kept

    assert [kept(1, 1), kept(1, 4), kept(0, 3), kept(0, 0)] == [1.0, 0.25, 0.0, None]


def test_a_short_interval_buys_a_score_but_not_what_is_kept() -> None:
    often = score_of(
        [DayScore(FIRST, 48 * 10 - 48 * 2, 96 * 10, verified=48, unclear=48, kept=48, due=96)],
        FIRST,
    ).today
    seldom = score_of(
        [DayScore(FIRST, 10 - 2, 20, verified=1, unclear=1, kept=1, due=2)], FIRST
    ).today
    assert often.score > seldom.score
    assert often.kept == seldom.kept


def test_a_thumb_counts_to_the_score_and_not_to_what_is_kept() -> None:
    today = score_of(
        [DayScore(FIRST, 10, 10, verified=1, feedback=-10, kept=1, due=1)], FIRST
    ).today
    assert (today.score, today.kept) == (0, 1.0)


@pytest.mark.parametrize(
    ("level", "minutes"),
    [
        (Level.LOCKDOWN, 8),
        (Level.ESCALATED, 10),
        (Level.TIGHTENED, 12),
        (Level.OUTSTANDING, 20),
        (Level.GOOD, 30),
        (None, 30),
    ],
)
def test_levels_change_the_interval_where_they_have_consequences(
    level: Level | None, minutes: int
) -> None:
    settings = Settings(accountability=AccountabilitySettings(consequences=True))
    assert with_interval(settings, level).interval == timedelta(minutes=minutes)
    assert with_interval(Settings(), level).interval == timedelta(minutes=30)
