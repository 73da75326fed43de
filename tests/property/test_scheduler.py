"""Whatever happens to scheduler and ledger: nothing starts too early, twice or never, and every
trace is in order."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from core.adapters.ledger import SqliteLedger
from core.adapters.ledger.items import ItemTable
from core.adapters.ledger.occurrences import OccurrenceTable
from core.adapters.ledger.rows import number
from core.engine import plan as planning
from core.model.document import Action, ActionStatus
from core.model.ledger import ItemPast
from core.model.occurrence import Occurrence, Outcome, State
from core.model.plan import BeatRequest, Plan
from core.model.workspace import Workspace
from core.ports.world import World
from core.rules.planning.plan import make_plan
from core.rules.planning.plan_input import PlanInput
from core.rules.timing.schedule import Schedule
from tests.property.scheduler import SchedulerLife

TestSchedulerLife = pytest.mark.slow(SchedulerLife.TestCase)
TestSchedulerLife.settings = settings(max_examples=300, stateful_step_count=40, deadline=None)


class LifeOnDisk(SchedulerLife):
    """The same with the real ledger, which is closed and opened again where the resident
    restarts."""

    make_ledger = staticmethod(SqliteLedger)
    is_on_disk = True


TestLifeOnDisk = LifeOnDisk.TestCase
TestLifeOnDisk.settings = settings(max_examples=20, stateful_step_count=40, deadline=None)


# -- what these lives have found


@pytest.mark.parametrize("life", [SchedulerLife, LifeOnDisk])
@pytest.mark.parametrize("back", [timedelta(minutes=181), timedelta(minutes=219)])
def test_a_clock_set_back_far_brings_no_slot_of_the_next_zone_back(
    life: type[SchedulerLife], back: timedelta
) -> None:
    """Monday's run of a cron item is made up for on Tuesday in Berlin. Then the clock is set back
    to before Tuesday in New York, where 09:15 on Monday is later than the slot that has run: but
    it is before now, and the last start counts as now."""
    state = life()
    try:
        state.begin(["", "cron:'15 9 * * MON'", "", "startup"], [1, 3, 1, 2])
        state.a_plan_is_made()
        state.time_passes_and_nothing_runs(timedelta(weeks=1))
        state.a_plan_is_made()
        state.the_timer_beats()
        assert state.expected["b"].slot == datetime(2026, 10, 26, 8, 15, tzinfo=UTC)

        state.the_clock_is_set(back, True)
        state.the_person_travels(ZoneInfo("America/New_York"))
        state.the_person_asks_for_a_beat()
        state.the_timer_beats()  # the beat after that one remembers that it counts from now

        assert state.stage.ran.count("b") == 1
    finally:
        state.teardown()


@pytest.mark.parametrize("life", [SchedulerLife, LifeOnDisk])
def test_a_start_by_hand_behind_a_used_slot_does_not_make_that_slot_due_again(
    life: type[SchedulerLife],
) -> None:
    """The first run was at 08:30. The clock is set back to 08:19, where the person runs it by
    hand: the next run is ten minutes after that, and not at 08:30 again, which cannot be taken."""
    state = life()
    try:
        state.begin(["every:10m", "", ""], [1, 1, 1, 1])
        state.the_person_asks_for_a_beat()
        state.the_clock_is_set(timedelta(minutes=11), True)
        state.the_person_asks_for_items(["a"])
        state.time_passes_and_nothing_runs(timedelta(hours=1))
        state.the_timer_beats()

        assert state.stage.ran.count("a") == 3
    finally:
        state.teardown()


# -- the same life with something broken


class RecordsAfterTheEffect(OccurrenceTable):
    """A slot counts as used when its run has ended."""

    def start(self, occurrence: Occurrence, now: datetime) -> Occurrence:
        return replace(occurrence, state=State.STARTED, started=now)

    def finish(
        self, occurrence: Occurrence, outcome: Outcome, now: datetime, **details: Any
    ) -> Occurrence:
        super().start(occurrence, occurrence.started or now)
        return super().finish(occurrence, outcome, now, **details)


class ForgetsStartsAhead(ItemTable):
    """What was recorded by a clock that has been set back since never happened."""

    def see(self, schedules: Mapping[str, str], now: datetime) -> dict[str, ItemPast]:
        known = super().see(schedules, now)
        return {
            item: replace(one, last_start=None, last_slot=None, last_slot_zone=None)
            if max(filter(None, (one.last_start, one.last_slot)), default=now) > now
            else one
            for item, one in known.items()
        }


class ForgetsRowsAhead(OccurrenceTable):
    """The same of the slots: one that such a clock recorded can be taken again."""

    def claim(self, occurrence: Occurrence, now: datetime) -> Occurrence | None:
        with self._database.writing() as connection:
            connection.execute(
                "DELETE FROM occurrence WHERE item = ? AND slot = ? AND started > ?",
                (occurrence.item, number(occurrence.slot), number(now)),
            )
            return super().claim(occurrence, now)


class KeepsFirstSights(ItemTable):
    """A changed schedule is not seen again: it replays what it would have missed."""

    def see(self, schedules: Mapping[str, str], now: datetime) -> dict[str, ItemPast]:
        first_seen = [(number(one.first_seen), item) for item, one in self.all().items()]
        super().see(schedules, now)

        with self._database.writing() as connection:
            connection.executemany("UPDATE item SET first_seen = ? WHERE item = ?", first_seen)

        known = self.all()
        return {item: known[item] for item in schedules}


def recording_after_the_effect(_: Path) -> SqliteLedger:
    ledger = SqliteLedger()
    ledger.occurrences = RecordsAfterTheEffect(ledger.database)
    return ledger


def forgetting_what_is_ahead(_: Path) -> SqliteLedger:
    ledger = SqliteLedger()
    ledger.items = ForgetsStartsAhead(ledger.database)
    ledger.occurrences = ForgetsRowsAhead(ledger.database)
    return ledger


def keeping_first_sights(_: Path) -> SqliteLedger:
    ledger = SqliteLedger()
    ledger.items = KeepsFirstSights(ledger.database)
    return ledger


def due_by_the_file(
    world: World, workspace: Workspace, request: BeatRequest, now: datetime, **more: Any
) -> PlanInput:
    """What has run is taken from `last_wake` in the frontmatter instead of the ledger."""
    given = input_by_the_ledger(world, workspace, request, now, **more)
    written = workspace.document.frontmatter.text("last_wake")
    last = datetime.fromisoformat(written) if written else None
    memory = {
        item: replace(one, last_start=last, last_slot=last) for item, one in given.past.items()
    }
    return replace(given, past=memory)


input_by_the_ledger = planning.plan_input


def earliest_slot(schedule: Schedule, now: datetime, zone: Any, after: datetime) -> datetime | None:
    """One start for each slot that was missed, the oldest first."""
    slot = schedule.slot_after(after, zone)
    return slot if slot and slot <= now.astimezone(UTC) else None


def every_pending_is_new(action: Action, schedule: Schedule | None, memory: ItemPast) -> bool:
    """PENDING in the file is a request, also in an old copy."""
    return action.status is ActionStatus.PENDING and schedule is None


def nothing_to_recover(*_: object) -> list[Occurrence]:
    """What a crash left stays as it is."""
    return []


def no_delay(action: Action, attempt: int) -> timedelta:
    """A retry comes at once."""
    return timedelta(0)


def sleeps_too_long(workspace: Workspace, given: PlanInput) -> Plan:
    """The resident is told to wake a minute after the first item is due."""
    plan = make_plan(workspace, given)
    return replace(plan, next_wake=plan.next_wake and plan.next_wake + timedelta(minutes=1))


BROKEN: dict[str, dict[str, Any]] = {
    "the slot is recorded after the effect": {
        "make_ledger": staticmethod(recording_after_the_effect)
    },
    "a clock set back repeats": {"make_ledger": staticmethod(forgetting_what_is_ahead)},
    "a changed schedule replays": {"make_ledger": staticmethod(keeping_first_sights)},
    "due by last_wake in the file": {"patches": [("core.engine.plan.plan_input", due_by_the_file)]},
    "every missed slot is made up for": {
        "patches": [("core.rules.timing.schedule.Schedule.latest_slot", earliest_slot)]
    },
    "an old copy of the file runs again": {
        "patches": [("core.rules.planning.plan.is_wanted_again", every_pending_is_new)]
    },
    "nothing is recovered": {
        "patches": [
            ("core.engine.beat.recover", nothing_to_recover),
            ("core.engine.plan.recover", nothing_to_recover),
        ]
    },
    "a retry comes at once": {
        "patches": [
            ("core.engine.actions.retry_after", no_delay),
            ("core.engine.recover.retry_after", no_delay),
        ]
    },
    "the wake is too late": {"patches": [("core.engine.plan.make_plan", sleeps_too_long)]},
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
def test_each_broken_scheduler_is_detected(broken: dict[str, Any]) -> None:
    few = settings(
        max_examples=200,
        stateful_step_count=40,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        derandomize=True,
        report_multiple_bugs=False,
    )
    life = type("BrokenLife", (SchedulerLife,), broken)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(life, settings=few)
