"""A year of half-hours in one resident: real children, a real ledger and a virtual clock.
`python -m tests.faults.resident_year` lives it and prints what it came to."""

import json
import os
import select
import shutil
import tempfile
import threading
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from core.adapters.ledger import SqliteLedger
from core.adapters.processes.children import SystemChildren
from core.engine.resident import Resident
from core.model.holder import Machine
from core.model.ledger import PlanNote
from core.model.occurrence import BeatReason
from tests.fakes.processes import FakeLock
from tests.fakes.waiting import FakeClock, FakeOwnerFile, FakeWaiting, FakeWaker, FakeWatcher
from tests.fakes.world import FakeResidentWorld
from tests.stage import BERLIN, at

BEATS = 17_520
SETTLED = 1_000  # beats after which caches are full
HALF_HOUR = timedelta(minutes=30)
TRUE = shutil.which("true") or "/bin/true"


class Year:
    """The resident of one workspace; the test does what a beat leaves in the ledger."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock(at("16 10:00"), BERLIN)
        self.ledger = SqliteLedger(folder / "ledger.db")
        self.child = SqliteLedger(folder / "ledger.db")  # the connection of the children
        self.note()
        self.resident = Resident(
            FakeResidentWorld(
                root=folder,
                clock=self.clock,
                ledger=self.ledger,
                lock=FakeLock(),
                model_lock=FakeLock(),
                children=SystemChildren(),
                watcher=FakeWatcher(),
                changed=FakeWaker(),
                waiting=FakeWaiting(self.clock),
                owner_file=FakeOwnerFile(Machine("m1", "this one")),
                machine_id="m1",
                child_command=lambda words: [TRUE, *words],
                environment=os.environ,
                child_log=folder / "children.log",
            ),
            lambda words: None,
        )

    def note(self) -> None:
        now = self.clock.now()
        with self.child.together():
            number = self.child.beats.open(BeatReason.TIMER, 1, now).number
            self.child.beats.close(number, now, completed=1)
            self.child.plan.save(PlanNote(now, now + HALF_HOUR))

    def live(self, beats: int) -> int:
        """So many half-hours; returns how many children ran."""
        ran = 0
        for _ in range(beats):
            self.clock.pass_time(HALF_HOUR)
            self.resident.step()
            if self.resident.child is not None:
                select.select([self.resident.child.process.fileno()], [], [])
                self.note()
                self.resident.reap()
                ran += 1
            self.resident.show(self.resident.status())
        return ran


def memory() -> int:
    """What this process has in memory, in kB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0])


def zombies() -> int:
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()
    return sum(
        ") Z" in Path(f"/proc/{child}/stat").read_text(encoding="ascii") for child in children
    )


class Footprint(NamedTuple):
    descriptors: int
    threads: int
    zombies: int
    kilobytes: int


class Lived(NamedTuple):
    children: int  # that ran
    early: Footprint
    late: Footprint


def footprint() -> Footprint:
    descriptors = len([*Path("/proc/self/fd").iterdir()])
    return Footprint(descriptors, threading.active_count(), zombies(), memory())


def live() -> Lived:
    """In memory where there is such a place: a year of flushes to a disk would only measure the
    disk."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        year = Year(Path(folder))
        children = year.live(1) + year.live(SETTLED)  # the first step is a plan
        early = footprint()
        children += year.live(BEATS - SETTLED)
        return Lived(children, early, footprint())


if __name__ == "__main__":
    print(json.dumps(live()._asdict()))
