"""A new schedule word is one file and one line in one table. These tests add some: one is read,
explained, shown and run, and one that happens once is done after its run, as `at:` is."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import count

import pytest

from core.kinds import read_document
from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass
from core.model.schedule import Due
from core.rules.planning.past_instants import with_past_instants
from core.rules.timing.durations import corrected_duration, duration_text, read_duration
from core.rules.timing.expressions import read_schedule
from core.rules.timing.schedule import (
    DecisionPoint,
    Recorded,
    Schedule,
    ScheduleWord,
    WallClock,
    next_of_dates,
)
from core.rules.timing.times import corrected_time, read_time, time_words
from core.rules.timing.words import WORDS
from core.rules.timing.zones import in_zone, instant_of
from tests.stage import BERLIN, MONDAY, Stage, action, actions
from tray_app.cli.line_readings import line_readings

FIRST = date(2026, 11, 16)


@light_dataclass(frozen=True, slots=True)
class Fortnightly(WallClock):
    at: time

    def text(self) -> str:
        return f"fortnightly:{self.at:%H:%M}"

    def sentence(self) -> str:
        return f"Every second Monday at {time_words(self.at)}"

    def time_of_day(self) -> time | None:
        return self.at

    def is_rhythm(self) -> bool:
        return False

    def next_wall(self, wall: datetime) -> datetime:
        passed = (wall.date() - FIRST) // timedelta(days=14)
        dates = (FIRST + timedelta(days=14 * number) for number in count(passed))
        return next_of_dates(dates, self.at, wall)


def read(text: str) -> Fortnightly | Problem:
    at = read_time(text)
    return at if isinstance(at, Problem) else Fortnightly(at)


def suggest(rest: str) -> Iterator[str]:
    yield f"fortnightly:{corrected_time(rest)}"


FORTNIGHTLY = ScheduleWord(
    name="fortnightly",
    example="fortnightly:09:00",
    stands_alone=False,
    read=read,
    suggest=suggest,
)


@pytest.fixture
def fortnightly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WORDS, FORTNIGHTLY.name, FORTNIGHTLY)


def test_without_its_line_in_the_table_it_is_not_a_schedule() -> None:
    found = read_schedule("fortnightly:09:00")
    assert isinstance(found, Problem)
    assert found.message == "`fortnightly:09:00` is not a schedule."


@pytest.mark.usefixtures("fortnightly")
def test_it_is_read_and_written_back() -> None:
    schedule = read_schedule("Fortnightly:09:00")
    assert schedule == Fortnightly(time(9))
    assert isinstance(schedule, Schedule)
    assert schedule.text() == "fortnightly:09:00"


@pytest.mark.usefixtures("fortnightly")
@pytest.mark.parametrize("written", ["fortnightly:9", "fortnigtly:09:00", "fortnightly 9:00"])
def test_a_slip_is_told_how_it_is_written(written: str) -> None:
    found = read_schedule(written)
    assert isinstance(found, Problem)
    assert found.hint == "Write `fortnightly:09:00`."


@pytest.mark.usefixtures("fortnightly")
def test_the_check_page_says_it_in_words() -> None:
    text = actions(action("tidy", "schedule: fortnightly:09:00"))
    document = read_document(text.encode())
    (row,) = [one for one in line_readings(document) if one.label == "action"]
    assert document.diagnostics == ()
    assert "every second Monday at 09:00" in row.details


@pytest.mark.usefixtures("fortnightly")
def test_it_runs_in_a_beat_and_once_per_date() -> None:
    stage = Stage(actions(action("tidy", "schedule: fortnightly:09:00")), now=MONDAY)
    stage.beat("16 08:30")
    stage.beat("16 09:00")
    stage.beat("16 09:30")
    stage.beat("23 09:00")
    assert stage.ran == ["tidy"]

    stage.beat("30 09:00")
    assert stage.ran == ["tidy"]
    (first, last) = stage.history("tidy")
    assert (first.slot.day, last.slot.day) == (16, 30)


# -- a word that happens once ----------------------------------------------------------------------


@light_dataclass(frozen=True, slots=True)
class In(Schedule):
    """That long after it is first seen, one time only."""

    delay: timedelta

    def text(self) -> str:
        return f"in:{duration_text(self.delay)}"

    def sentence(self) -> str:
        return f"Once, {duration_text(self.delay)} after it is first seen"

    def advice(self) -> None:
        return None

    def happens_once(self) -> bool:
        return True

    def named_instant(self, _: tzinfo) -> datetime | None:
        return None

    def counts_from_last_start(self) -> bool:
        return False

    def counts_from_resident_start(self) -> bool:
        return False

    def time_of_day(self) -> None:
        return None

    def is_slot_shown(self, _: datetime) -> None:
        return None

    def next_slot(self, _: datetime, __: tzinfo) -> None:
        return None

    def due(self, point: DecisionPoint, recorded: Recorded) -> Due:
        seen = recorded.first_seen or point.now
        slot = in_zone(seen + self.delay, point.zone)
        if recorded.latest and recorded.latest >= slot:
            return Due("it was due once, and that is over", None)
        if slot > point.now:
            return point.not_yet(slot)

        return point.has_come(slot, None, point.catch_up)


@light_dataclass(frozen=True, slots=True)
class Noon(In):
    """At noon of a date, one time only: its text names an instant, which may be past."""

    day: date

    def text(self) -> str:
        return f"noon:{self.day}"

    def named_instant(self, zone: tzinfo) -> datetime:
        return instant_of(datetime.combine(self.day, time(12)), zone)


def read_in(text: str) -> In | Problem:
    delay = read_duration(text)
    return delay if isinstance(delay, Problem) else In(delay)


def suggest_in(rest: str) -> Iterator[str]:
    yield f"in:{corrected_duration(rest)}"


def read_noon(text: str) -> Noon:
    return Noon(timedelta(0), date.fromisoformat(text))


IN = ScheduleWord("in", "in:2h", False, read_in, suggest_in)
NOON = ScheduleWord("noon", "noon:2026-11-15", False, read_noon, suggest_in)


@pytest.fixture
def one_off_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WORDS, IN.name, IN)
    monkeypatch.setitem(WORDS, NOON.name, NOON)


ONE_OFFS = ["at:2026-11-16T10:00", "in:2h"]  # both are due at 10:00


@pytest.mark.usefixtures("one_off_words")
@pytest.mark.parametrize("schedule", ONE_OFFS)
def test_what_happens_once_is_done_after_its_run(schedule: str) -> None:
    stage = Stage(actions(action("tidy", f"schedule: {schedule}")), now=MONDAY)
    stage.beat("16 08:00")
    stage.beat("16 10:00")
    assert stage.ran == ["tidy"]
    assert stage.status("tidy") == "COMPLETED"

    stage.beat("17 10:00")
    assert stage.ran == []


@pytest.mark.usefixtures("one_off_words")
@pytest.mark.parametrize("schedule", ONE_OFFS)
def test_pending_asks_for_what_happens_once_again(schedule: str) -> None:
    stage = Stage(actions(action("tidy", f"schedule: {schedule}")), now=MONDAY)
    stage.beat("16 08:00")
    stage.beat("16 10:00")
    stage.edit("status: COMPLETED", "status: PENDING")
    stage.beat("16 10:30")
    assert stage.ran == ["tidy", "tidy"]
    assert stage.status("tidy") == "COMPLETED"


@pytest.mark.usefixtures("fortnightly")
def test_pending_is_what_one_that_comes_again_shows_after_its_run() -> None:
    stage = Stage(actions(action("tidy", "schedule: fortnightly:10:00")), now=MONDAY)
    stage.beat("16 08:00")
    stage.beat("16 10:00")
    assert stage.status("tidy") == "PENDING"

    stage.beat("16 10:30")
    assert stage.ran == ["tidy"]


@pytest.mark.usefixtures("one_off_words")
@pytest.mark.parametrize(
    ("schedule", "codes"),
    [
        ("noon:2026-11-15", ["HB404"]),
        ("at:2026-11-15T12:00", ["HB404"]),
        ("noon:2026-11-17", []),
        ("in:2h", []),
    ],
)
def test_a_named_instant_that_is_past_is_reported(schedule: str, codes: list[str]) -> None:
    stage = Stage(actions(action("tidy", f"schedule: {schedule}")), now=MONDAY)
    found = with_past_instants(stage.workspace(), MONDAY.astimezone(UTC), BERLIN)
    assert [one.code for one in found.diagnostics] == codes


def test_a_part_that_is_forgotten_is_named() -> None:
    class Forgetful(WallClock):
        def text(self) -> str:
            return "forgetful"

    with pytest.raises(TypeError, match=r"is_rhythm.*next_wall.*sentence.*time_of_day"):
        Forgetful()  # type: ignore[abstract]  # that is what the test is about

    class Unsaid(Schedule):
        pass

    with pytest.raises(
        TypeError, match=r"counts_from_last_start.*counts_from_resident_start.*happens_once"
    ):
        Unsaid()  # type: ignore[abstract]  # likewise

    with pytest.raises(TypeError, match="suggest"):
        ScheduleWord("forgetful", "forgetful", stands_alone=True, read=read)  # type: ignore[call-arg]  # likewise


@pytest.mark.parametrize("name", WORDS)
def test_every_word_reads_its_own_example(name: str) -> None:
    schedule = read_schedule(WORDS[name].example)
    assert isinstance(schedule, Schedule)
    assert read_schedule(schedule.text()) == schedule
    assert schedule.sentence()
