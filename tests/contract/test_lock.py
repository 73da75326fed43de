"""What core.ports.Lock promises, asked of the file lock and of the fake."""

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.adapters.lock import FileLock
from core.model.holder import Holder, Purpose
from core.ports.processes import Lock
from tests.fakes.processes import FakeLock

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
US = Holder(os.getpid(), NOW, Purpose.BEAT)


@pytest.fixture(params=["file", "fake"])
def lock(request: pytest.FixtureRequest, tmp_path: Path) -> Lock:
    return FileLock(tmp_path / "state" / "lock") if request.param == "file" else FakeLock()


def test_the_first_one_has_it_and_the_second_learns_who(lock: Lock) -> None:
    assert lock.holder() is None
    held = lock.acquire(Purpose.BEAT, NOW)
    assert not isinstance(held, Holder)
    assert lock.acquire(Purpose.PLAN, NOW) == US
    assert lock.holder() == US
    held.release()
    assert lock.holder() is None


def test_leaving_the_block_gives_it_up(lock: Lock) -> None:
    held = lock.acquire(Purpose.BEAT, NOW)
    assert not isinstance(held, Holder)
    with held:
        assert lock.holder() == US
    again = lock.acquire(Purpose.PLAN, NOW)
    assert not isinstance(again, Holder)
    again.release()


def test_a_second_release_takes_nothing_from_the_next_holder(lock: Lock) -> None:
    first = lock.acquire(Purpose.BEAT, NOW)
    assert not isinstance(first, Holder)
    first.release()
    with first:
        second = lock.acquire(Purpose.BEAT, NOW)
    assert not isinstance(second, Holder)
    first.release()
    assert lock.holder() == US
    second.release()


def test_waiting_for_a_free_lock_returns_at_once(lock: Lock) -> None:
    with lock.wait(Purpose.BEAT, NOW):
        assert lock.holder() == US
    assert lock.holder() is None


def test_waiting_ends_when_the_holder_releases_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "lock"
    first = FileLock(path).acquire(Purpose.BEAT, NOW)
    assert not isinstance(first, Holder)
    got: list[Holder | None] = []

    def wait() -> None:
        with FileLock(path).wait(Purpose.BATCH, NOW):
            got.append(FileLock(path).holder())

    waiting = threading.Thread(target=wait)
    waiting.start()
    waiting.join(0.3)
    assert (waiting.is_alive(), got) == (True, [])
    first.release()
    waiting.join(30)
    assert got == [Holder(os.getpid(), NOW, Purpose.BATCH)]


def test_looking_makes_no_file(tmp_path: Path) -> None:
    assert FileLock(tmp_path / "state" / "lock").holder() is None
    assert list(tmp_path.iterdir()) == []


def test_a_later_process_with_the_number_of_the_holder_is_not_the_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    held = FileLock(path).acquire(Purpose.BEAT, NOW)
    assert not isinstance(held, Holder)
    assert FileLock(path).holder() == US
    name = json.loads(path.read_text())
    path.write_text(json.dumps({**name, "began": "1"}))  # before this process
    assert FileLock(path).holder() is None
    path.write_text(json.dumps({key: name[key] for key in ("pid", "since", "purpose")}))
    assert FileLock(path).holder() == US  # an earlier version wrote it
    held.release()
