"""What every `Watcher` keeps, in memory and on the disk."""

import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Protocol

import pytest

from core.adapters.waiting.watcher import FolderWatcher
from core.ports.waiting import Watcher
from tests.fakes.waiting import FakeWatcher

LONG = 10.0  # seconds; far more than any news takes


class Desk(Protocol):
    watcher: Watcher
    news: Queue[frozenset[Path]]

    def save(self, *paths: Path) -> None: ...


class DeskInMemory:
    def __init__(self, folder: Path) -> None:
        self.news: Queue[frozenset[Path]] = Queue()
        self.fake = FakeWatcher(self.news.put)
        self.watcher: Watcher = self.fake

    def save(self, *paths: Path) -> None:
        self.fake.change(*paths)


class DeskOnDisk:
    def __init__(self, folder: Path) -> None:
        self.news: Queue[frozenset[Path]] = Queue()
        self.watcher: Watcher = FolderWatcher(
            folder,
            folder / "config.toml",
            lambda before, after: False,
            self.news.put,
            self._monotonic,
        )
        self._saves = 0
        self._stands_at: float | None = None

    def save(self, *paths: Path) -> None:
        """For the watcher it takes no time, however busy the machine is."""
        self._saves += 1
        self._stands_at = time.monotonic()
        for path in paths:
            path.write_text(f"save {self._saves}")
        self._stands_at = None

    def _monotonic(self) -> float:
        stands_at = self._stands_at
        return time.monotonic() if stands_at is None else stands_at


@pytest.fixture(params=[DeskInMemory, DeskOnDisk])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    made: Desk = request.param(tmp_path)
    made.save(tmp_path / "HEARTBEAT.md")
    made.watcher.start()
    yield made
    made.watcher.stop()


def test_each_change_is_reported_once_with_its_file(desk: Desk, tmp_path: Path) -> None:
    for _ in range(3):
        desk.save(tmp_path / "HEARTBEAT.md")
        assert desk.news.get(timeout=LONG) == {tmp_path / "HEARTBEAT.md"}
    assert desk.news.empty()


def test_changes_at_once_are_reported_at_once(desk: Desk, tmp_path: Path) -> None:
    desk.save(tmp_path / "HEARTBEAT.md", tmp_path / "config.json", tmp_path / "config.toml")
    assert desk.news.get(timeout=LONG) == {
        tmp_path / "HEARTBEAT.md",
        tmp_path / "config.json",
        tmp_path / "config.toml",
    }


def test_looking_where_nothing_has_changed_tells_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.watcher.check()
    desk.save(tmp_path / "HEARTBEAT.md")
    assert desk.news.get(timeout=LONG) == {tmp_path / "HEARTBEAT.md"}
    assert desk.news.empty()


def test_nothing_is_reported_after_the_end(desk: Desk, tmp_path: Path) -> None:
    desk.watcher.stop()
    desk.save(tmp_path / "HEARTBEAT.md")
    desk.watcher.check()
    assert desk.news.empty()
