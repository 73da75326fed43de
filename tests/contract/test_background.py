"""What core.ports.Background promises, asked of the real one, whose processes are played by the
test, and of the fake."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pytest

from core.adapters.processes.background import BackgroundProcesses
from core.model.holder import Holder
from core.model.occurrence import Occurrence
from core.ports.processes import Background, HeldLock
from tests.fakes.processes import FakeBackground, FakeChildren
from tests.fakes.waiting import FakeClock

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
BACKUP = Occurrence("action:backup", "action", NOW, beat=1, why="hourly", attempts=1)


class Ground(Protocol):
    background: Background

    def begins(self) -> None:
        """The process that was started is alive."""
        ...

    def ends(self) -> None: ...


class GroundInMemory:
    def __init__(self, _: Path) -> None:
        self.fake = FakeBackground()
        self.background: Background = self.fake

    def begins(self) -> None:
        assert [one.item for one in self.fake.started] == ["action:backup"]

    def ends(self) -> None:
        self.fake.running.clear()


class GroundOnDisk:
    def __init__(self, folder: Path) -> None:
        self.children = FakeChildren()
        self.real = BackgroundProcesses(
            folder,
            folder / "state",
            FakeClock(NOW),
            self.children,
            lambda words: ["/bin/heartbeat", *words],
        )
        self.background: Background = self.real
        self.held: HeldLock | None = None

    def begins(self) -> None:
        (child,) = self.children.started
        assert child.arguments[1] == "background"
        assert ("--items", "action:backup", "--slot", NOW.isoformat()) == child.arguments[3:]
        held = self.real.hold("action:backup")
        assert not isinstance(held, Holder)
        self.held = held

    def ends(self) -> None:
        assert self.held
        self.held.release()


@pytest.fixture(params=[GroundInMemory, GroundOnDisk])
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Ground:
    made: Ground = request.param(tmp_path)
    return made


def test_what_was_never_started_does_not_run(ground: Ground) -> None:
    assert not ground.background.is_running("action:backup")


def test_it_runs_from_its_start_to_its_end(ground: Ground) -> None:
    ground.background.start(BACKUP)
    ground.begins()
    assert ground.background.is_running("action:backup")
    ground.ends()
    assert not ground.background.is_running("action:backup")


def test_one_item_says_nothing_about_another(ground: Ground) -> None:
    ground.background.start(BACKUP)
    ground.begins()
    assert not ground.background.is_running("action:report")
    ground.ends()
