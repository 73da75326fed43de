"""A resident and all around it, for tests of the always-on loop."""

from pathlib import Path

from core.adapters.ledger import SqliteLedger
from core.engine.resident import Resident
from core.model.holder import Machine
from core.model.ledger import PlanNote
from core.model.occurrence import BeatReason
from tests.fakes.processes import FakeChild, FakeChildren, FakeLock
from tests.fakes.waiting import FakeClock, FakeOwnerFile, FakeWaiting, FakeWaker, FakeWatcher
from tests.fakes.world import FakeResidentWorld
from tests.stage import BERLIN, at

HERE = Machine("m1", "this one")


class House:
    """A resident and all around it. A child ends when the test says so."""

    def __init__(self, wake: str | None = "16 11:00", ledger: SqliteLedger | None = None) -> None:
        self.clock = FakeClock(at("16 10:00"), BERLIN)
        self.ledger = ledger or SqliteLedger()
        self.children = FakeChildren(listen=False)
        self.watcher = FakeWatcher()
        self.changed = FakeWaker()
        self.waiting = FakeWaiting(self.clock)
        self.owner = FakeOwnerFile(HERE)
        self.lock = FakeLock()
        self.model_lock = FakeLock()
        self.said: list[str] = []
        self.is_away = False  # the folder is not there
        if wake:
            self.note(wake)
        self.resident = Resident(
            FakeResidentWorld(
                root=Path("/workspace"),
                clock=self.clock,
                ledger=self.ledger,
                lock=self.lock,
                model_lock=self.model_lock,
                children=self.children,
                watcher=self.watcher,
                changed=self.changed,
                waiting=self.waiting,
                owner_file=self.owner,
                machine_id=HERE.id,
                child_command=lambda words: ["/bin/heartbeat", *words],
                environment={},
                child_log=Path("/log"),
                is_away=lambda: self.is_away,
            ),
            self.said.append,
        )

    def note(self, wake: str | None) -> None:
        """What a plan or a beat leaves."""
        self.ledger.plan.save(PlanNote(self.clock.now(), at(wake) if wake else None))

    def round(self, now: str | None = None) -> str:
        """One round of the loop; returns what was started in it."""
        if now:
            self.clock.moment = at(now)
        before = len(self.children.started)
        self.until = self.resident.step()
        return " ".join(words_of(child) for child in self.children.started[before:])

    def child_ends(self, code: int = 0, *, wake: str | None = None, beat: bool = False) -> None:
        """The running child ends, having done what it does: a note, and a beat in the ledger."""
        if wake:
            self.note(wake)
        if beat:
            number = self.ledger.beats.open(BeatReason.TIMER, 1, self.clock.now()).number
            self.ledger.beats.close(number, self.clock.now())
        self.children.started[-1].end(code)
        self.resident.reap()

    def settle(self) -> None:
        """The plan of the start is done."""
        assert self.round() == "plan"
        self.child_ends()
        assert self.round() == ""


def words_of(child: FakeChild) -> str:
    """`plan`, or `beat` with its reason and items."""
    words = child.arguments[1:]
    given = dict(zip(words[2::2], words[3::2], strict=False))
    assert given.pop("--resident-start")
    if words[0] == "plan":
        assert given.pop("--reason") in (BeatReason.STARTUP, BeatReason.FILE)
    return " ".join([words[0], *filter(None, given.values())])
