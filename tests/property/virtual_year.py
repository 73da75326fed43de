"""A year of 50 actions, each with a schedule and the slots that it must have.

The plans, the actions and the ledger are those of a beat; the file is read once.
`python -m tests.property.virtual_year` lives it and prints what it came to.
"""

import gc
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from core.adapters.ledger import SqliteLedger
from core.engine.actions import run_actions
from core.engine.announce import AtOnce
from core.engine.local_time import local_time
from core.engine.plan import note_plan, plan_now, record_what_waits
from core.engine.write_back import RunningMark
from core.model.occurrence import BeatReason, Occurrence, Outcome
from core.model.plan import BeatRequest
from core.model.workspace import Workspace
from tests.stage import BERLIN, Stage, action, actions

START = datetime(2026, 11, 16, tzinfo=BERLIN).astimezone(
    UTC
)  # clocks change on 28 March and on 31 October
END = START + timedelta(days=365)
HALF_HOUR = timedelta(minutes=30)
RAM = Path("/dev/shm")  # where there is one, a commit costs no wait for the disk

MOMENTS = [START + number * HALF_HOUR for number in range(365 * 48)]
WALLS = [moment.astimezone(BERLIN).replace(tzinfo=None) for moment in MOMENTS]
FIRST = dict(
    zip(reversed(WALLS), reversed(MOMENTS), strict=True)
)  # of the moments that show the same: the first
DAYS = sorted({wall.date() for wall in WALLS})


def rhythm(hours: int) -> list[datetime]:
    """Local full hours that are a multiple of this, whatever the clocks do; only slots after the
    first sight count."""
    pairs = zip(MOMENTS[1:], WALLS[1:], strict=True)
    return [moment for moment, wall in pairs if wall.minute == 0 and wall.hour % hours == 0]


def elapsed(hours: int) -> list[datetime]:
    return [START + timedelta(hours=number) for number in range(0, 365 * 24, hours)]


def on(clock: str, fits: Callable[[date], bool]) -> list[datetime]:
    """At a time of day on some dates: the first time where it comes twice, after the gap where
    it does not come."""
    hour, minute = map(int, clock.split(":"))
    found = []
    for day in filter(fits, DAYS):
        wall = datetime(day.year, day.month, day.day, hour, minute)  # noqa: DTZ001 - what the clock on the wall shows
        while wall not in FIRST and wall <= WALLS[-1]:
            wall += HALF_HOUR
        found += [FIRST[wall]] if wall in FIRST else []
    return found


def is_last(day: date) -> bool:
    return (day + timedelta(days=1)).month != day.month


def each_year(month: int, day: int) -> Callable[[date], bool]:
    return lambda one: (one.month, one.day) == (month, day)


SCHEDULES: dict[str, list[datetime]] = (
    {
        "hourly": rhythm(1),
        "every:1h": elapsed(1),
        "every:2h": elapsed(2),
        "every:6h": elapsed(6),
        "every:12h": elapsed(12),
        "every:1d": elapsed(24),
        "every:7d": elapsed(24 * 7),
        "cron:'0 */3 * * *'": rhythm(3),
        "cron:'0 9 * * MON'": on("9:00", lambda day: day.weekday() == 0),
        "daily:09:00": on("9:00", lambda _: True),
        "daily:02:30": on("2:30", lambda _: True),
        "daily:03:00": on("3:00", lambda _: True),
        "daily:23:00": on("23:00", lambda _: True),
        "weekdays:08:00": on("8:00", lambda day: day.weekday() < 5),
        "weekends:11:00": on("11:00", lambda day: day.weekday() >= 5),
        "weekends:02:00": on("2:00", lambda day: day.weekday() >= 5),
        "weekly:mon,thu:09:00": on("9:00", lambda day: day.weekday() in (0, 3)),
        "weekly:sun:02:30": on("2:30", lambda day: day.weekday() == 6),
        "monthly:1:06:00": on("6:00", lambda day: day.day == 1),
        "monthly:15:15:00": on("15:00", lambda day: day.day == 15),
        "monthly:31:12:00": on("12:00", lambda day: day.day == 31),
        "monthly:last:18:00": on("18:00", is_last),
        "monthly:last:02:30": on("2:30", is_last),
        "yearly:12-24:18:00": on("18:00", each_year(12, 24)),
        "yearly:02-29:10:00": [],
        "yearly:03-28:02:30": on("2:30", each_year(3, 28)),
        "yearly:10-31:02:30": on("2:30", each_year(10, 31)),
        "yearly:07-04:12:00": on("12:00", each_year(7, 4)),
        "yearly:01-01:00:00": on("0:00", each_year(1, 1)),
        "at:2026-11-15T14:00:00Z": [],  # past when it was first seen
        "startup": [START],
    }
    | {f"at:{moment:%Y-%m-%dT%H:%M:%SZ}": [moment] for moment in MOMENTS[100::919]}
)


class Year:
    def __init__(self, folder: Path) -> None:
        names = [f"item{number}" for number in range(len(SCHEDULES))]
        blocks = [
            action(name, f"schedule: {schedule}")
            for name, schedule in zip(names, SCHEDULES, strict=True)
        ]
        self.coming = dict(zip(names, map(iter, SCHEDULES.values()), strict=True))
        self.stage = Stage(actions(*blocks), START, ledger=SqliteLedger(folder / "ledger.db"))
        self.stage.settings = replace(self.stage.settings, write_back="off", history_days=14)
        self.stage.processes.lasting = timedelta()
        self.world = self.stage.world()
        self.request = BeatRequest(BeatReason.TIMER, resident_start=START)

    def live_until(self, end: datetime, workspace: Workspace) -> int:
        """One wake after the other, each at the moment that the last plan named; returns how
        many starts there were."""
        starts, clock = 0, self.stage.clock
        while clock.now() < end:
            for done in self.wake(workspace):
                assert done.outcome is Outcome.COMPLETED
                assert (
                    done.slot
                    == done.started
                    == next(self.coming[done.item.removeprefix("action:")])
                )
                starts += 1
            following = self.stage.wakes_at
            assert following
            assert following > clock.now()
            clock.moment = following
        return starts

    def wake(self, workspace: Workspace) -> Iterator[Occurrence]:
        world = self.world
        now = local_time(world, world.clock.now(), workspace)
        plan = plan_now(world, workspace, self.request, now)
        record_what_waits(world, plan)
        number = world.ledger.beats.open(BeatReason.TIMER, 1, now).number
        mark = RunningMark(world, workspace)
        at_once = AtOnce(world, workspace, self.request)
        done, _ = run_actions(world, workspace, plan, number, mark, lambda *_: None, at_once)
        world.ledger.beats.close(number, now, completed=len(done))
        world.ledger.forget_before(now - timedelta(days=world.settings.history_days))
        note_plan(
            world, workspace, replace(plan, items=())
        )  # all that was due has run: its next wake holds
        self.stage.processes.started.clear()
        self.stage.processes.ran.clear()
        yield from done


@contextmanager
def a_year() -> Iterator[Year]:
    """A year that has not begun; its ledger is a real file."""
    with tempfile.TemporaryDirectory(dir=RAM if RAM.is_dir() else None) as folder:
        year = Year(Path(folder))
        yield year
        year.stage.ledger.close()


class Footprint(NamedTuple):
    blocks: int  # of memory that Python holds
    resident: int  # bytes of the whole process
    descriptors: int


class Lived(NamedTuple):
    starts: int
    slots_left: int  # that had no start
    early: Footprint  # after a quarter of the year
    late: Footprint
    occurrences: int  # in the ledger at the end


def footprint() -> Footprint:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    descriptors = len([*Path("/proc/self/fd").iterdir()])
    return Footprint(sys.getallocatedblocks(), pages * os.sysconf("SC_PAGE_SIZE"), descriptors)


def live() -> Lived:
    with a_year() as year:
        workspace = year.stage.workspace()
        starts = year.live_until(START + timedelta(days=91), workspace)
        early = footprint()
        starts += year.live_until(END, workspace)
        late = footprint()

        left = sum(1 for slots in year.coming.values() for _ in slots)
        return Lived(starts, left, early, late, len(year.stage.ledger.occurrences.history()))


if __name__ == "__main__":
    print(json.dumps(live()._asdict()))
