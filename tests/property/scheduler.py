"""A life of the scheduler: beats, crashes, clocks, travels and a person who edits; each step is held to SPEC 4 and 5.

The engine, its rules and the ledger are real. What ought to happen is worked out by expectation.py, from what was
seen to happen before.
"""

import copy
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from core.adapters.ledger import SqliteLedger
from core.engine import write_back
from core.engine.beat import beat
from core.engine.planning import plan_now, plan_only
from core.model.document import Action
from core.model.holder import Holder
from core.model.memory import ItemMemory, Pause
from core.model.occurrence import TRANSITIONS, BeatReason, Occurrence, Outcome, State
from core.model.plan import Planned, Wish
from core.model.process import How
from core.ports import Ledger
from core.rules.reading.document import read_document
from core.rules.residing import Situation, Sleep, StartBeat, StartPlan, next_step
from tests.fakes import FakeLedger
from tests.property.expectation import INVALID, Expectation, Start
from tests.stage import Stage, action, actions

BERLIN, NEW_YORK, TOKYO = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Tokyo")
KOLKATA = ZoneInfo("Asia/Kolkata")
START = datetime(2026, 10, 20, 6, 30, tzinfo=UTC)  # clocks change in Berlin on the 25th, in New York a week later
IDS = ("a", "b", "c", "d")
HEADER = "version: 1\nlast_wake: null\nnext_wake: null\nstatus: idle"
TASK = "## Tasks\n\n- [ ] think | Think about it\n- [x] done | Never do this | run: never\n"
INTERVAL = timedelta(minutes=30)


def at(days: int, hours: int = 0) -> str:
    return f"at:{START + timedelta(days=days, hours=hours):%Y-%m-%dT%H:%M:%SZ}"


ONE_TIME = ["", at(-1), at(0, 2), at(1), at(12)]
RECURRING = [
    "every:10m",
    "every:1h",
    "every:1d",
    "hourly",
    "cron:'*/20 * * * *'",
    "cron:'15 9 * * MON'",
    "daily:09:00",
    "daily:23:30",
    "daily:00:10",
    "weekdays:08:00",
    "weekly:mon,thu:09:30",
    "monthly:last:18:00",
    "startup",
]
schedules = st.sampled_from([*ONE_TIME, *RECURRING, INVALID])
ids = st.sampled_from(IDS)
durations = st.one_of(
    st.integers(1, 900).map(lambda seconds: timedelta(seconds=seconds)),
    st.integers(1, 72).map(lambda hours: timedelta(hours=hours)),
    st.integers(1, 5).map(lambda weeks: timedelta(weeks=weeks)),
)
clock_steps = st.one_of(
    st.integers(1, 180).map(lambda minutes: timedelta(minutes=minutes)),
    st.integers(181, 60 * 24 * 10).map(lambda minutes: timedelta(minutes=minutes)),
)


read_once = lru_cache(maxsize=64)(read_document)  # most of the time would go into reading the same bytes again


class Killed(BaseException):
    """The program is gone, at this very point."""


class Fuse:
    """Burns at every touch of a port; at the last one the program is gone."""

    def __init__(self) -> None:
        self.left: int | None = None

    def burn(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left <= 0:
                self.left = None
                raise Killed


class Fused:
    """A port that burns the fuse before and after each call."""

    def __init__(self, port: object, fuse: Fuse) -> None:
        self._port, self._fuse = port, fuse

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)

        def call(*arguments: Any, **named: Any) -> Any:
            self._fuse.burn()
            answer = method(*arguments, **named)
            self._fuse.burn()
            return answer

        return call


class TwoSeconds:
    """The timer of a beat that has lasted a while: it fires when a test says so."""

    current: "TwoSeconds | None" = None

    def __init__(self, _seconds: float, function: Callable[[], None]) -> None:
        self.function = function

    def start(self) -> None:
        TwoSeconds.current = self

    def cancel(self) -> None:
        TwoSeconds.current = None

    def join(self) -> None:
        pass


class SchedulerLife(RuleBasedStateMachine):
    make_ledger: Callable[[Path], Ledger] = staticmethod(lambda _: FakeLedger())
    patches: Sequence[tuple[str, Any]] = ()  # what a broken variant puts in the place of the real thing

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(write_back, "threading", SimpleNamespace(Timer=TwoSeconds))
        self.patch.setattr("core.engine.reading.read_document", read_once)
        for target, replacement in self.patches:
            self.patch.setattr(target, replacement)
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "ledger.db"
        self.stage = Stage("", START, BERLIN, type(self).make_ledger(self.path))
        self.stage.processes.meanwhile = self.while_it_runs
        self.zone = BERLIN
        self.fuse = Fuse()
        self.resident_start: datetime | None = None
        self.expected: dict[str, Expectation] = {}
        self.rows: dict[tuple[str, datetime], Occurrence] = {}
        self.old_copies: list[str] = []
        self.plan_wanted = True
        self.lasts_long = False
        self.is_cancelled_in: str | None = None

    def teardown(self) -> None:
        self.patch.undo()
        self.stage.ledger.close()
        self.folder.cleanup()

    @initialize(chosen=st.lists(schedules, min_size=3, max_size=4), retries=st.lists(st.integers(1, 3), min_size=4))
    def begin(self, chosen: list[str], retries: list[int]) -> None:
        blocks = [block(*given) for given in zip(IDS, chosen, retries, strict=False)]
        self.stage.files.save(actions(*blocks, header=HEADER) + TASK)

    # -- time ---------------------------------------------------------------------------------------------------

    @property
    def now(self) -> datetime:
        return self.stage.clock.now()

    @rule(duration=durations)
    def time_passes_and_nothing_runs(self, duration: timedelta) -> None:
        self.stage.clock.pass_time(duration)

    @rule(by=clock_steps, back=st.booleans())
    def the_clock_is_set(self, by: timedelta, back: bool) -> None:
        self.stage.clock.step(-by if back else by)
        self.stage.clock.pass_time(timedelta(microseconds=7))  # no two moments are the same by chance
        self.plan_wanted = True

    @rule(zone=st.sampled_from([BERLIN, NEW_YORK, TOKYO, KOLKATA]))
    def the_person_travels(self, zone: ZoneInfo) -> None:
        self.stage.clock.place = self.zone = zone
        self.plan_wanted = True

    # -- beats --------------------------------------------------------------------------------------------------

    @rule()
    def the_timer_beats(self) -> None:
        self.beat(Wish(BeatReason.TIMER, resident_start=self.resident_start))

    @rule()
    def the_timer_beats_twice(self) -> None:
        """The second one finds nothing to do, unless the first took its time, and then leaves no trace."""
        self.the_timer_beats()
        before, text, started = self.ledger_contents(), self.stage.files.text, len(self.stage.processes.ran)
        anchor = self.stage.ledger.tick_anchor()
        self.the_timer_beats()
        counts_from_now = any(one.seen > self.now for one in self.expected.values())  # first seen by a clock ahead
        came = anchor is None or self.now >= anchor + INTERVAL  # a tick
        if len(self.stage.processes.ran) == started and not counts_from_now and not came:
            assert self.ledger_contents() == before
            assert self.stage.files.text == text

    @rule()
    def the_person_asks_for_a_beat(self) -> None:
        self.beat(Wish(BeatReason.PERSON))
        self.plan_wanted = True  # its note knows nothing of `startup`; the resident's own beat found the lock taken

    @rule(names=st.lists(ids, min_size=1, max_size=2, unique=True))
    def the_person_asks_for_items(self, names: list[str]) -> None:
        self.beat(Wish(BeatReason.PERSON, (*names, "done")))
        self.plan_wanted = True

    @rule()
    def a_plan_is_made(self) -> None:
        self.run_child(Wish(BeatReason.TIMER, resident_start=self.resident_start), "plan")

    @rule(touches=st.integers(1, 90), kind=st.sampled_from(["beat", "beat", "plan"]))
    def the_program_is_killed(self, touches: int, kind: str) -> None:
        self.fuse.left = touches
        try:
            self.run_child(Wish(BeatReason.TIMER, resident_start=self.resident_start), kind)
        finally:
            self.fuse.left = None
            self.plan_wanted = True  # as after every child that crashed

    @rule(name=ids)
    def the_beat_is_told_to_end(self, name: str) -> None:
        self.is_cancelled_in = name
        self.the_timer_beats()
        self.is_cancelled_in = None
        self.stage.cancelled.wish = False

    @rule()
    def the_resident_restarts(self) -> None:
        self.stage.clock.pass_time(timedelta(seconds=1))
        self.resident_start = self.now
        self.plan_wanted = True
        if isinstance(self.stage.ledger, SqliteLedger):
            self.stage.ledger.close()
            self.stage.ledger = type(self).make_ledger(self.path)

    @precondition(lambda self: self.resident_start)
    @rule(rounds=st.integers(1, 8), sleeps=st.integers(0, 3))
    def the_resident_goes_on(self, rounds: int, sleeps: int) -> None:
        """Its real rule decides what comes next; the clock moves to the end of its sleep."""
        for _ in range(rounds):
            ledger = self.stage.ledger
            situation = Situation(False, self.plan_wanted, ledger.plan(), ledger.paused(), None)
            match next_step(situation, self.now):
                case StartPlan():
                    self.plan_wanted = False
                    self.a_plan_is_made()
                case StartBeat():
                    assert not self.is_paused(), "a pause holds beats back"
                    self.the_timer_beats()
                case Sleep(until):
                    assert self.is_paused() or not self.due_now(), "it sleeps although something is due"
                    if until is None or sleeps == 0:
                        return
                    sleeps -= 1
                    assert until > self.now
                    self.stage.clock.pass_time(until - self.now + timedelta(milliseconds=3))

    @rule(hours=st.one_of(st.none(), st.integers(1, 30)))
    def the_person_pauses(self, hours: int | None) -> None:
        self.stage.ledger.pause(Pause(self.now, self.now + timedelta(hours=hours) if hours else None))

    @rule()
    def the_person_resumes(self) -> None:
        self.stage.ledger.resume()
        self.plan_wanted = True  # as the resident does at the end of a pause

    # -- what commands do ---------------------------------------------------------------------------------------

    @rule(name=ids, ending=st.sampled_from([0, 0, 1, How.TIMED_OUT, How.COULD_NOT_START]))
    def a_command_ends_differently(self, name: str, ending: How | int) -> None:
        self.stage.processes.endings[name] = ending

    @rule(lasting=st.sampled_from([0.02, 0.02, 3.0, 2500.0]))
    def commands_take_their_time(self, lasting: float) -> None:
        self.stage.processes.lasting = timedelta(seconds=lasting)
        self.lasts_long = lasting > 2

    def while_it_runs(self, name: str) -> None:
        """At the moment of the effect: the ledger knows of it, and nothing else of this item or program runs."""
        self.fuse.burn()
        open_rows = [row for row in self.stage.ledger.unfinished() if row.item == f"action:{name}"]
        assert [row.state for row in open_rows] == [State.STARTED], "recorded before the effect, and only once"
        assert isinstance(beat(self.stage.world(), Wish(BeatReason.TIMER)), Holder), "one beat at a time"
        if self.lasts_long and TwoSeconds.current:
            TwoSeconds.current.function()  # the file shows RUNNING now
        if self.is_cancelled_in == name:
            self.stage.cancelled.set()
        self.fuse.burn()

    # -- the person at the file ---------------------------------------------------------------------------------

    @rule(name=ids, schedule=schedules)
    def the_person_changes_a_schedule(self, name: str, schedule: str) -> None:
        with self.only_this_changes(name):
            self.edit(name, "schedule", schedule or None)

    @rule(name=ids, status=st.sampled_from(["PENDING", "PENDING", "COMPLETED", "FAILED", "SKIPPED"]))
    def the_person_writes_a_status(self, name: str, status: str) -> None:
        with self.only_this_changes(name):
            self.edit(name, "status", status)

    @rule(name=ids, retry=st.integers(1, 3), delay=st.sampled_from(["10s", "30s", "20m"]))
    def the_person_changes_the_retries(self, name: str, retry: int, delay: str) -> None:
        with self.only_this_changes(name):
            self.edit(name, "retry", str(retry))
            self.edit(name, "retry_delay", delay)

    @rule(name=ids, schedule=schedules)
    def the_person_removes_or_adds_an_action(self, name: str, schedule: str) -> None:
        with self.only_this_changes(name):
            document = read_once(self.stage.files.text.encode())
            node = next((node for node in document.nodes if node.owner == name), None)
            if node:
                self.save(document.text[: node.start] + document.text[node.end :])
            else:
                self.save(
                    document.text.replace("## Pending Actions\n", f"## Pending Actions\n\n{block(name, schedule)}")
                )

    @rule(line=st.sampled_from(["Call Ada.", "Buy milk.", "- [ ] think | Think about it"]))
    def the_person_writes_something_else(self, line: str) -> None:
        with self.only_this_changes(""):
            self.save(f"{self.stage.files.text}\n## Notes\n\n{line}\n")

    @rule(window=st.sampled_from(["09:00-18:00", "22:00-06:00 mon-fri", ""]))
    def the_person_sets_active_hours(self, window: str) -> None:
        lines = [line for line in self.stage.files.text.split("\n") if not line.startswith("active:")]
        self.save("\n".join([lines[0], f"active: {window}", *lines[1:]] if window else lines))

    @precondition(lambda self: self.old_copies)
    @rule(number=st.integers(0, 4))
    def an_old_copy_comes_back_from_an_editor(self, number: int) -> None:
        self.save(self.old_copies[number % len(self.old_copies)])

    @rule(is_open=st.booleans())
    def the_file_is_opened_or_closed_in_an_editor(self, is_open: bool) -> None:
        self.stage.files.is_open_in_editor = is_open

    def edit(self, name: str, key: str, value: str | None) -> None:
        document = read_once(self.stage.files.text.encode())
        found = next((one for one in document.actions if one.id == name), None)
        if found is None:
            return
        field = next((field for field in found.fields if field.key == key), None)
        beside = document.lines[(field or next(one for one in found.fields if one.key == "id")).line - 1]
        line = f"- {key}: {value}\n" if value else ""
        start = beside.start if field else beside.end
        self.save(document.text[:start] + line + document.text[beside.end :])

    def save(self, text: str) -> None:
        self.old_copies = [*self.old_copies[-4:], self.stage.files.text]
        self.stage.files.save(text)
        self.plan_wanted = True

    @contextmanager
    def only_this_changes(self, name: str) -> Iterator[None]:
        """Editing one item changes nothing for the others."""
        before = self.decisions(name)
        yield
        after = self.decisions(name)
        shared = before.keys() & after.keys()
        assert {key: before[key] for key in shared} == {key: after[key] for key in shared}

    def decisions(self, but: str) -> dict[str, Planned]:
        wish = Wish(BeatReason.TIMER, resident_start=self.resident_start)
        plan = plan_now(self.stage.world(), self.stage.workspace(), wish, self.now, remember=False)
        return {item.key: item for item in plan.items if item.id != but}

    # -- a child, and what is expected of it --------------------------------------------------------------------

    def beat(self, wish: Wish) -> None:
        self.run_child(wish, "beat")

    def run_child(self, wish: Wish, kind: str) -> None:
        """A beat or a plan: afterwards the ledger, the file and the note are what SPEC says."""
        self.stage.clock.pass_time(timedelta(seconds=1.25))  # instants in the file are seconds: let no two be the same
        began = self.now
        before = copy.deepcopy(self.expected)
        self.look_at_the_file(began)
        self.recover(began)
        if not wish.items:
            for name in self.here:
                self.expected[name].notice_clock(began, wish.resident_start)
        due = self.starts_expected(wish, began) if kind == "beat" else {}
        world = replace(
            self.stage.world(),
            ledger=cast(Any, Fused(self.stage.ledger, self.fuse)),
            files=cast(Any, Fused(self.stage.files, self.fuse)),
            views=cast(Any, Fused(self.stage.views, self.fuse)),
        )
        killed = False
        try:
            done = beat(world, wish) if kind == "beat" else plan_only(world, wish)
            assert not isinstance(done, Holder)
        except Killed:
            killed = True
        started = self.take_rows(began, due, before if killed else None)
        if killed:
            return
        if not self.stage.cancelled.is_set():
            assert started == due.keys(), f"not started: {due.keys() - started}"
        self.all_is_tidy()
        self.the_note_is_right(self.now if started else began)
        if wish.reason is BeatReason.TIMER and kind == "beat" and self.is_open(began):
            anchor = self.stage.ledger.tick_anchor()
            assert anchor is not None
            assert anchor <= began < anchor + INTERVAL, "no tick is left behind"

    def look_at_the_file(self, now: datetime) -> None:
        found = {one.id: one for one in reversed(self.stage.workspace().document.actions)}
        for name, one in found.items():
            schedule = one.schedule or ""
            expected = self.expected.setdefault(name, Expectation(name, now, schedule))
            if expected.schedule != schedule:
                expected.schedule, expected.seen = schedule, now
            expected.retry, expected.delay, expected.status = one.retry, one.retry_delay, one.status
            expected.instants = frozenset(instants(one))
        self.here = found.keys()

    def recover(self, now: datetime) -> None:
        """What a crash left is interrupted now."""
        for row in self.stage.ledger.unfinished():
            name = row.item.removeprefix("action:")
            if row.state is State.STARTED:
                ended = replace(row, finished=now, outcome=Outcome.INTERRUPTED)
                self.expected[name].ended(ended)
                if name not in self.here:
                    self.expected[name].retry_at = None

    def starts_expected(self, wish: Wish, now: datetime) -> dict[str, Start]:
        """The starts that a beat at this moment makes."""
        here = {name: one for name, one in self.expected.items() if name in self.here}
        if wish.items:
            clear = {name: one for name, one in here.items() if name in wish.items and one.schedule != INVALID}
            return {name: Start(now, one.attempt) for name, one in clear.items()}
        due = {name: one.due(now, self.zone, wish.resident_start) for name, one in here.items()}
        return {name: start for name, start in due.items() if start} if self.is_open(now) else {}

    def due_now(self) -> dict[str, Start]:
        """What a beat of the timer would start at this moment, as far as plans have seen the file."""
        if self.plan_wanted:
            return {}
        wish = Wish(BeatReason.TIMER, resident_start=self.resident_start)
        return self.starts_expected(wish, self.now)

    def take_rows(self, began: datetime, due: dict[str, Start], before: dict[str, Expectation] | None) -> set[str]:
        """Take in what the ledger has recorded, and hold each start to what was due."""
        rows = {(row.item, row.slot): row for row in self.stage.ledger.history()}
        changed = [row for key, row in rows.items() if self.rows.get(key) != row]
        started: set[str] = set()
        for row in sorted(changed, key=lambda row: (row.state is not State.MISSED, row.started or row.slot)):
            name = row.item.removeprefix("action:")
            old = self.rows.get((row.item, row.slot))
            self.is_legal(old.state if old else State.DUE, row.state)
            if not row.item.startswith("action:") or row.state not in (State.MISSED, State.STARTED, State.FINISHED):
                continue
            expected = self.expected[name]
            if row.state is State.MISSED:
                expected.use(row.slot, self.zone, began)
            elif old and old.state is State.STARTED:  # recovered
                assert row.outcome is Outcome.INTERRUPTED
            else:
                assert name not in started, "one start an item and beat"
                started.add(name)
                self.is_right_start(row, due, began)
                assert row.started
                expected.use(row.slot, self.zone, row.started)
                expected.started(row)
                if row.state is State.FINISHED:
                    expected.ended(row)
        for one in self.expected.values():
            one.again_since = None
        self.rows = rows
        if before is not None:
            self.adopt_memory(before)
        else:
            self.memory_is_right()
        return started

    def is_legal(self, old: State, new: State) -> None:
        """Whether the table leads from one state to the other, in as many steps as a beat may take."""
        reached = {old}
        for _ in State:
            reached |= {state for one in reached for state in TRANSITIONS[one]}
        assert new in reached, f"{old} became {new}"

    def is_right_start(self, row: Occurrence, due: dict[str, Start], began: datetime) -> None:
        name = row.item.removeprefix("action:")
        assert name in due, f"{name} was not to start at {began}"
        slot, attempt = due[name]
        assert row.started
        # The slot of `startup` is the start of the resident: a clock that was set back since is behind it.
        assert row.slot <= row.started or slot == self.resident_start, "no start before its slot"
        # Only a clock far ahead can have used a slot that is due: then this moment takes its place.
        assert row.slot == slot or ((row.item, slot) in self.rows and row.slot == began), f"{row.slot}, not {slot}"
        assert row.attempts == attempt <= self.expected[name].retry, "attempts are counted, up to the maximum"

    # -- what holds afterwards ----------------------------------------------------------------------------------

    def memory_is_right(self) -> None:
        for name, memory in self.memories().items():
            one = self.expected[name]
            assert (memory.first_seen, memory.last_start, memory.last_slot) == (one.seen, one.start, one.slot), name
            assert (memory.last_outcome, memory.attempts, memory.retry_at) == (one.outcome, one.attempts, one.retry_at)

    def adopt_memory(self, before: dict[str, Expectation]) -> None:
        """After a crash in the middle each item is as before or as expected, never something third."""
        memories = self.memories()
        self.expected = {name: one for name, one in self.expected.items() if name in memories}
        for name, one in self.expected.items():
            memory, old = memories[name], before.get(name, one)
            assert memory.first_seen in (one.seen, old.seen)
            assert memory.last_start in (one.start, old.start)
            assert memory.retry_at in (one.retry_at, old.retry_at)
            one.schedule = INVALID if memory.schedule == "unreadable" else memory.schedule
            one.seen, one.start, one.slot = memory.first_seen, memory.last_start, memory.last_slot
            one.place, one.is_day_known = memory.last_slot_zone or UTC, memory.last_slot_zone is not None
            one.outcome, one.finished = memory.last_outcome, memory.last_finished
            one.attempts, one.retry_at = memory.attempts, memory.retry_at

    def memories(self) -> dict[str, ItemMemory]:
        found = self.stage.ledger.items()
        return {key.removeprefix("action:"): one for key, one in found.items() if key.startswith("action:")}

    def all_is_tidy(self) -> None:
        assert self.stage.lock.holder() is None, "the lock is free"
        assert all(row.item != "task:done" for row in self.stage.ledger.history()), "a ticked task never runs"
        assert self.stage.ledger.unfinished() == (), "nothing is left open"
        assert all(one.finished for one in self.stage.ledger.recent_beats(99)), "every beat has its end"
        if self.stage.files.is_open_in_editor:
            return
        for one in self.stage.workspace().document.actions:
            expected = self.expected[one.id]
            assert one.status != "RUNNING", "RUNNING never survives"
            if one.status == "PENDING" and expected.finished and not one.unclear:
                is_shown = f"{expected.finished:%Y-%m-%dT%H:%M:%SZ}" in instants(one)
                is_waiting = expected.outcome is Outcome.COMPLETED and not expected.is_once
                assert is_shown or is_waiting, "an old copy is brought up to date"

    def the_note_is_right(self, made: datetime) -> None:
        """The next wake is not too late, and it is in the future unless something is due."""
        note = self.stage.ledger.plan()
        assert note
        wake = note.next_wake
        here = [one for name, one in self.expected.items() if name in self.here]
        due = [one.id for one in here if one.due(made, self.zone, None)]
        if due and self.is_open(made):
            assert wake
            assert wake <= made, f"{due} are due, and the wake is at {wake}"
            return
        startup = [one for one in here if one.due(made, self.zone, self.resident_start)]
        assert wake is None or wake > made or startup, "a wake in the past, and nothing to do"
        for one in here:
            coming = one.next(made, self.zone)
            assert one.id in due or not coming or (wake and wake <= coming), f"{one} comes at {coming}, not {wake}"

    def is_open(self, moment: datetime) -> bool:
        """Whether the active hours, where there are some, have this moment."""
        window = next((line[8:] for line in self.stage.files.text.split("\n") if line.startswith("active: ")), "")
        local = moment.astimezone(self.zone)
        match window:
            case "09:00-18:00":
                return 9 <= local.hour < 18
            case "22:00-06:00 mon-fri":
                opened = local - timedelta(hours=6)
                return (local.hour >= 22 or local.hour < 6) and opened.weekday() < 5
            case _:
                return True

    def is_paused(self) -> bool:
        pause = self.stage.ledger.paused()
        return pause is not None and (pause.until is None or self.now < pause.until)

    def ledger_contents(self) -> object:
        ledger = self.stage.ledger
        beats, note, anchor = ledger.recent_beats(999), ledger.plan(), ledger.tick_anchor()
        return copy.deepcopy((ledger.history(), ledger.items(), beats, note, anchor))


def block(name: str, schedule: str, retry: int = 1) -> str:
    lines = ["status: PENDING", f"retry: {retry}", *([f"schedule: {schedule}"] if schedule else [])]
    return action(name, *lines)


def instants(one: Action) -> set[str]:
    return {field.value for field in one.fields if field.key in ("completed_at", "failed_at")}
