"""What core.ports.Lock promises, asked of the file lock and of the fake."""

import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.adapters.lock import FileLock
from core.model.holder import Holder
from core.ports import Lock
from tests.fakes import FakeLock

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
US = Holder(os.getpid(), NOW, "beat 7")


@pytest.fixture(params=["file", "fake"])
def lock(request: pytest.FixtureRequest, tmp_path: Path) -> Lock:
    return FileLock(tmp_path / "state" / "lock") if request.param == "file" else FakeLock()


def test_the_first_one_has_it_and_the_second_learns_who(lock: Lock) -> None:
    assert lock.holder() is None
    held = lock.acquire("beat 7", NOW)
    assert not isinstance(held, Holder)
    assert lock.acquire("beat 8", NOW) == US
    assert lock.holder() == US
    held.release()
    assert lock.holder() is None


def test_leaving_the_block_gives_it_up(lock: Lock) -> None:
    held = lock.acquire("beat 7", NOW)
    assert not isinstance(held, Holder)
    with held:
        assert lock.holder() == US
    again = lock.acquire("beat 8", NOW)
    assert not isinstance(again, Holder)
    again.release()


def test_a_second_release_takes_nothing_from_the_next_holder(lock: Lock) -> None:
    first = lock.acquire("beat 7", NOW)
    assert not isinstance(first, Holder)
    first.release()
    with first:
        second = lock.acquire("beat 7", NOW)
    assert not isinstance(second, Holder)
    first.release()
    assert lock.holder() == US
    second.release()


def test_who_waits_for_a_lock_that_nobody_has_gets_it_at_once(lock: Lock) -> None:
    with lock.wait("beat 7", NOW):
        assert lock.holder() == US
    assert lock.holder() is None


def test_who_waits_gets_it_when_the_other_one_gives_it_up(tmp_path: Path) -> None:
    path = tmp_path / "state" / "lock"
    first = FileLock(path).acquire("beat 7", NOW)
    assert not isinstance(first, Holder)
    got: list[Holder | None] = []

    def wait() -> None:
        with FileLock(path).wait("batch", NOW):
            got.append(FileLock(path).holder())

    waiting = threading.Thread(target=wait)
    waiting.start()
    waiting.join(0.3)
    assert (waiting.is_alive(), got) == (True, [])
    first.release()
    waiting.join(30)
    assert got == [Holder(os.getpid(), NOW, "batch")]


def test_looking_makes_no_file(tmp_path: Path) -> None:
    assert FileLock(tmp_path / "state" / "lock").holder() is None
    assert list(tmp_path.iterdir()) == []
