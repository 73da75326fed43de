"""What docs/spec.md asks of every beat and plan, whatever came before: the checks of the
scheduler's life."""

import copy
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis.stateful import RuleBasedStateMachine

from core.adapters.ledger import SqliteLedger
from core.engine import write_back
from core.engine.beat import beat
from core.engine.plan import plan_now, plan_only
from core.kinds import read_document
from core.model.document import Action
from core.model.holder import Holder
from core.model.ledger import ItemPast
from core.model.occurrence import TRANSITIONS, BeatReason, Occurrence, Outcome, State
from core.model.plan import BeatRequest, Planned
from core.ports.ledger import Ledger
from tests.property.expectation import INVALID, PERIODS, Expectation, Start
from tests.property.scheduler_faults import Fuse, Fused, Killed, TwoSeconds
from tests.stage import BERLIN, Stage

# Clocks change in Berlin on the 25th, in New York a week later.
START = datetime(2026, 10, 20, 6, 30, tzinfo=UTC)
INTERVAL = timedelta(minutes=30)

# Without it most of the time would go into reading the same bytes again.
read_once = lru_cache(maxsize=64)(read_document)


class ScheduleChecks(RuleBasedStateMachine):
    make_ledger: Callable[[Path], Ledger] = staticmethod(lambda _: SqliteLedger())
    is_on_disk = False  # a ledger in memory is gone when it is closed
    # What a broken variant puts in the place of the real thing.
    patches: Sequence[tuple[str, Any]] = ()

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(write_back, "threading", SimpleNamespace(Timer=TwoSeconds))
        self.patch.setattr("core.engine.read.read_document", read_once)
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
        self.dates: dict[str, set[date]] = {}  # local dates on which a daily item had its run
        self.old_copies: list[str] = []
        self.plan_wanted = True
        self.lasts_long = False
        self.is_cancelled_in: str | None = None

    def teardown(self) -> None:
        self.patch.undo()
        self.stage.ledger.close()
        self.folder.cleanup()

    @property
    def now(self) -> datetime:
        return self.stage.clock.now()

    # -- a child, and what is expected of it -------------------------------------------------------

    def beat(self, request: BeatRequest) -> None:
        self.run_child(request, "beat")

    def run_child(self, request: BeatRequest, kind: str) -> None:
        """A beat or a plan: afterwards the ledger, the file and the note are what docs/spec.md
        says."""
        # Instants in the file are whole seconds: no two may be the same.
        self.stage.clock.pass_time(timedelta(seconds=1.25))
        began = self.now
        before = copy.deepcopy(self.expected)
        self.look_at_the_file(began)
        self.recover(began)
        if not request.items:
            for name in self.here:
                self.expected[name].notice_clock(began, request.resident_start)
        self.forget_dates(before)
        awaited = self.starts_expected(request, began)
        due = awaited if kind == "beat" else {}
        world = replace(
            self.stage.world(),
            ledger=cast(Any, Fused(self.stage.ledger, self.fuse)),
            files=cast(Any, Fused(self.stage.files, self.fuse)),
            views=cast(Any, Fused(self.stage.views, self.fuse)),
        )
        killed = False
        try:
            done = beat(world, request) if kind == "beat" else plan_only(world, request)
            assert not isinstance(done, Holder)
        except Killed:
            killed = True
        started = self.take_rows(began, due, awaited.keys(), before if killed else None)
        if killed:
            return
        if not self.stage.cancelled.is_set():
            assert started == due.keys(), f"not started: {due.keys() - started}"
        self.all_is_tidy()
        self.the_note_is_right(self.now if started else began)
        if request.reason is BeatReason.TIMER and kind == "beat" and self.is_open(began):
            anchor = self.stage.ledger.plan.tick_anchor()
            assert anchor is not None
            assert anchor <= began < anchor + INTERVAL, "no tick is left behind"

    def forget_dates(self, before: dict[str, Expectation]) -> None:
        """Those of before the clock was set back far, or of another schedule."""
        for name, one in self.expected.items():
            if not one.is_day_known or name not in before or one.schedule != before[name].schedule:
                self.dates[name] = set()

    def look_at_the_file(self, now: datetime) -> None:
        found = {one.id: one for one in reversed(self.stage.workspace().document.actions)}
        for name, one in found.items():
            schedule = one.schedule or ""
            expected = self.expected.setdefault(name, Expectation(name, now, schedule))
            if expected.schedule != schedule:
                expected.schedule, expected.seen = schedule, now
                if expected.start is None:
                    # What it missed by another schedule is not a slot of this one.
                    expected.slot = None
                    expected.is_day_known = False
            expected.retry, expected.delay, expected.status = one.retry, one.retry_delay, one.status
            expected.instants = frozenset(instants(one))
        self.here = found.keys()

    def recover(self, now: datetime) -> None:
        """What a crash left is interrupted now."""
        for row in self.stage.ledger.occurrences.unfinished():
            name = row.item.removeprefix("action:")
            if row.state is State.STARTED:
                ended = replace(row, finished=now, outcome=Outcome.INTERRUPTED)
                self.expected[name].ended(ended)
                if name not in self.here:
                    self.expected[name].retry_at = None

    def starts_expected(self, request: BeatRequest, now: datetime) -> dict[str, Start]:
        """The starts that a beat at this moment makes."""
        here = {name: one for name, one in self.expected.items() if name in self.here}
        if request.items:
            clear = {
                name: one
                for name, one in here.items()
                if name in request.items and one.schedule != INVALID
            }
            return {name: Start(now, one.attempt) for name, one in clear.items()}
        due = {name: one.due(now, self.zone, request.resident_start) for name, one in here.items()}
        return {name: start for name, start in due.items() if start} if self.is_open(now) else {}

    def due_now(self) -> dict[str, Start]:
        """What a beat of the timer would start at this moment, as far as plans have seen the
        file."""
        if self.plan_wanted:
            return {}
        request = BeatRequest(BeatReason.TIMER, resident_start=self.resident_start)
        return self.starts_expected(request, self.now)

    def take_rows(
        self,
        began: datetime,
        due: dict[str, Start],
        awaited: Collection[str],
        before: dict[str, Expectation] | None,
    ) -> set[str]:
        """Take in what the ledger has recorded, and hold each start to what was due. `awaited` are
        the items that are due, also where this is only a plan."""
        rows = {(row.item, row.slot): row for row in self.stage.ledger.occurrences.history()}
        changed = [row for key, row in rows.items() if self.rows.get(key) != row]
        started: set[str] = set()
        for row in sorted(
            changed, key=lambda row: (row.state is not State.MISSED, row.started or row.slot)
        ):
            name = row.item.removeprefix("action:")
            old = self.rows.get((row.item, row.slot))
            self.is_legal(old.state if old else State.DUE, row.state)
            if not row.item.startswith("action:") or row.state not in (
                State.MISSED,
                State.STARTED,
                State.FINISHED,
            ):
                continue
            expected = self.expected[name]
            if row.state is State.MISSED:
                self.take_missed(row, began, is_awaited=name in awaited)
            elif old and old.state is State.STARTED:  # recovered
                assert row.outcome is Outcome.INTERRUPTED
            else:
                assert name not in started, "one start per item and beat"
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

    def take_missed(self, row: Occurrence, began: datetime, *, is_awaited: bool) -> None:
        """What passed beside a start that is due now may leave its slot unused: the start settles
        it. It must do so for `every:`, whose rhythm it would move."""
        name = row.item.removeprefix("action:")
        expected = self.expected[name]
        used = self.memories()[name].last_slot
        has_used = expected.schedule not in PERIODS and used is not None and used >= row.slot
        if has_used or not is_awaited:
            expected.use(row.slot, self.zone, began)

    def is_legal(self, old: State, new: State) -> None:
        """Whether the table leads from one state to the other, in as many steps as a beat may
        take."""
        reached = {old}
        for _ in State:
            reached |= {state for one in reached for state in TRANSITIONS[one]}
        assert new in reached, f"{old} became {new}"

    def is_right_start(self, row: Occurrence, due: dict[str, Start], began: datetime) -> None:
        name = row.item.removeprefix("action:")
        assert name in due, f"{name} was not to start at {began}"
        slot, attempt = due[name]
        assert row.started
        # The slot of `startup` is the start of the resident: a clock that was set back since is
        # behind it.
        assert row.slot <= row.started or slot == self.resident_start, "no start before its slot"
        # Only a clock far ahead can have used a slot that is due: then this moment takes its place.
        assert row.slot == slot or ((row.item, slot) in self.rows and row.slot == began), (
            f"{row.slot}, not {slot}"
        )
        assert row.attempts == attempt <= self.expected[name].retry, (
            "attempts are counted, up to the maximum"
        )

        if self.expected[name].schedule.startswith("daily") and slot not in (
            began,
            self.expected[name].retry_at,
        ):
            day = slot.astimezone(self.zone).date()
            assert day not in self.dates[name], "daily is at most once a local date"
            self.dates[name].add(day)

    # -- what holds afterwards ---------------------------------------------------------------------

    def memory_is_right(self) -> None:
        for name, memory in self.memories().items():
            one = self.expected[name]
            assert (memory.first_seen, memory.last_start, memory.last_slot) == (
                one.seen,
                one.start,
                one.slot,
            ), name
            assert (memory.last_outcome, memory.attempts, memory.retry_at) == (
                one.outcome,
                one.attempts,
                one.retry_at,
            )

    def adopt_memory(self, before: dict[str, Expectation]) -> None:
        """After a crash in the middle each item is as before or as expected, never something
        third."""
        memories = self.memories()
        self.expected = {name: one for name, one in self.expected.items() if name in memories}
        for name, one in self.expected.items():
            memory, old = memories[name], before.get(name, one)
            assert memory.first_seen in (one.seen, old.seen)
            assert memory.last_start in (one.start, old.start)
            assert memory.retry_at in (one.retry_at, old.retry_at)
            one.schedule = INVALID if memory.schedule == "unreadable" else memory.schedule
            one.seen, one.start, one.slot = memory.first_seen, memory.last_start, memory.last_slot
            one.place, one.is_day_known = (
                memory.last_slot_zone or UTC,
                memory.last_slot_zone is not None,
            )
            one.outcome, one.finished = memory.last_outcome, memory.last_finished
            one.attempts, one.retry_at = memory.attempts, memory.retry_at

    def memories(self) -> dict[str, ItemPast]:
        found = self.stage.ledger.items.all()
        return {
            key.removeprefix("action:"): one
            for key, one in found.items()
            if key.startswith("action:")
        }

    def all_is_tidy(self) -> None:
        assert self.stage.lock.holder() is None, "the lock is free"
        assert all(row.item != "task:done" for row in self.stage.ledger.occurrences.history()), (
            "a ticked task never runs"
        )
        assert self.stage.ledger.occurrences.unfinished() == (), "nothing is left open"
        assert all(one.finished for one in self.stage.ledger.beats.recent(99)), (
            "every beat has its end"
        )
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
        note = self.stage.ledger.plan.note()
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
            assert one.id in due or not coming or (wake and wake <= coming), (
                f"{one} comes at {coming}, not {wake}"
            )

    def is_open(self, moment: datetime) -> bool:
        """Whether the active hours, where there are some, have this moment."""
        window = next(
            (line[8:] for line in self.stage.files.text.split("\n") if line.startswith("active: ")),
            "",
        )
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
        pause = self.stage.ledger.requests.paused()
        return pause is not None and (pause.until is None or self.now < pause.until)

    def ledger_contents(self) -> object:
        ledger = self.stage.ledger
        beats, note, anchor = (
            ledger.beats.recent(999),
            ledger.plan.note(),
            ledger.plan.tick_anchor(),
        )
        return copy.deepcopy(
            (ledger.occurrences.history(), ledger.items.all(), beats, note, anchor)
        )

    def while_it_runs(self, name: str) -> None:
        """At the moment of the effect: the ledger knows of it, and nothing else of this item or
        program runs."""
        self.fuse.burn()
        open_rows = [
            row
            for row in self.stage.ledger.occurrences.unfinished()
            if row.item == f"action:{name}"
        ]
        assert [row.state for row in open_rows] == [State.STARTED], (
            "recorded before the effect, and only once"
        )
        assert isinstance(beat(self.stage.world(), BeatRequest(BeatReason.TIMER)), Holder), (
            "one beat at a time"
        )
        if self.lasts_long and TwoSeconds.current:
            TwoSeconds.current.function()  # the file shows RUNNING now
        if self.is_cancelled_in == name:
            self.stage.cancelled.set()
        self.fuse.burn()

    @contextmanager
    def only_this_changes(self, name: str) -> Iterator[None]:
        """Editing one item changes nothing for the others."""
        before = self.decisions(name)
        yield
        after = self.decisions(name)
        shared = before.keys() & after.keys()
        assert {key: before[key] for key in shared} == {key: after[key] for key in shared}

    def decisions(self, but: str) -> dict[str, Planned]:
        request = BeatRequest(BeatReason.TIMER, resident_start=self.resident_start)
        plan = plan_now(
            self.stage.world(), self.stage.workspace(), request, self.now, remember=False
        )
        return {item.key: item for item in plan.items if item.id != but}


def instants(one: Action) -> set[str]:
    written = (one.value for one in one.fields if one.key in ("completed_at", "failed_at"))
    read = map(datetime.fromisoformat, written)
    return {f"{instant.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" for instant in read}
