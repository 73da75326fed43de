"""SPEC 7 with worked days: points, target, floor, streak, levels, kept, drops, consequences."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from core.engine.scoring import differences, score_now, todays_movers, todays_score
from core.model.memory import DayScore, Feedback
from core.model.occurrence import BeatReason, Occurrence, Outcome, State
from core.model.score import Level, Mover, Score
from core.model.settings import AccountabilitySettings, Settings
from core.model.verdict import Verdict
from core.rules.scoring.consequences import with_interval
from core.rules.scoring.days import score_of, target_of
from core.rules.scoring.points import points_of
from core.rules.scoring.replaying import Drop, drop_of
from tests.stage import BERLIN, Stage, at

FIRST = date(2026, 11, 1)
DAY = timedelta(days=1)


def worked(*scores: int | None) -> Score:
    """One day a score, from the first of November on; None: a day without a beat. The last one is today."""
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


def test_kept_is_the_share_of_the_possible_points() -> None:
    def kept(points: int, possible: int) -> float | None:
        return score_of([DayScore(FIRST, points, possible, verified=1)], FIRST).today.kept

    assert [kept(10, 10), kept(5, 20), kept(-15, 10), kept(0, 0)] == [1.0, 0.25, 0.0, None]


def test_a_short_interval_buys_a_score_but_not_what_is_kept() -> None:
    often = score_of([DayScore(FIRST, 48 * 10 - 48 * 2, 96 * 10, verified=48, unclear=48)], FIRST).today
    seldom = score_of([DayScore(FIRST, 10 - 2, 20, verified=1, unclear=1)], FIRST).today
    assert often.score > seldom.score
    assert often.kept == seldom.kept


def test_a_thumb_counts_to_the_score_and_not_to_what_is_kept() -> None:
    today = score_of([DayScore(FIRST, 10, 10, verified=1, feedback=-10)], FIRST).today
    assert (today.score, today.kept) == (0, 1.0)


# -- drops --------------------------------------------------------------------------------------------------------


def verdicts(*points: int) -> list[Occurrence]:
    return [
        Occurrence(
            "task:a", "task", moment, 1, "", state=State.VERIFIED, verdict=Verdict.UNCLEAR, points=one, finished=moment
        )
        for number, one in enumerate(points)
        for moment in [datetime(2026, 11, 16, 9, number, tzinfo=UTC)]
    ]


def test_a_drop_is_a_loss_from_the_days_peak() -> None:
    moment = datetime(2026, 11, 16, 9, 1, tzinfo=UTC)
    assert drop_of(verdicts(10, 10, -15), (), 20) is None
    assert drop_of(verdicts(10, 10, -15, -5), (), 20) == Drop(20, 0, moment)
    assert drop_of(verdicts(-15, -5), (), 20) == Drop(0, -20, None)
    assert drop_of(verdicts(10, 10, -15, -15, 40), (), 20) is None
    thumb = Feedback(datetime(2026, 11, 16, 12, tzinfo=UTC), FIRST, "", -10)
    assert drop_of(verdicts(10, 10, -15), (thumb,), 20) == Drop(20, -5, moment)


# -- consequences -------------------------------------------------------------------------------------------------


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
def test_levels_change_the_interval_where_they_have_consequences(level: Level | None, minutes: int) -> None:
    settings = Settings(accountability=AccountabilitySettings(consequences=True))
    assert with_interval(settings, level).interval == timedelta(minutes=minutes)
    assert with_interval(Settings(), level).interval == timedelta(minutes=30)


def test_a_bad_day_makes_the_next_tick_come_sooner_and_every_task_required() -> None:
    stage = Stage("## Tasks\n- [ ] a | A | optional | run: a | verify: cmd:no | max_attempts: 9\n")
    stage.processes.endings["no"] = 1
    stage.settings = replace(stage.settings, accountability=AccountabilitySettings(consequences=True))
    stage.beat("16 08:00")
    assert stage.wakes_at == at("16 08:30")  # the level follows from this beat's verdict
    stage.beat("16 08:30")
    assert score_now(stage.ledger, at("16 08:30")).level is Level.LOCKDOWN
    assert stage.wakes_at == at("16 08:38")
    stage.processes.endings["no"] = 0
    report = stage.beat("16 08:38")
    assert [item.points for item in report.items] == [10]  # no longer optional


# -- the ledger ---------------------------------------------------------------------------------------------------


def scored_stage() -> Stage:
    stage = Stage("## Tasks\n- [ ] a | A | run: a\n- [ ] b | B | optional | run: b | verify: cmd:no\n")
    stage.processes.endings["no"] = 1
    stage.run("16 08:00")
    stage.run("16 23:30")
    stage.run("17 00:30")
    return stage


def test_the_score_is_the_sum_of_the_ledgers_verdicts() -> None:
    stage = scored_stage()
    assert [day.score for day in score_now(stage.ledger, at("17 01:00")).days] == [-10, -5]
    assert differences(stage.ledger, date(2026, 11, 17), 400) == []
    stage.ledger.give_feedback("", 3, at("17 02:00"))
    assert differences(stage.ledger, date(2026, 11, 17), 400) == []
    assert todays_score(stage.ledger, at("17 03:00")).today == -2


def test_what_moved_the_day_comes_biggest_first() -> None:
    stage = scored_stage()
    stage.ledger.give_feedback("task:a", 3, at("16 23:50"))
    assert todays_movers(stage.ledger, date(2026, 11, 16)) == [Mover("task:b", -30, 2), Mover("task:a", 23, 3)]


def test_a_day_is_the_persons_also_when_the_clocks_change() -> None:
    # On 29 March 2026 Berlin skips an hour: 23:30 UTC on the 28th is already the 29th there.
    stage = Stage("## Tasks\n- [ ] a | A | run: a\n", now=datetime(2026, 3, 28, 22, 30, tzinfo=UTC), zone=BERLIN)
    stage.run()
    stage.clock.moment = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
    stage.run()
    stage.clock.moment = datetime(2026, 3, 29, 21, 59, tzinfo=UTC)
    stage.run()
    stage.clock.moment = datetime(2026, 3, 29, 22, 1, tzinfo=UTC)
    stage.run()
    days = stage.ledger.day_scores(date(2026, 3, 1), date(2026, 3, 31))
    assert [(one.day.day, one.points) for one in days] == [(28, 10), (29, 20), (30, 10)]


def test_an_item_that_only_waits_or_fails_honestly_moves_nothing() -> None:
    stage = Stage("## Tasks\n- [ ] a | A | run: a\n- [ ] b | B\n")
    stage.processes.endings["a"] = 1
    report = stage.beat("16 08:00", reason=BeatReason.TIMER)
    assert {item.outcome for item in report.items} == {Outcome.FAILED, Outcome.NEEDS_MODEL}
    assert report.score.today == 0
    assert stage.ledger.day_scores(date(2026, 11, 16), date(2026, 11, 16)) == ()
