"""A life of the scheduler: beats, crashes, clocks, travels and a person who edits, in any order.

The engine, its rules and the ledger are real. What ought to happen is worked out by
expectation.py, from what was seen to happen before; scheduler_checks.py holds each step to it.
"""

from datetime import timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from core.adapters.waiting.cancellation import CancelSwitch
from core.model.ledger import Pause
from core.model.occurrence import BeatReason
from core.model.plan import BeatRequest
from core.model.process import How
from core.rules.residing.next_step import Situation, Sleep, StartBeat, StartPlan, next_step
from tests.property.expectation import INVALID
from tests.property.scheduler_checks import INTERVAL, START, ScheduleChecks, read_once
from tests.stage import BERLIN, action, actions

ELSEWHERE = [ZoneInfo(name) for name in ("America/New_York", "Asia/Tokyo", "Asia/Kolkata")]
IDS = ("a", "b", "c", "d")
HEADER = "version: 1\nlast_wake: null\nnext_wake: null\nstatus: idle"
TASK = "## Tasks\n\n- [ ] think | Think about it\n- [x] done | Never do this | run: never\n"


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


class SchedulerLife(ScheduleChecks):
    @initialize(
        chosen=st.lists(schedules, min_size=3, max_size=4),
        retries=st.lists(st.integers(1, 3), min_size=4),
    )
    def begin(self, chosen: list[str], retries: list[int]) -> None:
        blocks = [block(*given) for given in zip(IDS, chosen, retries, strict=False)]
        self.stage.files.save(actions(*blocks, header=HEADER) + TASK)

    # -- time --------------------------------------------------------------------------------------

    @rule(duration=durations)
    def time_passes_and_nothing_runs(self, duration: timedelta) -> None:
        self.stage.clock.pass_time(duration)

    @rule(by=clock_steps, back=st.booleans())
    def the_clock_is_set(self, by: timedelta, back: bool) -> None:
        self.stage.clock.step(-by if back else by)
        self.stage.clock.pass_time(
            timedelta(microseconds=7)
        )  # no two moments are the same by chance
        self.plan_wanted = True

    @rule(zone=st.sampled_from([BERLIN, *ELSEWHERE]))
    def the_person_travels(self, zone: ZoneInfo) -> None:
        self.stage.clock.place = self.zone = zone
        self.plan_wanted = True

    # -- beats -------------------------------------------------------------------------------------

    @rule()
    def the_timer_beats(self) -> None:
        self.beat(BeatRequest(BeatReason.TIMER, resident_start=self.resident_start))

    @rule()
    def the_timer_beats_twice(self) -> None:
        """The second one finds nothing to do, unless the first took its time, and then leaves no
        trace."""
        self.the_timer_beats()
        before, text, started = (
            self.ledger_contents(),
            self.stage.files.text,
            len(self.stage.processes.ran),
        )
        anchor = self.stage.ledger.plan.tick_anchor()
        self.the_timer_beats()
        counts_from_now = any(
            one.seen > self.now for one in self.expected.values()
        )  # first seen by a clock ahead
        came = anchor is None or self.now >= anchor + INTERVAL  # a tick
        if len(self.stage.processes.ran) == started and not counts_from_now and not came:
            assert self.ledger_contents() == before
            assert self.stage.files.text == text

    @rule()
    def the_person_asks_for_a_beat(self) -> None:
        self.beat(BeatRequest(BeatReason.PERSON))
        # its note knows nothing of `startup`; the resident's own beat found the lock taken
        self.plan_wanted = True

    @rule(names=st.lists(ids, min_size=1, max_size=2, unique=True))
    def the_person_asks_for_items(self, names: list[str]) -> None:
        self.beat(BeatRequest(BeatReason.PERSON, (*names, "done")))
        self.plan_wanted = True

    @rule()
    def a_plan_is_made(self) -> None:
        self.run_child(BeatRequest(BeatReason.TIMER, resident_start=self.resident_start), "plan")

    @rule(touches=st.integers(1, 90), kind=st.sampled_from(["beat", "beat", "plan"]))
    def the_program_is_killed(self, touches: int, kind: str) -> None:
        self.fuse.left = touches
        try:
            self.run_child(BeatRequest(BeatReason.TIMER, resident_start=self.resident_start), kind)
        finally:
            self.fuse.left = None
            self.plan_wanted = True  # as after every child that crashed

    @rule(name=ids)
    def the_beat_is_told_to_end(self, name: str) -> None:
        self.is_cancelled_in = name
        self.the_timer_beats()
        self.is_cancelled_in = None
        self.stage.cancelled = CancelSwitch()

    @rule()
    def the_resident_restarts(self) -> None:
        self.stage.clock.pass_time(timedelta(seconds=1))
        self.resident_start = self.now
        self.plan_wanted = True
        if self.is_on_disk:
            self.stage.ledger.close()
            self.stage.ledger = type(self).make_ledger(self.path)

    @precondition(lambda self: self.resident_start)
    @rule(rounds=st.integers(1, 8), sleeps=st.integers(0, 3))
    def the_resident_goes_on(self, rounds: int, sleeps: int) -> None:
        """Its real rule decides what comes next; the clock moves to the end of its sleep."""
        for _ in range(rounds):
            ledger = self.stage.ledger
            situation = Situation(
                False, self.plan_wanted, ledger.plan.note(), ledger.requests.paused(), None
            )
            match next_step(situation, self.now):
                case StartPlan():
                    self.plan_wanted = False
                    self.a_plan_is_made()
                case StartBeat():
                    assert not self.is_paused(), "a pause holds beats back"
                    self.the_timer_beats()
                case Sleep(until):
                    assert self.is_paused() or not self.due_now(), (
                        "it sleeps although something is due"
                    )
                    if until is None or sleeps == 0:
                        return
                    sleeps -= 1
                    assert until > self.now
                    self.stage.clock.pass_time(until - self.now + timedelta(milliseconds=3))

    @rule(hours=st.one_of(st.none(), st.integers(1, 30)))
    def the_person_pauses(self, hours: int | None) -> None:
        self.stage.ledger.requests.pause(
            Pause(self.now, self.now + timedelta(hours=hours) if hours else None)
        )

    @rule()
    def the_person_resumes(self) -> None:
        self.stage.ledger.requests.resume()
        self.plan_wanted = True  # as the resident does at the end of a pause

    # -- what commands do --------------------------------------------------------------------------

    @rule(name=ids, ending=st.sampled_from([0, 0, 1, How.TIMED_OUT, How.COULD_NOT_START]))
    def a_command_ends_differently(self, name: str, ending: How | int) -> None:
        self.stage.processes.endings[name] = ending

    @rule(lasting=st.sampled_from([0.02, 0.02, 3.0, 2500.0]))
    def commands_take_their_time(self, lasting: float) -> None:
        self.stage.processes.lasting = timedelta(seconds=lasting)
        self.lasts_long = lasting > 2

    # -- the person at the file --------------------------------------------------------------------

    @rule(name=ids, schedule=schedules)
    def the_person_changes_a_schedule(self, name: str, schedule: str) -> None:
        with self.only_this_changes(name):
            self.edit(name, "schedule", schedule or None)

    @rule(
        name=ids, status=st.sampled_from(["PENDING", "PENDING", "COMPLETED", "FAILED", "SKIPPED"])
    )
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
                    document.text.replace(
                        "## Pending Actions\n", f"## Pending Actions\n\n{block(name, schedule)}"
                    )
                )

    @rule(line=st.sampled_from(["Call Ada.", "Buy milk.", "- [ ] think | Think about it"]))
    def the_person_writes_something_else(self, line: str) -> None:
        with self.only_this_changes(""):
            self.save(f"{self.stage.files.text}\n## Notes\n\n{line}\n")

    @rule(window=st.sampled_from(["09:00-18:00", "22:00-06:00 mon-fri", ""]))
    def the_person_sets_active_hours(self, window: str) -> None:
        lines = [
            line for line in self.stage.files.text.split("\n") if not line.startswith("active:")
        ]
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
        beside = document.lines[
            (field or next(one for one in found.fields if one.key == "id")).line - 1
        ]
        line = f"- {key}: {value}\n" if value else ""
        start = beside.start if field else beside.end
        self.save(document.text[:start] + line + document.text[beside.end :])

    def save(self, text: str) -> None:
        self.old_copies = [*self.old_copies[-4:], self.stage.files.text]
        self.stage.files.save(text)
        self.plan_wanted = True


def block(name: str, schedule: str, retry: int = 1) -> str:
    lines = ["status: PENDING", f"retry: {retry}", *([f"schedule: {schedule}"] if schedule else [])]
    return action(name, *lines)
