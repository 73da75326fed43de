"""A resident that lives through many beats, as a program: `python -m tests.faults.long_life FOLDER BEATS`.

Only time is not real: each wait for a moment ends at once, with the clock at that moment. The ledger, the lock, the
owner's file and the children are real, and the loop waits for the end of each child. Prints what the process held
early in its life and at its end, as JSON.
"""

import gc
import json
import os
import select
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.adapters.children import SystemChildren
from core.adapters.ledger import SqliteLedger
from core.adapters.lock import FileLock
from core.adapters.owner_file import OwnerFileOnDisk, this_machine
from core.adapters.wake_up import WakeUp
from core.engine.resident import Resident, Surroundings
from core.model.memory import PlanNote
from core.model.occurrence import BeatReason
from core.model.status import Status
from core.ports import Source
from tests.fakes import FakeClock, FakeWatcher

START = datetime(2026, 1, 1, tzinfo=UTC)
HALF_HOUR = timedelta(minutes=30)
WARM = 500  # beats after which caches are full
A_BEAT = ["/bin/sh", "-c", ":"]


class Life:
    """The `Waiting` of a resident whose beats are told to the ledger when their child has ended."""

    def __init__(self, folder: Path, beats: int) -> None:
        self.beats_left = beats
        self.clock = FakeClock(START)
        self.from_a_child = SqliteLedger(folder / "state" / "ledger.db")
        self.shown = 0
        self.measured: list[dict[str, int]] = []
        machine = this_machine(folder / "state")
        owner = OwnerFileOnDisk(folder, machine)
        owner.claim(START)
        self.resident = Resident(
            Surroundings(
                root=folder,
                clock=self.clock,
                ledger=SqliteLedger(folder / "state" / "ledger.db"),
                beat_lock=FileLock(folder / "state" / "lock"),
                children=SystemChildren(),
                watcher=FakeWatcher(),
                changed=WakeUp(),
                waiting=self,
                owner=owner,
                machine=machine.id,
                say=lambda words: sys.exit(words),
                command=lambda words: [*A_BEAT, *words],
                environment={},
                log=folder / "children.log",
            )
        )
        self.resident.show = self.show

    def show(self, status: Status) -> None:
        self.shown += status.workspace != ""

    def wait(self, sources: Sequence[Source], until: datetime | None) -> bool:
        if self.resident.child:
            ready, _, _ = select.select([source.fileno() for source in sources], [], [], 60)
            assert ready, "the child has not ended"
            self._tell(self.resident.child_kind)
        else:
            assert until, "nothing is to come"
            assert until > self.clock.now()
            self.clock.moment = until
        return False

    def _tell(self, kind: str) -> None:
        """What a child writes before it ends."""
        now, ledger = self.clock.now(), self.from_a_child
        with ledger.together():
            if kind == "beat":
                ledger.close_beat(ledger.open_beat(BeatReason.TIMER, os.getpid(), now).number, now, completed=1)
                ledger.forget_before(now - timedelta(days=14))
            ledger.save_plan(PlanNote(now, now + HALF_HOUR, {"enabled": True}))
        if kind == "beat":
            self.beats_left -= 1
            if self.beats_left == 0:
                self.resident.end()

    def live(self) -> None:
        whole, self.beats_left = self.beats_left, WARM
        self.resident.run()
        self.measured.append(footprint())
        self.resident.ending, self.beats_left = False, whole - WARM
        self.resident.run()
        self.measured.append(footprint())


def footprint() -> dict[str, int]:
    gc.collect()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "resident_kib": int(status["VmRSS"].split()[0]),
        "threads": int(status["Threads"]),
        "descriptors": len([*Path("/proc/self/fd").iterdir()]),
        "children": len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()),
    }


def main(folder: Path, beats: int) -> None:
    life = Life(folder, beats)
    life.live()
    days = (life.clock.now() - START) / timedelta(days=1)
    print(json.dumps({"early": life.measured[0], "late": life.measured[1], "days": days, "shown": life.shown}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
