"""What core.ports.Ledger promises, asked of the ledger in a file and of the one in memory, which
whole-beat tests use."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from core.adapters.ledger import SqliteLedger
from core.adapters.ledger.notes import Notes
from core.model.agent import BatchEnding, ModelUse, Usage
from core.model.announcements import Announced, Announcements, Message
from core.model.check import Finding, Measurement
from core.model.evidence import Act, Claim, Evidence, FileChange, Judgement, Said
from core.model.file_work import KnownContent
from core.model.ledger import DayScore, Feedback, Pause, PlanNote, RunRequest
from core.model.occurrence import (
    BeatReason,
    IllegalTransitionError,
    Occurrence,
    Outcome,
    State,
    Verdict,
)
from core.model.progress import Progress, TaskProgress, TaskStatus
from core.model.report import Notice, NoticeKind, Urgency
from core.model.trouble import TroubleKey, TroubleKind
from core.model.waiting import Wait, WaitReason
from core.ports.ledger import Ledger

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 16, 9, 0, tzinfo=BERLIN)
TODAY = NOW.date()
BACKUP = TroubleKey(TroubleKind.GATE, "backup")
REPORT = TroubleKey(TroubleKind.GATE, "report")
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture(params=["file", "memory"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    made: Ledger = (
        SqliteLedger(tmp_path / "state" / "ledger.db")
        if request.param == "file"
        else SqliteLedger()
    )
    yield made
    made.close()


def at(slot: datetime, item: str = "backup", attempts: int = 1) -> Occurrence:
    return Occurrence(item, "action", slot, beat=1, why="every:1h", attempts=attempts)


def claimed(
    ledger: Ledger, slot: datetime = NOW, item: str = "backup", attempts: int = 1
) -> Occurrence:
    occurrence = ledger.occurrences.claim(at(slot, item, attempts), slot)
    assert occurrence is not None
    return occurrence


def finished(
    ledger: Ledger,
    slot: datetime = NOW,
    outcome: Outcome = Outcome.COMPLETED,
    item: str = "backup",
    attempts: int = 1,
) -> Occurrence:
    started = ledger.occurrences.start(claimed(ledger, slot, item, attempts), slot)
    return ledger.occurrences.finish(started, outcome, slot + MINUTE)


# Beats


def test_beats_are_numbered_upwards_and_listed_newest_first(ledger: Ledger) -> None:
    first = ledger.beats.open(BeatReason.STARTUP, 100, NOW)
    ledger.beats.close(first.number, NOW + MINUTE)
    second = ledger.beats.open(BeatReason.TIMER, 101, NOW + HOUR)
    assert second.number > first.number
    newest, oldest = ledger.beats.recent(5)
    assert (newest.reason, newest.pid, newest.started, newest.finished) == (
        BeatReason.TIMER,
        101,
        NOW + HOUR,
        None,
    )
    assert (oldest.reason, oldest.finished) == (BeatReason.STARTUP, NOW + MINUTE)
    assert ledger.beats.recent(1) == (newest,)


def test_a_beat_keeps_how_its_items_ended_and_what_was_kept_of_its_promises(
    ledger: Ledger,
) -> None:
    beat = ledger.beats.open(BeatReason.TIMER, 1, NOW)
    ledger.beats.close(beat.number, NOW, completed=1, failed=2, kept=3, not_kept=4)
    (found,) = ledger.beats.recent(1)
    assert (found.completed, found.failed, found.kept, found.not_kept) == (1, 2, 3, 4)


def test_why_a_verdict_is_so_comes_back_with_it(ledger: Ledger) -> None:
    done = finished(ledger, item="task:mail")
    ledger.occurrences.verify(done, None, ruling="it found 0\ud800")
    (found,) = ledger.occurrences.history(item="task:mail")
    assert found.check_fails
    assert found.ruling.startswith("it found 0")
    ledger.occurrences.verify(found, Verdict.UNCLEAR, ruling="nobody knows")
    assert ledger.occurrences.history(item="task:mail")[0].ruling == "nobody knows"


def test_a_closed_beat_keeps_its_first_end(ledger: Ledger) -> None:
    beat = ledger.beats.open(BeatReason.TIMER, 1, NOW)
    ledger.beats.close(beat.number, NOW + MINUTE)
    ledger.beats.close(beat.number, NOW + HOUR)
    assert ledger.beats.recent(1)[0].finished == NOW + MINUTE


# The way of an occurrence


def test_an_occurrence_goes_from_claimed_to_notified_and_keeps_everything(ledger: Ledger) -> None:
    claim = claimed(ledger)
    assert (claim.state, claim.recorded, claim.day, claim.outcome) == (
        State.CLAIMED,
        NOW,
        TODAY,
        None,
    )
    started = ledger.occurrences.start(claim, NOW + MINUTE)
    assert (started.state, started.started) == (State.STARTED, NOW + MINUTE)
    done = ledger.occurrences.finish(
        started, Outcome.FAILED, NOW + 3 * MINUTE, result="half", error="exit 1"
    )
    assert (done.state, done.outcome, done.result, done.error) == (
        State.FINISHED,
        Outcome.FAILED,
        "half",
        "exit 1",
    )
    assert done.duration == 2 * MINUTE
    verified = ledger.occurrences.verify(
        done, Verdict.NOT_VERIFIED, contradiction=True, points=-45, possible=10
    )
    assert (verified.state, verified.verdict, verified.contradiction) == (
        State.VERIFIED,
        Verdict.NOT_VERIFIED,
        True,
    )
    announced = ledger.occurrences.notify(verified)
    assert announced.state is State.NOTIFIED
    assert ledger.occurrences.history() == (announced,)
    assert (
        announced.points,
        announced.possible,
        announced.item,
        announced.kind,
        announced.slot,
    ) == (
        -45,
        10,
        "backup",
        "action",
        NOW,
    )


def test_instants_come_back_in_utc_to_the_microsecond(ledger: Ledger) -> None:
    slot = datetime(2026, 10, 25, 2, 30, 0, 123457, tzinfo=BERLIN, fold=1)
    claim = claimed(ledger, slot)
    assert claim.slot == datetime(2026, 10, 25, 1, 30, 0, 123457, tzinfo=UTC)
    assert claim.slot.tzinfo is UTC
    assert ledger.occurrences.history()[0] == claim


def test_a_naive_instant_is_refused(ledger: Ledger) -> None:
    with pytest.raises(TypeError):
        ledger.occurrences.claim(at(NOW.replace(tzinfo=None)), NOW)
    assert ledger.occurrences.history() == ()


def test_a_slot_is_claimed_once_whatever_became_of_it(ledger: Ledger) -> None:
    claim = claimed(ledger)
    assert ledger.occurrences.claim(at(NOW), NOW) is None
    started = ledger.occurrences.start(claim, NOW)
    assert ledger.occurrences.claim(at(NOW), NOW) is None
    ledger.occurrences.finish(started, Outcome.FAILED, NOW)
    assert ledger.occurrences.claim(at(NOW.astimezone(UTC)), NOW) is None
    assert ledger.occurrences.claim(at(NOW + HOUR), NOW) is not None
    assert ledger.occurrences.claim(at(NOW, item="other"), NOW) is not None


@pytest.mark.parametrize(
    "step",
    [
        lambda ledger, row: ledger.occurrences.start(row, NOW),
        lambda ledger, row: ledger.occurrences.verify(
            row, Verdict.VERIFIED, contradiction=False, points=10, possible=10
        ),
        lambda ledger, row: ledger.occurrences.notify(row),
        lambda ledger, row: ledger.occurrences.release(row),
        lambda ledger, row: ledger.occurrences.wait(
            row, Outcome.WAITING, Wait(WaitReason.DEPENDENCY, ("sync",)), NOW
        ),
        lambda ledger, row: ledger.occurrences.skip(row, "condition", (), NOW),
        lambda ledger, row: ledger.occurrences.miss(row, "off", NOW),
    ],
    ids=["start", "verify", "notify", "release", "wait", "skip", "miss"],
)
def test_what_has_started_can_only_finish(
    ledger: Ledger, step: Callable[[Ledger, Occurrence], object]
) -> None:
    started = ledger.occurrences.start(claimed(ledger), NOW)
    before = (ledger.occurrences.history(), ledger.items.all(), ledger.scores.days(TODAY, TODAY))
    with pytest.raises(IllegalTransitionError):
        step(ledger, started)
    assert (
        ledger.occurrences.history(),
        ledger.items.all(),
        ledger.scores.days(TODAY, TODAY),
    ) == before


def test_a_stale_copy_cannot_undo_what_the_ledger_knows(ledger: Ledger) -> None:
    claim = claimed(ledger)
    ledger.occurrences.start(claim, NOW)
    with pytest.raises(IllegalTransitionError):
        ledger.occurrences.start(claim, NOW)


def test_what_was_never_claimed_cannot_start(ledger: Ledger) -> None:
    with pytest.raises(IllegalTransitionError):
        ledger.occurrences.start(at(NOW), NOW)
    assert ledger.occurrences.history() == ()


def test_a_crash_leaves_claimed_and_started_rows_and_no_others(ledger: Ledger) -> None:
    started = ledger.occurrences.start(claimed(ledger), NOW)
    claim = claimed(ledger, item="report")
    finished(ledger, item="done")
    ledger.occurrences.wait(
        at(NOW, "held"), Outcome.WAITING, Wait(WaitReason.ACTIVE_HOURS, ("asked", "", "09:00")), NOW
    )
    assert set(ledger.occurrences.unfinished()) == {started, claim}
    ledger.occurrences.finish(started, Outcome.INTERRUPTED, NOW)
    assert ledger.occurrences.release(claim).state is State.DUE
    assert ledger.occurrences.unfinished() == ()
    assert ledger.occurrences.claim(at(NOW, "report"), NOW + MINUTE) is not None


def test_changes_made_together_are_all_there_or_none(ledger: Ledger) -> None:
    started = ledger.occurrences.start(claimed(ledger), NOW)
    progress = Progress(NOW, 1, (TaskProgress("backup", TaskStatus.FAILED, 1),))

    def finish_both(then: Callable[[], object]) -> None:
        with ledger.together():
            ledger.occurrences.finish(started, Outcome.FAILED, NOW)
            ledger.tasks.save(progress)
            then()

    with pytest.raises(ZeroDivisionError):
        finish_both(lambda: 1 / 0)
    assert ledger.occurrences.unfinished() == (started,)
    assert ledger.tasks.progress() == Progress()
    finish_both(lambda: None)
    assert ledger.occurrences.unfinished() == ()
    assert ledger.tasks.progress().tasks[0].status is TaskStatus.FAILED


@pytest.mark.parametrize(
    "printed", ["", "a\0b", "tab\tline\n", "\udcff.txt", "🫀 çà", "x" * 100_000]
)
def test_whatever_a_command_printed_can_be_recorded(ledger: Ledger, printed: str) -> None:
    started = ledger.occurrences.start(claimed(ledger), NOW)
    done = ledger.occurrences.finish(started, Outcome.FAILED, NOW, result=printed, error=printed)
    assert done.result == done.error == printed.replace("\udcff", "?")
    assert ledger.occurrences.history() == (done,)
    assert ledger.announcements.announce(BACKUP, (printed,), NOW) is True
    assert ledger.announcements.announce(BACKUP, (printed,), NOW) is False


# Waiting, skipped, missed


def test_an_item_that_waits_at_every_tick_keeps_one_row(ledger: Ledger) -> None:
    first = ledger.occurrences.wait(
        at(NOW), Outcome.NEEDS_APPROVAL, Wait(WaitReason.UNAPPROVED, ("new", "action")), NOW
    )
    for tick in range(1, 50):
        assert (
            ledger.occurrences.wait(
                at(NOW + tick * HOUR),
                Outcome.NEEDS_APPROVAL,
                Wait(WaitReason.UNAPPROVED, ("new", "action")),
                NOW + tick * HOUR,
            )
            == first
        )
    assert ledger.occurrences.history() == (first,)
    assert (first.state, first.outcome, first.reason) == (
        State.WAITING,
        Outcome.NEEDS_APPROVAL,
        "it waits for your approval",
    )


def test_a_changed_reason_replaces_the_waiting_row(ledger: Ledger) -> None:
    ledger.occurrences.wait(
        at(NOW), Outcome.NEEDS_APPROVAL, Wait(WaitReason.UNAPPROVED, ("new", "action")), NOW
    )
    now = ledger.occurrences.wait(
        at(NOW + HOUR), Outcome.NEEDS_MODEL, Wait(WaitReason.NO_MODEL, ("no key",)), NOW + HOUR
    )
    assert ledger.occurrences.history() == ledger.occurrences.waiting() == (now,)
    same_slot = ledger.occurrences.wait(
        at(NOW + HOUR), Outcome.WAITING, Wait(WaitReason.MONEY, ("1.00",)), NOW + 2 * HOUR
    )
    assert ledger.occurrences.waiting() == (same_slot,)


def test_other_words_for_the_same_wait_keep_its_row(ledger: Ledger) -> None:
    first = ledger.occurrences.wait(
        at(NOW), Outcome.NEEDS_MODEL, Wait(WaitReason.NO_MODEL, ("no key",)), NOW
    )
    reworded = Wait(WaitReason.NO_MODEL, ("There is no key.",))
    second = ledger.occurrences.wait(at(NOW + HOUR), Outcome.NEEDS_MODEL, reworded, NOW + HOUR)
    assert second == replace(first, why=reworded)
    assert ledger.occurrences.waiting() == (second,)


def test_a_claim_ends_the_wait_and_waiting_uses_up_no_slot(ledger: Ledger) -> None:
    ledger.items.see({"backup": "hourly"}, NOW)
    ledger.occurrences.wait(
        at(NOW), Outcome.WAITING, Wait(WaitReason.ACTIVE_HOURS, ("asked", "", "09:00")), NOW
    )
    assert ledger.items.all()["backup"].last_slot is None
    claim = ledger.occurrences.claim(at(NOW + HOUR), NOW + HOUR)
    assert claim is not None
    assert claim.outcome is None
    assert ledger.occurrences.waiting() == ()
    assert ledger.occurrences.history() == (claim,)


def test_a_claimed_one_may_still_be_held_back(ledger: Ledger) -> None:
    ledger.occurrences.wait(
        claimed(ledger), Outcome.WAITING, Wait(WaitReason.PERMISSION, ("missing", "@web")), NOW
    )
    assert ledger.occurrences.unfinished() == ()
    assert ledger.occurrences.claim(at(NOW), NOW) is not None


def test_waiting_items_are_listed_by_name(ledger: Ledger) -> None:
    for item in ("b", "c", "a"):
        ledger.occurrences.wait(
            at(NOW, item), Outcome.NEEDS_MODEL, Wait(WaitReason.NO_MODEL, ("no key",)), NOW
        )
    assert [row.item for row in ledger.occurrences.waiting()] == ["a", "b", "c"]


def test_skipping_uses_the_slot_up_and_ends_the_wait(ledger: Ledger) -> None:
    finished(ledger, NOW - HOUR)
    ledger.occurrences.wait(at(NOW), Outcome.WAITING, Wait(WaitReason.DEPENDENCY, ("sync",)), NOW)
    skipped = ledger.occurrences.skip(at(NOW), "condition is false", ("condition",), NOW + MINUTE)
    assert (skipped.state, skipped.outcome, skipped.reason) == (
        State.SKIPPED,
        Outcome.SKIPPED,
        "condition is false",
    )
    memory = ledger.items.all()["backup"]
    assert memory.last_slot == NOW
    assert memory.last_outcome is Outcome.COMPLETED
    assert ledger.occurrences.waiting() == ()


def test_skipping_again_for_the_same_cause_changes_nothing(ledger: Ledger) -> None:
    first = ledger.occurrences.skip(at(NOW), "condition is false", ("condition",), NOW)
    reworded = ledger.occurrences.skip(at(NOW), "it is not true", ("condition",), NOW + HOUR)
    assert reworded == first
    second = ledger.occurrences.skip(at(NOW), "sync failed", ("failed", "sync"), NOW + HOUR)
    assert ledger.occurrences.history() == (second,)
    assert ledger.occurrences.claim(at(NOW), NOW + HOUR) is not None


def test_a_missed_slot_is_a_row_and_stays_missed(ledger: Ledger) -> None:
    missed = ledger.occurrences.miss(at(NOW), "the computer was off", NOW + DAY)
    assert (missed.state, missed.outcome, missed.recorded) == (
        State.MISSED,
        Outcome.MISSED,
        NOW + DAY,
    )
    assert ledger.items.all()["backup"].last_slot == NOW
    assert ledger.occurrences.claim(at(NOW), NOW + DAY) is None


# History


def test_history_is_newest_first_and_filtered(ledger: Ledger) -> None:
    for day in range(4):
        finished(ledger, NOW + day * DAY, Outcome.COMPLETED if day % 2 else Outcome.FAILED)
        ledger.occurrences.miss(at(NOW + day * DAY, "report"), "off", NOW + day * DAY + HOUR)
    assert [row.recorded for row in ledger.occurrences.history(item="backup")] == [
        NOW + day * DAY for day in (3, 2, 1, 0)
    ]
    assert [row.slot for row in ledger.occurrences.history(outcome=Outcome.FAILED)] == [
        NOW + 2 * DAY,
        NOW,
    ]
    assert len(ledger.occurrences.history(limit=3)) == 3
    assert ledger.occurrences.history(limit=3) == ledger.occurrences.history()[:3]
    day_two = ledger.occurrences.history(
        first_day=TODAY + DAY, last_day=TODAY + 2 * DAY, item="report"
    )
    assert [row.slot for row in day_two] == [NOW + 2 * DAY, NOW + DAY]
    assert ledger.occurrences.history(item="report", outcome=Outcome.FAILED) == ()
    assert (
        ledger.occurrences.history(item="nobody")
        == ledger.occurrences.history(item="n\udcffbody")
        == ()
    )


def test_of_two_rows_at_one_moment_the_later_one_comes_first(ledger: Ledger) -> None:
    finished(ledger, item="first")
    finished(ledger, item="second")
    assert [row.item for row in ledger.occurrences.history()] == ["second", "first"]


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"])
def test_days_are_the_persons_days_at_both_ends_of_the_world(ledger: Ledger, zone: str) -> None:
    midnight = datetime(2026, 11, 16, tzinfo=ZoneInfo(zone))
    before = ledger.occurrences.miss(
        at(midnight, "before"), "", midnight - timedelta(microseconds=1)
    )
    after = ledger.occurrences.miss(at(midnight, "after"), "", midnight)
    last = ledger.occurrences.miss(
        at(midnight, "last"), "", midnight + DAY - timedelta(microseconds=1)
    )
    assert ledger.occurrences.history(
        first_day=date(2026, 11, 16), last_day=date(2026, 11, 16)
    ) == (
        last,
        after,
    )
    assert ledger.occurrences.history(last_day=date(2026, 11, 15)) == (before,)


def test_retention_removes_the_oldest_ended_rows_in_batches(ledger: Ledger) -> None:
    for day in range(5):
        beat = ledger.beats.open(BeatReason.TIMER, 1, NOW + day * DAY)
        finished(ledger, NOW + day * DAY)
        ledger.beats.close(beat.number, NOW + day * DAY)
    unfinished = ledger.occurrences.start(claimed(ledger, NOW, "running"), NOW)
    waiting = ledger.occurrences.wait(
        at(NOW, "held"), Outcome.NEEDS_MODEL, Wait(WaitReason.NO_MODEL, ("no key",)), NOW
    )
    memory = ledger.items.all()
    cutoff = NOW + 3 * DAY
    assert [ledger.forget_before(cutoff, batch=2) for _ in range(3)] == [4, 2, 0]
    assert [row.slot for row in ledger.occurrences.history(item="backup")] == [
        NOW + 4 * DAY,
        NOW + 3 * DAY,
    ]
    assert [beat.started for beat in ledger.beats.recent(9)] == [NOW + 4 * DAY, NOW + 3 * DAY]
    assert ledger.occurrences.unfinished() == (unfinished,)
    assert ledger.occurrences.waiting() == (waiting,)
    assert ledger.items.all() == memory


def run_in_beat(ledger: Ledger, day: int, item: str = "backup") -> int:
    """A beat of one run, on that day; its number."""
    moment = NOW + day * DAY
    number = ledger.beats.open(BeatReason.TIMER, 1, moment).number
    claim = ledger.occurrences.claim(replace(at(moment, item), beat=number), moment)
    assert claim is not None
    ledger.occurrences.finish(ledger.occurrences.start(claim, moment), Outcome.COMPLETED, moment)
    ledger.beats.close(number, moment)
    return number


def test_the_history_marks_the_run_that_was_undone_and_no_other(ledger: Ledger) -> None:
    beats = [run_in_beat(ledger, day) for day in range(3)]
    run_in_beat(ledger, 0, "report")
    ledger.items.take_back("backup", beats[1])
    ledger.items.take_back("backup", beats[1])
    marked = [(one.beat, one.item) for one in ledger.occurrences.history() if one.is_undone]
    assert marked == [(beats[1], "backup")]
    (past,) = (one for one in ledger.items.all().values() if one.item == "backup")
    assert (past.last_outcome, past.last_finished) == (Outcome.SKIPPED, None)

    run_in_beat(ledger, 3)  # a later run changes nothing about it
    marked = [(one.beat, one.item) for one in ledger.occurrences.history() if one.is_undone]
    assert marked == [(beats[1], "backup")]


def test_what_was_undone_is_forgotten_with_its_beat(ledger: Ledger) -> None:
    beats = [run_in_beat(ledger, day) for day in range(3)]
    ledger.items.take_back("backup", beats[0])
    ledger.forget_before(NOW + DAY)
    ledger.items.take_back("backup", beats[2])
    marked = [one.beat for one in ledger.occurrences.history() if one.is_undone]
    assert marked == [beats[2]]
    assert isinstance(ledger, SqliteLedger)
    assert Notes(ledger.database).read("undone") == [[beats[2], "backup"]]


def test_a_beat_number_is_never_used_again(ledger: Ledger) -> None:
    last = ledger.beats.open(BeatReason.TIMER, 1, NOW)
    ledger.beats.close(last.number, NOW)
    ledger.forget_before(NOW + DAY)
    assert ledger.beats.recent(1) == ()
    assert ledger.beats.open(BeatReason.TIMER, 1, NOW).number == last.number + 1


# Items and tasks


def test_what_was_missed_by_another_schedule_is_forgotten_where_nothing_ever_started(
    ledger: Ledger,
) -> None:
    ledger.items.see({"past": "at:x", "ran": "daily:09:00"}, NOW)
    ledger.occurrences.miss(Occurrence("past", "action", NOW - DAY, 0, ""), "past", NOW)
    started = ledger.occurrences.start(claimed(ledger, item="ran"), NOW)
    ledger.occurrences.finish(started, Outcome.COMPLETED, NOW)
    assert ledger.items.all()["past"].last_slot == NOW - DAY
    seen = ledger.items.see({"past": "", "ran": "daily:10:00"}, NOW + MINUTE)
    assert (seen["past"].last_slot, seen["past"].last_slot_zone) == (None, None)
    assert seen["ran"].last_slot == NOW


def test_an_item_is_first_seen_once_and_again_with_another_schedule(ledger: Ledger) -> None:
    seen = ledger.items.see({"backup": "daily:09:00", "report": ""}, NOW)
    assert seen["backup"].first_seen == NOW
    assert ledger.items.see({"backup": "daily:09:00"}, NOW + DAY) == {"backup": seen["backup"]}
    finished(ledger, NOW + DAY)
    changed = ledger.items.see({"backup": "daily:10:00"}, NOW + 2 * DAY)["backup"]
    assert (changed.schedule, changed.first_seen) == ("daily:10:00", NOW + 2 * DAY)
    assert changed.last_start == NOW + DAY
    assert ledger.items.all()["report"].first_seen == NOW


def test_an_item_remembers_its_last_run(ledger: Ledger) -> None:
    ledger.items.see({"backup": "hourly"}, NOW)
    started = ledger.occurrences.start(claimed(ledger, attempts=2), NOW + MINUTE)
    assert ledger.items.all()["backup"].last_slot == NOW
    ledger.occurrences.finish(started, Outcome.FAILED, NOW + 2 * MINUTE, retry_at=NOW + 3 * MINUTE)
    memory = ledger.items.all()["backup"]
    assert (memory.last_start, memory.last_slot) == (NOW + MINUTE, NOW)
    assert (memory.last_outcome, memory.attempts, memory.retry_at) == (
        Outcome.FAILED,
        2,
        NOW + 3 * MINUTE,
    )
    ledger.occurrences.start(claimed(ledger, NOW + 3 * MINUTE, attempts=3), NOW + 3 * MINUTE)
    assert ledger.items.all()["backup"].retry_at is None


@pytest.mark.parametrize(
    ("outcome", "attempts"),
    [(Outcome.FAILED, 3), (Outcome.INTERRUPTED, 3), (Outcome.COMPLETED, 0), (Outcome.WAITING, 2)],
)
def test_only_failures_count_as_tries(ledger: Ledger, outcome: Outcome, attempts: int) -> None:
    finished(ledger, NOW, Outcome.FAILED, attempts=2)
    finished(ledger, NOW + HOUR, outcome, attempts=3)
    assert ledger.items.all()["backup"].attempts == attempts


def test_slots_never_move_back(ledger: Ledger) -> None:
    finished(ledger, NOW)
    ledger.occurrences.miss(at(NOW - DAY), "off", NOW)
    assert ledger.items.all()["backup"].last_slot == NOW


def test_progress_is_kept_whole(ledger: Ledger) -> None:
    assert ledger.tasks.progress() == Progress()
    tasks = (
        TaskProgress("check_email", TaskStatus.VERIFIED, 0, NOW, "3 mails"),
        TaskProgress("weather", TaskStatus.PENDING),
    )
    ledger.tasks.save(Progress(NOW, 7, tasks))
    assert ledger.tasks.progress() == Progress(NOW, 7, tasks)
    ledger.tasks.save(Progress(NOW + DAY, 8, tasks[1:]))
    assert ledger.tasks.progress() == Progress(NOW + DAY, 8, tasks[1:])


# Score


def test_points_count_for_the_day_of_the_occurrence(ledger: Ledger) -> None:
    late = NOW.replace(hour=23, minute=59)
    verdicts = [
        (late, Verdict.VERIFIED, False, 10),
        (NOW, Verdict.NOT_VERIFIED, True, -45),
        (NOW + HOUR, Verdict.UNCLEAR, False, -2),
        (NOW + DAY, Verdict.VERIFIED, False, 10),
    ]
    for slot, verdict, contradiction, points in verdicts:
        ledger.occurrences.verify(
            finished(ledger, slot), verdict, contradiction=contradiction, points=points, possible=10
        )
    finished(ledger, NOW + 2 * HOUR)
    today, tomorrow = ledger.scores.days(TODAY, TODAY + DAY)
    assert today == DayScore(
        TODAY, -37, 30, verified=1, not_verified=1, unclear=1, contradictions=1, kept=2, due=4
    )
    assert tomorrow == DayScore(TODAY + DAY, 10, 10, verified=1, kept=1, due=1)
    assert ledger.scores.days(TODAY + DAY, TODAY + 9 * DAY) == (tomorrow,)


def test_a_day_keeps_its_score_when_its_occurrences_are_forgotten(ledger: Ledger) -> None:
    ledger.occurrences.verify(
        finished(ledger), Verdict.VERIFIED, contradiction=False, points=10, possible=10
    )
    ledger.forget_before(NOW + DAY)
    assert ledger.occurrences.history() == ()
    assert ledger.scores.days(TODAY, TODAY)[0].points == 10


# The plan and the person's requests


def test_the_plan_is_what_was_saved_last(ledger: Ledger) -> None:
    assert ledger.plan.note() is None
    ledger.plan.save(PlanNote(NOW, NOW + HOUR, errors=2, unapproved=("backup",)))
    ledger.plan.save(PlanNote(NOW + MINUTE, None, scripts=("a.sh",)))
    assert ledger.plan.note() == PlanNote(NOW + MINUTE, None, scripts=("a.sh",))


@pytest.mark.parametrize(
    "summary",
    [
        {"approvals_waiting": "many", "errors": None},
        {"unapproved": None},
        {"scripts": 7, "unapproved": 3},
        {"scripts": "a.sh", "unapproved": [7, None]},
        {"timezone": 5, "file": ["HEARTBEAT.md"]},
        {"enabled": "no", "refused": 1},
        {},
        None,
        7,
    ],
)
def test_a_plan_of_another_version_is_read_with_care(summary: object) -> None:
    ledger = SqliteLedger()
    note = {"made": 1_700_000_000_000_000, "next_wake": None, "summary": summary}
    Notes(ledger.database).write("plan", note)
    made = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert ledger.plan.note() == PlanNote(made, None)


@pytest.mark.parametrize(
    "note",
    [
        7,
        "plan",
        [],
        {},
        {"made": None, "next_wake": None},
        {"made": "today", "next_wake": None},
        {"made": 1, "next_wake": "soon"},
        {"made": 1, "next_wake": 10**30},
    ],
)
def test_a_plan_that_does_not_say_when_to_wake_is_as_good_as_none(note: object) -> None:
    ledger = SqliteLedger()
    Notes(ledger.database).write("plan", note)
    assert ledger.plan.note() is None


@pytest.mark.parametrize("name", ["caf\udce9.sh", "a b", "ü"], ids=["byte", "space", "letter"])
def test_the_plan_keeps_every_name_as_it_is(ledger: Ledger, name: str) -> None:
    note = PlanNote(NOW, None, file=name, timezone=name, unapproved=(name,), scripts=(name,))
    ledger.plan.save(note)
    assert ledger.plan.note() == note


def test_the_tick_anchor_is_kept(ledger: Ledger) -> None:
    assert ledger.plan.tick_anchor() is None
    ledger.plan.set_tick_anchor(NOW)
    assert ledger.plan.tick_anchor() == NOW


def test_a_pause_lasts_until_resumed(ledger: Ledger) -> None:
    assert ledger.requests.paused() is None
    for pause in (Pause(NOW, NOW + HOUR), Pause(NOW, None)):
        ledger.requests.pause(pause)
        assert ledger.requests.paused() == pause
    ledger.requests.resume()
    ledger.requests.resume()
    assert ledger.requests.paused() is None


def test_wishes_for_a_beat_add_up_and_are_taken_once(ledger: Ledger) -> None:
    assert ledger.requests.take_run_request() is None
    ledger.requests.request_run(["report"], NOW)
    ledger.requests.request_run(["backup", "report"], NOW + MINUTE)
    assert ledger.requests.run_requested() == RunRequest(("backup", "report"), NOW)
    ledger.requests.request_run([], NOW + HOUR)
    ledger.requests.request_run(["backup"], NOW + HOUR)
    assert ledger.requests.take_run_request() == RunRequest((), NOW)
    assert ledger.requests.take_run_request() is None


def test_trouble_is_announced_once_again_when_it_changes_and_once_when_over(ledger: Ledger) -> None:
    assert ledger.announcements.settle(BACKUP) is False
    assert ledger.announcements.announce(BACKUP, ("exit", "1"), NOW) is True
    assert ledger.announcements.announce(BACKUP, ("exit", "1"), NOW + HOUR) is False
    assert ledger.announcements.announce(BACKUP, ("exit", "2"), NOW + HOUR) is True
    assert ledger.announcements.announce(REPORT, ("exit", "2"), NOW) is True
    assert ledger.announcements.settle(BACKUP) is True
    assert ledger.announcements.settle(BACKUP) is False
    assert ledger.announcements.announce(BACKUP, ("exit", "2"), NOW + DAY) is True


def test_a_new_ledger_replaces_none(ledger: Ledger) -> None:
    assert ledger.set_aside() is None


# Evidence, feedback, announcements


def test_evidence_comes_back_as_it_was_kept_and_goes_with_its_occurrence(ledger: Ledger) -> None:
    done = finished(ledger, item="task:mail")
    evidence = Evidence(
        claim=Claim(Said.DONE, "3 mails", {"mails": 3, "names": ["ada"]}),
        measurement=Measurement(Finding.PASSES, "mails > 0  →  3 > 0  →  passes", {"mails": 3}),
        acts=(Act("fetch", "grün\ud800"), Act("read", could_do_it=False)),
        files=(FileChange("a.md", None, "abc"),),
        judgement=Judgement(Verdict.VERIFIED, False, "3 mails", "it says so"),
        verdict=Verdict.VERIFIED,
        points=10,
        reason="measured",
    )
    ledger.evidence.keep(done, evidence)
    assert ledger.evidence.of("task:mail", 1) == evidence
    assert ledger.evidence.of("task:mail", 2) is None
    assert ledger.evidence.of("task:other", 1) is None
    ledger.forget_before(NOW + DAY)
    assert ledger.evidence.of("task:mail", 1) is None


def test_a_thumb_counts_for_its_day_in_addition_to_the_verdicts(ledger: Ledger) -> None:
    ledger.occurrences.verify(
        finished(ledger), Verdict.VERIFIED, contradiction=False, points=10, possible=10
    )
    ledger.scores.give_feedback("task:mail", 3, NOW)
    ledger.scores.give_feedback("", -10, NOW + DAY)
    today, tomorrow = ledger.scores.days(TODAY, TODAY + DAY)
    assert (today.points, today.feedback, today.score, today.possible) == (10, 3, 13, 10)
    assert (tomorrow.points, tomorrow.score, tomorrow.verified) == (0, -10, 0)
    assert ledger.scores.feedback(TODAY, TODAY) == (Feedback(NOW, TODAY, "task:mail", 3),)
    assert len(ledger.scores.feedback(TODAY, TODAY + DAY)) == 2


def test_a_verdict_after_a_thumb_leaves_the_thumb(ledger: Ledger) -> None:
    ledger.scores.give_feedback("", 3, NOW)
    ledger.occurrences.verify(
        finished(ledger), Verdict.UNCLEAR, contradiction=False, points=-2, possible=10
    )
    (today,) = ledger.scores.days(TODAY, TODAY)
    assert (today.points, today.feedback, today.unclear) == (-2, 3, 1)


def test_what_was_announced_comes_back(ledger: Ledger) -> None:
    assert ledger.announcements.current() == Announcements()
    kept = Announcements(
        {TroubleKey(TroubleKind.FAILURE, "a"): Announced(("exited", "1"), "a failed")},
        {TroubleKey(TroubleKind.FAILURE, "a"): Notice(NoticeKind.FAILURE, "a", "b")},
        (NOW,),
        {TroubleKey(TroubleKind.PROVIDER): NOW},
    )
    ledger.announcements.save(kept)
    assert ledger.announcements.current() == kept


# What models used


def use(beat: int, moment: datetime = NOW, **changes: Any) -> ModelUse:
    return replace(
        ModelUse(beat, moment, moment.date(), "anthropic", "claude-haiku-4-5", ("task:mail",)),
        **changes,
    )


def test_what_a_batch_used_is_kept_when_it_begins_and_replaced_when_it_ends(ledger: Ledger) -> None:
    ledger.model_use.keep(use(7))
    (begun,) = ledger.model_use.history()
    assert (begun, begun.ending) == (use(7), None)
    ended = use(
        7,
        usage=Usage(3, 900, 80, 500, 20, 0.0123),
        ending=BatchEnding.UNREACHABLE,
        finished=NOW + MINUTE,
        problem="529 \udcff",
        retry_after=timedelta(seconds=90),
    )
    ledger.model_use.keep(ended)
    assert ledger.model_use.history() == (replace(ended, problem="529 ?"),)


def test_uses_are_listed_newest_first_by_the_persons_days(ledger: Ledger) -> None:
    for beat in (1, 2, 3):
        ledger.model_use.keep(use(beat, NOW + beat * DAY))
    assert [one.beat for one in ledger.model_use.history()] == [3, 2, 1]
    assert [one.beat for one in ledger.model_use.history(limit=1)] == [3]
    second = TODAY + 2 * DAY
    assert [one.beat for one in ledger.model_use.history(first_day=second, last_day=second)] == [2]


def test_uses_go_with_the_occurrences_of_their_time(ledger: Ledger) -> None:
    ledger.model_use.keep(use(1))
    ledger.model_use.keep(use(2, NOW + DAY))
    ledger.forget_before(NOW + HOUR)
    assert [one.beat for one in ledger.model_use.history()] == [2]


def test_a_models_request_becomes_the_persons_when_a_person_also_asks(ledger: Ledger) -> None:
    ledger.requests.request_run(["report"], NOW, by_agent=True)
    ledger.requests.request_run(["look"], NOW, by_agent=True)
    assert ledger.requests.run_requested() == RunRequest(("look", "report"), NOW, by_agent=True)
    ledger.requests.request_run(["backup"], NOW)
    assert ledger.requests.take_run_request() == RunRequest(("backup", "look", "report"), NOW)
    ledger.requests.request_run(["backup"], NOW)
    ledger.requests.request_run(["report"], NOW, by_agent=True)
    assert ledger.requests.take_run_request() == RunRequest(("backup", "report"), NOW)


def message(number: int) -> Message:
    return Message(
        Notice(NoticeKind.FAILURE, f"title {number}", "words"),
        Urgency.CRITICAL,
        TroubleKey(TroubleKind.FAILURE, f"task:{number}"),
    )


def test_a_message_that_was_left_is_taken_once_in_order(ledger: Ledger) -> None:
    assert ledger.announcements.take_messages() == ()
    ledger.announcements.leave_message(message(1))
    ledger.announcements.leave_message(message(2))
    assert ledger.announcements.take_messages() == (message(1), message(2))
    assert ledger.announcements.take_messages() == ()


def test_messages_are_read_with_care_and_none_that_can_be_shown_is_lost() -> None:
    good = message(1)
    ledger = SqliteLedger()
    parts = ["message", "Title", "Words", "urgent", "message:2"]
    entries = [parts, 7, None, [], ["message"], [*parts, "more"], [1, 2, 3, 4, 5]]
    notes: list[object] = [entries, {}, 7, "text"]
    for note in notes:
        Notes(ledger.database).write("messages", note)
        ledger.announcements.leave_message(good)
        about = TroubleKey(TroubleKind.MESSAGE, "2")
        odd = Message(Notice(NoticeKind.MESSAGE, "Title", "Words"), Urgency.NORMAL, about)
        expected = (odd, good) if note is entries else (good,)
        assert ledger.announcements.take_messages() == expected
        assert ledger.announcements.take_messages() == ()


def test_of_messages_that_nobody_takes_the_last_fifty_wait(ledger: Ledger) -> None:
    for number in range(60):
        ledger.announcements.leave_message(message(number))
    assert ledger.announcements.take_messages() == tuple(
        message(number) for number in range(10, 60)
    )


def test_a_skipped_task_whose_check_fails_is_a_promise_that_was_not_kept(ledger: Ledger) -> None:
    slot = Occurrence("task:mail", "task", NOW, 1, "due")
    claimed = ledger.occurrences.claim(slot, NOW)
    assert claimed
    started = ledger.occurrences.start(claimed, NOW)
    skipped = ledger.occurrences.finish(started, Outcome.SKIPPED, NOW)
    assert ledger.scores.days(TODAY, TODAY) == ()

    noted = ledger.occurrences.verify(skipped, None)
    assert (noted.check_fails, noted.outcome) == (True, Outcome.SKIPPED)
    assert ledger.occurrences.history()[0].check_fails
    assert ledger.scores.days(TODAY, TODAY) == (DayScore(TODAY, kept=0, due=1),)


def test_it_is_known_when_an_item_last_earned_points(ledger: Ledger) -> None:
    assert ledger.scores.last_earned(finished(ledger).item) is None
    for hours, points in ((1, 10), (2, 0), (3, -15)):
        one = finished(ledger, NOW + hours * HOUR)
        ledger.occurrences.verify(
            one, Verdict.VERIFIED, contradiction=False, points=points, possible=10
        )

    assert ledger.scores.last_earned(one.item) == NOW + HOUR
    assert ledger.scores.last_earned("task:another") is None


# -- the contents of files -------------------------------------------------------------------------


def test_contents_are_remembered_as_long_as_a_check_names_their_file(ledger: Ledger) -> None:
    assert ledger.contents.known() == {}
    first = KnownContent("abc", NOW - DAY, NOW)
    none = KnownContent(None, NOW, NOW)
    ledger.contents.save({"a.md": first, "b ü.md": none}, {"a.md", "b ü.md"})
    assert ledger.contents.known() == {"a.md": first, "b ü.md": none}

    ledger.contents.save({}, {"a.md"})
    assert ledger.contents.known() == {"a.md": first}


def test_of_two_looks_at_a_content_the_later_one_stays(ledger: Ledger) -> None:
    later = KnownContent("def", NOW, NOW + HOUR)
    earlier = KnownContent("abc", NOW - DAY, NOW)
    for look in (later, earlier):
        ledger.contents.save({"a.md": look}, {"a.md"})

    assert ledger.contents.known() == {"a.md": later}


def test_it_is_known_which_tasks_the_model_wrote(ledger: Ledger) -> None:
    assert ledger.approvals.model_tasks() == frozenset()

    ledger.approvals.save_model_tasks(["b", "a"])
    assert ledger.approvals.model_tasks() == {"a", "b"}
    ledger.approvals.save_model_tasks([])
    assert ledger.approvals.model_tasks() == frozenset()
