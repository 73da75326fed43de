"""Whatever happens to scheduler and ledger: nothing starts too early, twice or never, and every trace is in order."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from core.adapters.ledger import SqliteLedger
from core.engine import planning
from core.engine.world import World
from core.model.document import Action, ActionStatus
from core.model.memory import ItemMemory
from core.model.occurrence import Occurrence, Outcome, State
from core.model.plan import Plan, Wish
from core.model.schedule import Schedule
from core.model.workspace import Workspace
from core.rules.planning import Moment, make_plan
from core.rules.timing.slots import next_slot
from tests.fakes import FakeLedger, key, utc
from tests.property.scheduler import SchedulerLife

TestSchedulerLife = SchedulerLife.TestCase
TestSchedulerLife.settings = settings(max_examples=300, stateful_step_count=40, deadline=None)


class LifeOnDisk(SchedulerLife):
    """The same with the real ledger, which is closed and opened again where the resident restarts."""

    make_ledger = staticmethod(SqliteLedger)


TestLifeOnDisk = LifeOnDisk.TestCase
TestLifeOnDisk.settings = settings(max_examples=20, stateful_step_count=40, deadline=None)


# -- the same life with something broken


class RecordsAfterTheEffect(FakeLedger):
    """A slot counts as used when its run has ended."""

    def start(self, occurrence: Occurrence, now: datetime) -> Occurrence:
        return replace(occurrence, state=State.STARTED, started=now)

    def finish(self, occurrence: Occurrence, outcome: Outcome, now: datetime, **details: Any) -> Occurrence:
        super().start(occurrence, occurrence.started or now)
        return super().finish(occurrence, outcome, now, **details)


class ForgetsWhatIsAhead(FakeLedger):
    """What was recorded by a clock that has been set back since never happened."""

    def see(self, schedules: Mapping[str, str], now: datetime) -> dict[str, ItemMemory]:
        known = super().see(schedules, now)
        return {
            item: replace(one, last_start=None, last_slot=None, last_slot_zone=None)
            if max(filter(None, (one.last_start, one.last_slot)), default=now) > now
            else one
            for item, one in known.items()
        }

    def claim(self, occurrence: Occurrence, now: datetime) -> Occurrence | None:
        before = self.rows.get(key(occurrence))
        if before and before.started and before.started > utc(now):
            del self.rows[key(occurrence)]
        return super().claim(occurrence, now)


class KeepsFirstSights(FakeLedger):
    """A changed schedule is not seen anew: it replays what it would have missed."""

    def see(self, schedules: Mapping[str, str], now: datetime) -> dict[str, ItemMemory]:
        seen = {item: one.first_seen for item, one in self.memory.items()}
        known = super().see(schedules, now)
        self.memory |= {item: replace(one, first_seen=seen.get(item, one.first_seen)) for item, one in known.items()}
        return {item: self.memory[item] for item in schedules}


def due_by_the_file(world: World, workspace: Workspace, wish: Wish, now: datetime, **more: Any) -> Moment:
    """What has run is taken from `last_wake` in the frontmatter instead of the ledger."""
    moment = moment_by_the_ledger(world, workspace, wish, now, **more)
    written = workspace.document.frontmatter.text("last_wake")
    last = datetime.fromisoformat(written) if written else None
    memory = {item: replace(one, last_start=last, last_slot=last) for item, one in moment.memory.items()}
    return replace(moment, memory=memory)


moment_by_the_ledger = planning.moment_now


def earliest_slot(schedule: Schedule, now: datetime, zone: Any, after: datetime) -> datetime | None:
    """One start for each slot that was missed, the oldest first."""
    slot = next_slot(schedule, after, zone)
    return slot if slot and slot <= now.astimezone(UTC) else None


def every_pending_is_new(action: Action, schedule: Schedule | None, memory: ItemMemory) -> bool:
    """PENDING in the file is a wish, also in an old copy."""
    return action.status is ActionStatus.PENDING and schedule is None


def nothing_to_recover(*_: object) -> list[Occurrence]:
    """What a crash left stays as it is."""
    return []


def no_delay(action: Action, attempt: int) -> timedelta:
    """A retry comes at once."""
    return timedelta(0)


def sleeps_too_long(workspace: Workspace, moment: Moment) -> Plan:
    """The resident is told to wake a minute after the first item is due."""
    plan = make_plan(workspace, moment)
    return replace(plan, next_wake=plan.next_wake and plan.next_wake + timedelta(minutes=1))


BROKEN: dict[str, dict[str, Any]] = {
    "the slot is recorded after the effect": {"make_ledger": staticmethod(lambda _: RecordsAfterTheEffect())},
    "a clock set back repeats": {"make_ledger": staticmethod(lambda _: ForgetsWhatIsAhead())},
    "a changed schedule replays": {"make_ledger": staticmethod(lambda _: KeepsFirstSights())},
    "due by last_wake in the file": {"patches": [("core.engine.planning.moment_now", due_by_the_file)]},
    "every missed slot is made up for": {"patches": [("core.rules.timing.due.latest_slot", earliest_slot)]},
    "an old copy of the file runs again": {"patches": [("core.rules.planning._again", every_pending_is_new)]},
    "nothing is recovered": {
        "patches": [
            ("core.engine.beat.recover", nothing_to_recover),
            ("core.engine.planning.recover", nothing_to_recover),
        ]
    },
    "a retry comes at once": {
        "patches": [("core.engine.actions.retry_after", no_delay), ("core.engine.recovery.retry_after", no_delay)]
    },
    "the wake is too late": {"patches": [("core.engine.planning.make_plan", sleeps_too_long)]},
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
def test_the_life_catches_what_is_broken(broken: dict[str, Any]) -> None:
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
